if vim.g.loaded_pastwork or vim.fn.has('nvim-0.11') == 0 then return end
vim.g.loaded_pastwork = true

---The words that may follow each deed; true: any.
local follows = { search = true, forget = true, rooms = true, toggle = { 'off', 'line', 'all' } }
for _, name in ipairs({ 'file', 'line', 'quickfix', 'loclist', 'context', 'status', 'log', 'reindex', 'restart' }) do
  follows[name] = {}
end

local function pastwork(call)
  local name, rest = call.args:match('^(%S*)%s*(.-)%s*$')
  if name == '' then name = 'search' end
  local allowed = follows[name]
  if allowed and (rest == '' or allowed == true or vim.list_contains(allowed, rest)) then
    return require('pastwork')[name](rest ~= '' and rest or nil)
  end
  local known = vim.fn.join(vim.fn.sort(vim.tbl_keys(follows)), ', ')
  vim.notify(('pastwork: what is "%s"? Known: %s'):format(call.args, known), vim.log.levels.ERROR)
end

local function complete(lead, line)
  local allowed = follows[line:match('Pastwork%s+(%S+)%s') or ''] or vim.tbl_keys(follows)
  if allowed == true then return {} end
  return vim.fn.sort(vim.tbl_filter(function(word) return vim.startswith(word, lead) end, allowed))
end

vim.api.nvim_create_user_command('Pastwork', pastwork, { nargs = '*', desc = 'pastwork: search, file, line, …', complete = complete })
for event, name in pairs({ BufReadCmd = 'read', BufWinEnter = 'dress' }) do
  local function act(args) require('pastwork.verbatim')[name](args.buf) end
  vim.api.nvim_create_autocmd(event, { pattern = 'pastwork://exchange/*', callback = act })
end
for _, name in ipairs({ 'search', 'file', 'line', 'rooms', 'toggle' }) do
  vim.keymap.set('n', ('<Plug>(pastwork-%s)'):format(name), function() require('pastwork')[name]() end, { desc = 'pastwork: ' .. name })
end
