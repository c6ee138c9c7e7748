---Options: defaults, types, and what is wrong with the user's.

---@class pastwork.Options
---@field cmd string[] The server's command.
---@field annotations 'off'|'line'|'all' Virtual text on lines with past work: none, the current line, all.
---@field annotation_delay integer Milliseconds the cursor rests before the current line is annotated.
---@field lens boolean Show the server's code lenses.
---@field settings table<string, any> Server settings, `{ ['lens.symbols'] = true }` (docs/configuration.md).

local M = {}

---@type pastwork.Options
M.defaults = {
  cmd = { 'pastwork', 'lsp' },
  annotations = 'line',
  annotation_delay = 250,
  lens = true,
  settings = {},
}

---@type table<string, fun(value: any): boolean>
local valid = {
  cmd = function(value)
    return vim.islist(value) and #value > 0 and vim.iter(value):all(function(word)
      return type(word) == 'string'
    end)
  end,
  annotations = function(value)
    return vim.list_contains({ 'off', 'line', 'all' }, value)
  end,
  annotation_delay = function(value)
    return type(value) == 'number' and value >= 0
  end,
  lens = function(value)
    return type(value) == 'boolean'
  end,
  settings = function(value)
    return type(value) == 'table'
  end,
}

---The user's options over the defaults, and one sentence for each that was ignored.
---@return pastwork.Options, string[]
function M.read()
  local given = vim.g.pastwork or {}
  local options, problems = vim.deepcopy(M.defaults), {}
  for key, value in pairs(given) do
    if not valid[key] then
      table.insert(problems, ('vim.g.pastwork.%s: no such option'):format(key))
    elseif not valid[key](value) then
      table.insert(problems, ('vim.g.pastwork.%s: bad value %s, default used'):format(key, vim.inspect(value)))
    else
      options[key] = value
    end
  end
  table.sort(problems)
  return options, problems
end

return M
