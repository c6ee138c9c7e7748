-- A floating picker: a prompt, a list, and the exchange under the cursor beside it.
local client = require('pastwork.client')
local text = require('pastwork.text')
local api = vim.api
local M = {}

local PREVIEW, REST = 1000, 60 -- lines, and characters of each; milliseconds before it is asked for, lest it hold up a search
local Picker = {}

---@alias pastwork.Entry { head: string, detail: string, hit?: table, act?: fun() } `act`: what choosing it does, if not opening
function M.entry(hit, note)
  local context = text.joined({ text.one_line(hit.object.specific_context), text.files(hit) }, ' — ')
  local head = (hit.fix and '! ' or '  ') .. text.headline(hit)
  return { hit = hit, head = head, detail = text.joined({ text.byline(hit), note or text.one_line(hit.session_note or ''), context }) }
end

---A picker over fixed entries: every word typed must be found in an entry.
function M.choose(title, entries)
  return M.open(function(query, _, show)
    local found = vim.iter(vim.gsplit(query:lower(), '%s+', { trimempty = true })):fold(entries, function(left, word)
      return vim.tbl_filter(function(entry) return (entry.head .. ' ' .. entry.detail):lower():find(word, 1, true) end, left)
    end)
    show(found, title, '', { 'No match' })
  end)
end

---Places the prompt, the list and, where there is room, the preview; opens them the first time.
function Picker:layout()
  local width, height = math.min(vim.o.columns - 4, 180), math.max(6, math.min(vim.o.lines - 6, 40))
  local top, side = math.max(0, math.floor((vim.o.lines - height - 4) / 2)), math.floor((vim.o.columns - width - 2) / 2)
  local left = width >= 90 and math.floor(width / 2) or width
  local function place(name, row, col, wide, high)
    local config = { relative = 'editor', row = row, col = col, width = math.max(1, wide), height = high, hide = wide < 1 }
    if self.windows[name] then return api.nvim_win_set_config(self.windows[name], config) end
    local buffer = api.nvim_create_buf(false, true)
    vim.bo[buffer].bufhidden, vim.bo[buffer].filetype = 'wipe', 'pastwork-' .. name
    config.style, config.border, self.buffers[name] = 'minimal', 'rounded', buffer
    self.windows[name] = api.nvim_open_win(buffer, name == 'prompt', config)
  end
  place('list', top + 3, side, left, height - 3)
  place('preview', top, side + left + 2, width - left - 2, height)
  place('prompt', top, side, left, 1)
  self:select(self.index)
end

---How they look, and that one types into the prompt.
function Picker:dress(query)
  local list, preview = vim.wo[self.windows.list], vim.wo[self.windows.preview]
  list.cursorline, list.linebreak, list.breakindent, list.list, list.listchars = true, true, true, true, 'extends:…'
  preview.wrap, preview.linebreak, preview.conceallevel = true, true, 2
  local hints = { { ' ⏎ open · ^F file · ^Y context · ^A scope ', 'Comment' } }
  api.nvim_win_set_config(self.windows.preview, { footer = hints, footer_pos = 'right' })
  vim.fn.matchadd('Comment', '^    .*', 10, -1, { window = self.windows.list })
  pcall(vim.treesitter.start, self.buffers.preview, 'markdown')
  vim.bo.buftype = 'prompt'
  vim.fn.prompt_setprompt(self.buffers.prompt, '')
  api.nvim_buf_set_lines(0, 0, -1, false, { query })
  vim.cmd.startinsert({ bang = true })
end

---Puts an exchange into the preview, at the first of the words that were looked for.
function Picker:put(markdown, terms)
  if not api.nvim_win_is_valid(self.windows.preview) then return end
  local function short(line) return vim.fn.strcharpart(line, 0, PREVIEW) end
  api.nvim_buf_set_lines(self.buffers.preview, 0, -1, false, vim.iter(vim.gsplit(markdown, '\n')):take(PREVIEW):map(short):totable())
  api.nvim_win_call(self.windows.preview, function()
    vim.fn.clearmatches()
    vim.fn.cursor(1, 1)
    if #terms == 0 then return end
    local pattern = '\\c\\V\\(' .. vim.iter(terms):map(function(term) return vim.fn.escape(term, '\\') end):join('\\|') .. '\\)'
    vim.fn.matchadd('Search', pattern)
    vim.fn.search(pattern, 'cW')
    vim.fn.winrestview({ topline = math.max(1, vim.fn.line('.') - 8) })
  end)
end

