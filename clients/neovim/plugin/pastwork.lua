if vim.g.loaded_pastwork or vim.fn.has('nvim-0.11') == 0 then return end
vim.g.loaded_pastwork = true

---The words that may follow each deed; true: any.
local none, modes = {}, { 'off', 'line', 'all' }
local follows = { search = true, forget = true, rooms = true, toggle = modes, file = none, line = none, quickfix = none, loclist = none }
follows = vim.tbl_extend('error', follows, { context = none, status = none, log = none, reindex = none, restart = none })

local function pastwork(call)
  local name, rest = (call.args == '' and 'search' or call.args):match('^(%S*)%s*(.-)%s*$')
  local allowed = follows[name]
  if allowed and (rest == '' or allowed == true or vim.list_contains(allowed, rest)) then
    return require('pastwork')[name](rest ~= '' and rest or nil)
  end
  local known = vim.fn.join(vim.fn.sort(vim.tbl_keys(follows)), ', ')
  vim.notify(('pastwork: what is "%s"? Known: %s'):format(call.args, known), vim.log.levels.ERROR)
end

local function complete(lead, line)
  local allowed = follows[line:match('Pastwork%s+(%S+)%s') or ''] or vim.tbl_keys(follows)
  local function fits(word) return vim.startswith(word, lead) end
  return allowed == true and {} or vim.fn.sort(vim.tbl_filter(fits, allowed))
end

vim.api.nvim_create_user_command('Pastwork', pastwork, { nargs = '*', desc = 'pastwork: search, file, line, …', complete = complete })
local create, pattern = vim.api.nvim_create_autocmd, 'pastwork://exchange/*'
create('BufReadCmd', { pattern = pattern, callback = function(args) require('pastwork.verbatim').read(args.buf) end })
create('BufWinEnter', { pattern = pattern, callback = function() require('pastwork.verbatim').dress() end })
for _, name in ipairs({ 'search', 'file', 'line', 'rooms', 'toggle' }) do
  vim.keymap.set('n', ('<Plug>(pastwork-%s)'):format(name), function() require('pastwork')[name]() end, { desc = 'pastwork: ' .. name })
end
