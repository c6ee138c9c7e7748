-- `:checkhealth pastwork`
local health = vim.health
local M = {}

---What a command of the server's program prints, what it says of a failure, and how it was called.
local function output(command, ...)
  local at = vim.iter(ipairs(command)):find(function(_, each) return each == 'lsp' end) or #command + 1
  local words = vim.list_extend(vim.list_slice(command, 1, at - 1), { ... })
  local ran, result = pcall(function() return vim.system(words, { text = true, timeout = 30000 }):wait() end)
  return vim.trim(ran and result.stdout or ''), vim.trim(ran and result.stderr or result), table.concat(words, ' ')
end

---The answer, or nil and an error in the report.
local function run(command, word)
  local printed, why, called = output(command, word, '--json')
  local decoded, answer = pcall(vim.json.decode, printed, { luanil = { object = true } })
  answer = decoded and type(answer) == 'table' and answer or { error = { message = 'no answer from: ' .. called, remedy = why } }
  return not answer.error and answer or health.error(answer.error.message, { answer.error.remedy })
end

function M.check()
  local options, problems = require('pastwork.options').read()
  local command, clients = require('pastwork.options').command(), require('pastwork.client').all()
  health.start('pastwork')
  vim.iter(problems):each(function(problem) health.warn(problem, { ':help pastwork-options' }) end)
  if not command then return health.error('server not found: ' .. options.cmd[1], { 'pipx install pastwork', 'set vim.g.pastwork.cmd' }) end
  health.ok(('server: %s, %s'):format(vim.fn.exepath(command[1]), (output(command, '--version'))))
  vim.iter(clients):each(function(each) health.ok(('version %s at work in %s'):format(each.server_info.version, each.root_dir or '~')) end)
  if #clients == 0 then health.info("no server is running in this Neovim; add vim.lsp.enable('pastwork') and open a file") end
  local status, doctor = run(command, 'status'), run(command, 'doctor')
  health.start('pastwork: transcripts and index')
  vim.iter(status and require('pastwork.text').report(status) or {}):each(health.info)
  health.start('pastwork: folders, store and model')
  local tell, findings = { ok = health.ok, warn = health.warn, fail = health.error }, doctor and doctor.findings or {}
  vim.iter(findings):each(function(each) tell[each.level](each.what, each.remedy ~= '' and { each.remedy } or nil) end)
end

return M
