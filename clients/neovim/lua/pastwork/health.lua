-- `:checkhealth pastwork`
local health = vim.health
local M = {}

---The answer of a command of the server's program, or nil and an error in the report.
local function run(command, word)
  local at = vim.iter(ipairs(command)):find(function(_, each) return each == 'lsp' end) or #command + 1
  local words = vim.list_extend(vim.list_slice(command, 1, at - 1), { word, '--json' })
  local ran, result = pcall(function() return vim.system(words, { text = true, timeout = 30000 }):wait() end)
  local decoded, answer = pcall(vim.json.decode, ran and result.stdout or '', { luanil = { object = true } })
  if decoded and type(answer) == 'table' and not answer.error then return answer end
  health.error('no answer from: ' .. table.concat(words, ' '), ran and result.stderr ~= '' and result.stderr or nil)
end

local function check_index(status)
  health.start('pastwork: transcripts and index')
  local known = vim.iter(vim.spairs(status.agents)):filter(function(_, agent) return agent.exchanges > 0 end):totable()
  for _, each in ipairs(known) do
    local tell = #each[2].skipped + each[2].expiring > 0 and health.info or health.ok
    tell(require('pastwork.text').agent(unpack(each)))
  end
  if #known == 0 then health.warn('nothing is indexed yet', { 'pastwork index' }) end
  health.info(('index: %s, finished %s'):format(status.index.state, status.index.finished_at or 'never'))
  health.info(('vectors: %d ready, %d pending'):format(status.vectors.ready, status.vectors.pending))
end

function M.check()
  local options, problems = require('pastwork.options').read()
  local command, clients = require('pastwork.options').command(), require('pastwork.client').all()
  health.start('pastwork')
  vim.iter(problems):each(function(problem) health.warn(problem, { ':help pastwork-options' }) end)
  if not command then
    return health.error('server not found: ' .. options.cmd[1], { 'pipx install pastwork', 'or set vim.g.pastwork.cmd' })
  end
  health.ok('server: ' .. vim.fn.exepath(command[1]))
  for _, client in ipairs(clients) do
    health.ok(('version %s at work in %s'):format(client.server_info.version, client.root_dir or 'no folder'))
  end
  if #clients == 0 then health.info("no server is running in this Neovim; add vim.lsp.enable('pastwork') and open a file") end
  local status, doctor = run(command, 'status'), run(command, 'doctor')
  if status then check_index(status) end
  health.start('pastwork: folders, store and model')
  for _, finding in ipairs(doctor and doctor.findings or {}) do
    local tell = ({ ok = health.ok, warn = health.warn, fail = health.error })[finding.level]
    tell(finding.what, finding.remedy ~= '' and { finding.remedy } or nil)
  end
end

return M
