if vim.g.loaded_pastwork or vim.fn.has('nvim-0.11') == 0 then return end
vim.g.loaded_pastwork = true

---What follows `:Pastwork`: a function of our module, or one with its first argument.
local deeds = { quickfix = { 'list', 'quickfix' }, loclist = { 'list', 'loclist' } }
for _, name in ipairs({ 'search', 'file', 'line', 'rooms', 'context', 'forget', 'toggle', 'status', 'log', 'reindex', 'restart' }) do
  deeds[name] = { name }
end
---Those that take what is typed after them.
local takes = { search = true, forget = true, toggle = true }

vim.api.nvim_create_user_command('Pastwork', function(call)
  local name, rest = call.args:match('^(%S*)%s*(.-)%s*$')
  local deed = deeds[name == '' and 'search' or name]
  if not deed or (rest ~= '' and not takes[name]) or (name == 'toggle' and not vim.list_contains({ '', 'off', 'line', 'all' }, rest)) then
    local known = table.concat(vim.fn.sort(vim.tbl_keys(deeds)), ', ')
    return vim.notify(('pastwork: what is "%s"? Known: %s'):format(call.args, known), vim.log.levels.ERROR)
  end
  require('pastwork')[deed[1]](deed[2] or rest ~= '' and rest or nil)
end, {
  nargs = '*',
  desc = 'pastwork: search, file, line, rooms, …',
  complete = function(lead, line)
    local name = line:match('Pastwork%s+(%S+)%s')
    local words = name == 'toggle' and { 'off', 'line', 'all' } or not name and vim.tbl_keys(deeds) or {}
    return vim.fn.sort(vim.tbl_filter(function(word) return vim.startswith(word, lead) end, words))
  end,
})

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = vim.api.nvim_create_augroup('pastwork', { clear = true }),
  pattern = 'pastwork://exchange/*',
  callback = function(event) require('pastwork.verbatim').read(event.buf) end,
})

for _, name in ipairs({ 'search', 'file', 'line', 'rooms', 'toggle' }) do
  vim.keymap.set('n', ('<Plug>(pastwork-%s)'):format(name), function() require('pastwork')[name]() end, { desc = 'pastwork: ' .. name })
end
