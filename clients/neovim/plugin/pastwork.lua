if vim.g.loaded_pastwork then
  return
end
vim.g.loaded_pastwork = true

local deeds = {
  search = function(rest)
    require('pastwork').search(rest)
  end,
  forget = function(rest)
    require('pastwork').forget(rest ~= '' and rest or nil)
  end,
  toggle = function(rest)
    require('pastwork').toggle(rest ~= '' and rest or nil)
  end,
  quickfix = function()
    require('pastwork').list('quickfix')
  end,
  loclist = function()
    require('pastwork').list('loclist')
  end,
}
for _, name in ipairs({ 'file', 'line', 'rooms', 'status', 'log', 'reindex' }) do
  deeds[name] = function()
    require('pastwork')[name]()
  end
end

vim.api.nvim_create_user_command('Pastwork', function(call)
  local deed, rest = call.args:match('^(%S*)%s*(.*)$')
  if deed == '' then
    deed = 'search'
  end
  if not deeds[deed] then
    return vim.notify(('pastwork: no deed "%s"; one of %s'):format(deed, table.concat(vim.fn.sort(vim.tbl_keys(deeds)), ', ')), vim.log.levels.ERROR)
  end
  deeds[deed](rest)
end, {
  nargs = '*',
  desc = 'pastwork: search, file, line, rooms, …',
  complete = function(lead, line)
    local words = line:match('^%s*Pastwork!?%s+toggle%s') and { 'off', 'line', 'all' } or vim.tbl_keys(deeds)
    return vim.fn.sort(vim.tbl_filter(function(word)
      return vim.startswith(word, lead)
    end, words))
  end,
})

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = vim.api.nvim_create_augroup('pastwork', { clear = true }),
  pattern = 'pastwork://exchange/*',
  callback = function(event)
    require('pastwork.verbatim').read(event.buf)
  end,
})

for _, name in ipairs({ 'search', 'file', 'line', 'rooms', 'toggle' }) do
  vim.keymap.set('n', ('<Plug>(pastwork-%s)'):format(name), function()
    require('pastwork')[name]()
  end, { desc = 'pastwork: ' .. name })
end
