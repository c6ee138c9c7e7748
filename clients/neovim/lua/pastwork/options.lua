---Options: one table from which defaults and validation come; doc/pastwork.txt is checked against it.

---@class pastwork.Options
---@field cmd string[] The server's command.
---@field annotations 'off'|'line'|'all' Virtual text on lines with past work: none, the cursor's line, all.
---@field annotation_delay integer Milliseconds that the cursor rests before its line is annotated.
---@field lens boolean Show the server's code lenses.
---@field settings table<string, any> The server's settings, `{ ['lens.symbols'] = true }` (docs/configuration.md).

local M = { MODES = { 'off', 'line', 'all' } }

local function is_word(value) return type(value) == 'string' and value ~= '' end
local function is_list(value) return type(value) == 'table' and vim.islist(value) and #value > 0 end

---@type table<string, { default: any, valid: fun(value: any): boolean }>
M.schema = {
  cmd = { default = { 'pastwork', 'lsp' }, valid = function(value) return is_list(value) and vim.iter(value):all(is_word) end },
  annotations = { default = 'line', valid = function(value) return vim.list_contains(M.MODES, value) end },
  annotation_delay = { default = 250, valid = function(value) return type(value) == 'number' and value >= 0 and value % 1 == 0 end },
  lens = { default = true, valid = function(value) return type(value) == 'boolean' end },
  settings = { default = {}, valid = function(value) return type(value) == 'table' and not is_list(value) end },
}

---The user's options over the defaults, and a sentence for each that was ignored.
---@return pastwork.Options, string[]
function M.read()
  local given, problems = vim.g.pastwork or {}, {}
  local options = vim.tbl_map(function(option) return vim.deepcopy(option.default) end, M.schema)
  for key, value in vim.spairs(type(given) == 'table' and given or { [tostring(given)] = given }) do
    local option = M.schema[key]
    local valid, what = option and option.valid(value), 'no such option'
    if valid then options[key] = value end
    if option then what = ('bad value %s; the default is used'):format(vim.inspect(value)) end
    if not valid then table.insert(problems, ('vim.g.pastwork.%s: %s'):format(key, what)) end
  end
  options.settings = next(options.settings) and options.settings or vim.empty_dict() -- or it would reach the server as a list
  return options, problems
end

---The server's command, its program also looked for where pipx and uv put tools; nil where there is none.
function M.command()
  local command = M.read().cmd
  local programs = { command[1], vim.fs.normalize('~/.local/bin') .. '/' .. command[1] }
  local found = vim.iter(programs):find(function(program) return vim.fn.executable(program) == 1 end)
  return found and vim.list_extend({ found }, command, 2)
end

return M
