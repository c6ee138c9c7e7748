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
  local detail = text.joined({ text.byline(hit), note or '', context })
  return { hit = hit, head = (hit.fix and '! ' or '  ') .. text.headline(hit), detail = detail }
end

---A picker over fixed entries: every word typed must be found in an entry.
function M.choose(title, entries)
  return M.open(function(query, _, show)
    local words = vim.split(query:lower(), '%s+', { trimempty = true })
    local function matches(entry)
      local all = (entry.head .. ' ' .. entry.detail):lower()
      return vim.iter(words):all(function(word) return all:find(word, 1, true) ~= nil end)
    end
    show(vim.tbl_filter(matches, entries), title, '', { 'No match' })
  end)
end

---Opens the prompt, the list and, where there is room, the preview.
function Picker:layout(query)
  local width, height = math.min(vim.o.columns - 4, 180), math.max(6, math.min(vim.o.lines - 6, 40))
  local top, side = math.max(0, math.floor((vim.o.lines - height - 4) / 2)), math.floor((vim.o.columns - width - 2) / 2)
  local left = width >= 90 and math.floor(width / 2) or width
  local function open(name, row, col, wide, high, options)
    local place = { relative = 'editor', style = 'minimal', border = 'rounded', width = wide, height = high }
    local buffer = api.nvim_create_buf(false, true)
    place.row, place.col = top + row, side + col
    vim.bo[buffer].bufhidden, vim.bo[buffer].filetype = 'wipe', 'pastwork-' .. name
    self.buffers[name], self.windows[name] = buffer, api.nvim_open_win(buffer, name == 'prompt', place)
    vim.iter(pairs(options)):each(function(option, value) vim.wo[self.windows[name]][option] = value end)
  end
  open('list', 3, 0, left, height - 3, { cursorline = true, wrap = false })
  vim.fn.matchadd('Comment', '^    .*', 10, -1, { window = self.windows.list })
  if left < width then
    open('preview', 0, left + 2, width - left - 2, height, { wrap = true, linebreak = true, conceallevel = 2 })
    api.nvim_win_set_config(self.windows.preview, { footer = ' ⏎ open · ^F file · ^Y context · ^A scope ', footer_pos = 'right' })
    pcall(vim.treesitter.start, self.buffers.preview, 'markdown')
  end
  open('prompt', 0, 0, left, 1, {})
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
  if #self.entries > 0 then api.nvim_win_set_cursor(self.windows.list, { self.index * 2 - 1, 0 }) end
  if not self.windows.preview or self.shown == (hit and hit.id) then return end
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
  if not api.nvim_win_is_valid(self.windows.list) then return end
  local lines = vim.iter(entries):map(function(entry) return { entry.head, '    ' .. entry.detail } end):flatten():totable()
  if #lines == 0 then lines = vim.tbl_map(function(line) return '  ' .. line end, empty) end
  self.entries = entries
  api.nvim_buf_set_lines(self.buffers.list, 0, -1, false, lines)
  api.nvim_win_set_config(self.windows.list, { footer = footer == '' and '' or (' %s '):format(footer) })
  api.nvim_win_set_config(self.windows.prompt, { title = (' %s '):format(title) })
  self:select(index)
end

---Asks for more only when somebody looks for more: answers of twenty come while one types.
function Picker:update(limit, index)
  self.cancel()
  self.limit = limit or 20
  local query = api.nvim_buf_get_lines(self.buffers.prompt, 0, 1, false)[1]
  self.cancel = self.ask(query, { scope = self.scope, limit = self.limit }, function(...) self:show(index or 1, ...) end) or function() end
end

function Picker:close()
  self.cancel()
  self.cancel_preview()
  vim.cmd.stopinsert()
  vim.iter(pairs(self.windows)):each(function(_, window) pcall(api.nvim_win_close, window, true) end)
  pcall(api.nvim_set_current_win, self.origin)
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
  for key, how in pairs({ ['<CR>'] = 'edit', ['<C-s>'] = 'split', ['<C-v>'] = 'vsplit', ['<C-t>'] = 'tabedit' }) do
    take(key, function(hit) verbatim.open(hit.id, how) end)
  end
  take('<C-f>', verbatim.open_file)
  take('<C-y>', function(hit) require('pastwork').context({ ids = { hit.id } }) end)
  for key, by in pairs({ ['<C-n>'] = 1, ['<Down>'] = 1, ['<C-p>'] = -1, ['<Up>'] = -1 }) do
    map(key, function() self:select(self.index + by) end)
  end
  for key, scroll in pairs({ ['<C-d>'] = '\4', ['<C-u>'] = '\21' }) do
    local function move() vim.cmd.normal({ scroll, bang = true }) end
    map(key, function() api.nvim_win_call(self.windows.preview or 0, move) end)
  end
  map('<C-a>', function()
    self.scope = self.scope == 'all' and 'workspace' or 'all'
    self:update()
  end)
  vim.iter({ '<Esc>', '<C-c>' }):each(function(key)
    map(key, function() self:close() end)
  end)
end

---Opens a picker on what `ask` finds for what is typed.
---@param ask fun(query: string, filters: table, show: function): fun()? calls `show` with entries, title, footer, empty; may cancel
function M.open(ask, query)
  local self = setmetatable({ windows = {}, buffers = {}, entries = {}, index = 1, scope = 'workspace', ask = ask }, { __index = Picker })
  self.cancel, self.cancel_preview, self.origin = function() end, function() end, api.nvim_get_current_win()
  self:layout(query or '')
  self:map()
  local function on(events, act) api.nvim_create_autocmd(events, { buffer = self.buffers.prompt, callback = act }) end
  on({ 'TextChangedI', 'TextChanged' }, function() self:update() end)
  on({ 'WinLeave', 'VimResized' }, vim.schedule_wrap(function() self:close() end))
  self:update()
  return self
end

return M
