---`:checkhealth pastwork`

local M = {}

local health = vim.health

---The answer of a command of the server's program, or nil and an error in the report.
local function run(command, word)
  local at = vim.iter(ipairs(command)):find(function(_, each) return each == 'lsp' end) or #command + 1
  local all = vim.list_extend(vim.list_slice(command, 1, at - 1), { word, '--json' })
  local ran, result = pcall(function() return vim.system(all, { text = true, timeout = 30000 }):wait() end)
  local decoded, answer = pcall(vim.json.decode, ran and result.stdout or '', { luanil = { object = true } })
  if decoded and type(answer) == 'table' and not answer.error then return answer end
  health.error('no answer from: ' .. table.concat(all, ' '), ran and result.stderr ~= '' and result.stderr or nil)
end

local function report_status(status)
  health.start('pastwork: transcripts and index')
  local total = 0
  for name, agent in vim.spairs(status.agents) do
    local said = ('%s: %d exchanges, %d sessions, %d records skipped, %d transcripts expiring soon'):format(
      name,
      agent.exchanges,
      agent.sessions,
      #agent.skipped,
      agent.expiring
    ) -- stylua: ignore
    if agent.exchanges > 0 then health[#agent.skipped + agent.expiring > 0 and 'info' or 'ok'](said) end
    total = total + agent.exchanges
  end
  if total == 0 then health.warn('nothing is indexed yet', { 'pastwork index' }) end
  local index, vectors = status.index, status.vectors
  health.info(
    ('index: %s, finished %s; vectors: %d ready, %d pending'):format(
      index.state,
      index.finished_at or 'never',
      vectors.ready,
      vectors.pending
    )
  )
end

local function report_findings(doctor)
  health.start('pastwork: folders, store and model')
  for _, finding in ipairs(doctor.findings) do
    local tell = ({ ok = health.ok, warn = health.warn, fail = health.error })[finding.level]
    tell(finding.what, finding.remedy ~= '' and { finding.remedy } or nil)
  end
end

function M.check()
  local options, problems = require('pastwork.options').read()
  local command, clients = require('pastwork.options').command(), require('pastwork.client').all()
  health.start('pastwork')
  vim.iter(problems):each(function(problem) health.warn(problem, { ':help pastwork-options' }) end)
  if vim.fn.has('nvim-0.11') == 0 then return health.error('Neovim 0.11 or newer is needed') end
  if not command then
    return health.error('server not found: ' .. options.cmd[1], { 'pipx install pastwork', 'or set vim.g.pastwork.cmd' })
  end
  health.ok('server: ' .. vim.fn.exepath(command[1]))
  for _, client in ipairs(clients) do
    health.ok(('version %s at work in %s'):format(vim.tbl_get(client, 'server_info', 'version') or '?', client.root_dir or 'no folder'))
  end
  if #clients == 0 then health.info("no server is running in this Neovim; add vim.lsp.enable('pastwork') and open a file") end
  local status, doctor = run(command, 'status'), run(command, 'doctor')
  if status then report_status(status) end
  if doctor then report_findings(doctor) end
end

return M