function Picker:select(index)
  if index > #self.entries and #self.entries >= self.limit then return self:update(self.limit + 100, index) end
  self.index = math.max(1, math.min(index, #self.entries))
  local hit = (self.entries[self.index] or {}).hit
  pcall(api.nvim_win_set_cursor, self.windows.list, { self.index * 2 - 1, 0 })
  local stands, config = pcall(api.nvim_win_get_config, self.windows.preview)
  if not stands or config.hide or self.shown == (hit and hit.id) then return end
  self.shown = hit and hit.id
  self.cancel_preview()
  if not hit then return self:put('', {}) end
  local function put(markdown) self:put(markdown, hit.why.terms) end
  local timer = vim.defer_fn(function()
    self.cancel_preview = client.ask('pastwork/exchange', { id = hit.id }, function(answer) put(answer.markdown) end, put)
  end, REST)
  self.cancel_preview = function() timer:stop() end
end

---@param empty string[] what is said when there is nothing
function Picker:show(index, entries, title, footer, empty)
  if not vim.iter(pairs(self.windows)):all(function(_, window) return api.nvim_win_is_valid(window) end) then return end
  local lines = vim.iter(entries):map(function(entry) return { entry.head, '    ' .. entry.detail } end):flatten():totable()
  if #lines == 0 then lines = vim.tbl_map(function(line) return '  ' .. text.one_line(line) end, empty) end
  self.entries, vim.wo[self.windows.list].wrap = entries, #entries == 0
  api.nvim_buf_set_lines(self.buffers.list, 0, -1, false, lines)
  api.nvim_win_set_config(self.windows.list, { footer = footer == '' and '' or { { (' %s '):format(footer), 'Comment' } } })
  api.nvim_win_set_config(self.windows.prompt, { title = (' %s '):format(title) })
  self:select(index)
end

---Asks for more only when somebody looks for more: answers of twenty come while one types. Pasted lines become one.
function Picker:update(limit, index, scope)
  local lines = api.nvim_buf_get_lines(self.buffers.prompt, 0, -1, false)
  self.limit, self.scope, self.query = limit or 20, scope or self.scope, table.concat(lines, ' ')
  if #lines > 1 then
    api.nvim_buf_set_lines(self.buffers.prompt, 0, -1, false, { self.query })
    vim.cmd.startinsert({ bang = true })
  end
  vim.bo[self.buffers.prompt].modified = false -- or it could not be left by `:q`
  local function show(...) self:show(index or 1, ...) end
  local function failed(message) show({}, 'Past work', '', { 'pastwork: ' .. message }) end
  self.cancel()
  self.cancel = self.ask(self.query, { scope = self.scope, limit = self.limit }, show, failed) or function() end
end

---Goes back to where it was opened, unless the user has gone elsewhere.
function Picker:close()
  local here = vim.list_contains(vim.tbl_values(self.windows), api.nvim_get_current_win())
  self.cancel()
  self.cancel_preview()
  if here then vim.cmd.stopinsert() end
  vim.iter(pairs(self.windows)):each(function(_, window) pcall(api.nvim_win_close, window, true) end)
  if here then pcall(api.nvim_set_current_win, self.origin) end
end

function Picker:map()
  local verbatim = require('pastwork.verbatim')
  local function map(key, act) vim.keymap.set({ 'i', 'n' }, key, act, { buffer = self.buffers.prompt, nowait = true }) end
  ---Closes the picker and does something with the chosen entry.
  local function take(key, act)
    map(key, function()
      local entry = self.entries[self.index]
      if not entry then return end
      self:close()
      vim.schedule(entry.act or function() act(entry.hit) end)
    end)
  end
  for key, how in pairs({ ['<CR>'] = false, ['<C-s>'] = 'split', ['<C-v>'] = 'vsplit', ['<C-t>'] = 'tabedit' }) do
    take(key, function(hit) verbatim.open(hit.id, how) end)
  end
  take('<C-f>', verbatim.open_file)
  take('<C-y>', function(hit) require('pastwork').context({ ids = { hit.id } }) end)
  for key, by in pairs({ ['<C-n>'] = 1, ['<Down>'] = 1, ['<C-p>'] = -1, ['<Up>'] = -1 }) do
    map(key, function() self:select(self.index + by) end)
  end
  for key, scroll in pairs({ ['<C-d>'] = '\4', ['<C-u>'] = '\21' }) do
    map(key, function() vim.fn.win_execute(self.windows.preview, 'normal! ' .. scroll) end)
  end
  map('<C-a>', function() self:update(20, 1, self.scope == 'all' and 'workspace' or 'all') end)
  vim.keymap.set('i', '<C-w>', '<C-S-w>', { buffer = self.buffers.prompt, nowait = true }) -- removes a word
  map('<Esc>', function() self:close() end)
  map('<C-c>', function() self:close() end)
end

---Opens a picker on what `ask` finds: it calls `show` with entries, title, footer, empty, and may give back what cancels it.
---@type fun(ask: fun(query: string, filters: table, show: function, failed: function), query?: string): table
function M.open(ask, query)
  local self = setmetatable({ windows = {}, buffers = {}, entries = {}, index = 1, limit = 1, ask = ask }, { __index = Picker })
  self.cancel, self.cancel_preview, self.origin = function() end, function() end, api.nvim_get_current_win()
  self:layout()
  self:dress(query or '')
  self:map()
  local function on(events, act) api.nvim_create_autocmd(events, { buffer = self.buffers.prompt, callback = act }) end
  on({ 'TextChangedI', 'TextChanged' }, function() self:update() end)
  local function again() return not api.nvim_buf_is_valid(self.buffers.prompt) or #self.entries == 0 and self:update() end
  api.nvim_create_autocmd('User', { pattern = 'PastworkStatus', callback = again }) -- may be what was looked for
  on('WinLeave', vim.schedule_wrap(function() self:close() end))
  on('VimResized', function() self:layout() end)
  self:show(1, {}, 'Past work', '', { 'Looking …' })
  self:update()
  return self
end

return M
