---`:checkhealth pastwork`

local M = {}

---@param command string[]
---@param done fun(doctor: table)
local function doctor(command, done)
  local words = vim.list_extend(vim.list_slice(command, 1, #command - 1), { 'doctor', '--json' })
  local ran, result = pcall(function()
    return vim.system(words, { text = true, timeout = 20000 }):wait()
  end)
  local decoded, answer = pcall(vim.json.decode, ran and result.stdout or '')
  if not ran or not decoded or type(answer) ~= 'table' or not answer.findings then
    return vim.health.error('pastwork doctor gave no answer', { table.concat(words, ' ') })
  end
  done(answer)
end

function M.check()
  local options, problems = require('pastwork.options').read()
  vim.health.start('pastwork')
  for _, problem in ipairs(problems) do
    vim.health.warn(problem, { ':help pastwork-options' })
  end
  if vim.fn.has('nvim-0.11') == 0 then
    return vim.health.error('Neovim 0.11 or newer is needed')
  end
  if vim.fn.executable(options.cmd[1]) == 0 then
    return vim.health.error(('server not found: %s'):format(options.cmd[1]), { 'pipx install pastwork', 'or set vim.g.pastwork.cmd' })
  end
  vim.health.ok(('server: %s'):format(vim.fn.exepath(options.cmd[1])))
  local running = vim.lsp.get_clients({ name = 'pastwork' })
  if #running == 0 then
    vim.health.info("not attached in this Neovim; add vim.lsp.enable('pastwork') and open a file")
  else
    vim.health.ok(('attached, server version %s'):format(vim.tbl_get(running[1], 'server_info', 'version') or 'unknown'))
  end
  doctor(options.cmd, function(answer)
    for _, finding in ipairs(answer.findings) do
      local tell = ({ ok = vim.health.ok, warn = vim.health.warn, fail = vim.health.error })[finding.level] or vim.health.info
      tell(finding.what, finding.remedy ~= '' and { finding.remedy } or nil)
    end
  end)
end

return M
