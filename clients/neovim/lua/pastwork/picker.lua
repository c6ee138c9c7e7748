---A floating picker: a prompt, a list, and the exchange under the cursor beside it.

local client = require('pastwork.client')
local text = require('pastwork.text')
local api = vim.api

local M = {}

---Lines of an exchange that the preview shows.
local PREVIEW = 2000
local KEYS = ' ⏎ open · ^F file · ^Y context · ^A scope · ^D ^U scroll '
local namespace = api.nvim_create_namespace('pastwork.picker')

---@class pastwork.Entry
---@field head string
---@field detail string
---@field hit? table
---@field act? fun() What choosing it does; opens the exchange by default.

---@class pastwork.Picker
---@field ask fun(query: string, scope: string, show: fun(entries: pastwork.Entry[], title: string, footer: string, empty: string[])): fun()
local Picker = {}
Picker.__index = Picker

---@return pastwork.Entry
function M.entry(hit, note)
  local context = text.joined({ text.one_line(hit.object.specific_context), text.files(hit) }, ' — ')
  local head = (hit.fix and '! ' or '  ') .. text.headline(hit)
  return { hit = hit, head = head, detail = text.joined({ text.byline(hit), note or '', context }) }
end

---A picker over fixed entries: every word typed must be found in an entry.
---@param title string
---@param entries pastwork.Entry[]
function M.choose(title, entries)
  return M.open(function(query, _, show)
    local words = vim.split(query:lower(), '%s+', { trimempty = true })
    local function matches(entry)
      local all = (entry.head .. ' ' .. entry.detail):lower()
      return vim.iter(words):all(function(word) return all:find(word, 1, true) ~= nil end)
    end
    show(vim.tbl_filter(matches, entries), title, '', { 'No match' })
    return function() end
  end)
end

---Opens the prompt, the list and, where there is room, the preview.
function Picker:layout(query)
  local width, height = math.min(vim.o.columns - 4, 180), math.max(6, math.min(vim.o.lines - 6, 40))
  local top, side = math.max(0, math.floor((vim.o.lines - height - 4) / 2)), math.floor((vim.o.columns - width - 2) / 2)
  local left = width >= 90 and math.floor(width / 2) or width
  local function open(name, row, col, wide, high)
    local place =
      { relative = 'editor', style = 'minimal', border = 'rounded', row = top + row, col = side + col, width = wide, height = high }
    self.buffers[name] = api.nvim_create_buf(false, true)
    vim.bo[self.buffers[name]].bufhidden, vim.bo[self.buffers[name]].filetype = 'wipe', 'pastwork-' .. name
    self.windows[name] = api.nvim_open_win(self.buffers[name], name == 'prompt', place)
  end
  open('list', 3, 0, left, height - 3)
  vim.wo[self.windows.list].cursorline, vim.wo[self.windows.list].wrap = true, false
  if left < width then
    open('preview', 0, left + 2, width - left - 2, height)
    local options = vim.wo[self.windows.preview]
    options.wrap, options.linebreak, options.conceallevel = true, true, 2
    api.nvim_win_set_config(self.windows.preview, { footer = KEYS, footer_pos = 'right' })
    pcall(vim.treesitter.start, self.buffers.preview, 'markdown')
  end
  open('prompt', 0, 0, left, 1)
  vim.bo.buftype = 'prompt'
  vim.fn.prompt_setprompt(self.buffers.prompt, '')
  api.nvim_buf_set_lines(0, 0, -1, false, { query })
  vim.cmd.startinsert({ bang = true })
end

---Puts an exchange into the preview, at the first of the words that were looked for.
function Picker:put(markdown, terms)
  if not api.nvim_win_is_valid(self.windows.preview) then return end
  api.nvim_buf_set_lines(self.buffers.preview, 0, -1, false, vim.list_slice(vim.split(markdown, '\n'), 1, PREVIEW))
  api.nvim_win_call(self.windows.preview, function()
    vim.fn.clearmatches()
    vim.fn.cursor(1, 1)
    if #terms == 0 then return end
    local words = vim.tbl_map(function(term) return vim.fn.escape(term, '\\') end, terms)
    local pattern = '\\c\\V\\(' .. table.concat(words, '\\|') .. '\\)'
    vim.fn.matchadd('Search', pattern)
    vim.fn.search(pattern, 'cW')
    vim.cmd.normal({ 'zz', bang = true })
  end)
end

function Picker:select(index)
  self.index = math.max(1, math.min(index, #self.entries))
  local hit = (self.entries[self.index] or {}).hit
  if #self.entries > 0 then api.nvim_win_set_cursor(self.windows.list, { self.index * 2 - 1, 0 }) end
  if not self.windows.preview or self.shown == (hit and hit.id) then return end
  self.shown = hit and hit.id
  self.cancel_preview()
  if not hit then return self:put('', {}) end
  local function put(markdown) self:put(markdown, hit.why.terms) end
  self.cancel_preview = client.ask('pastwork/exchange', { id = hit.id }, function(answer) put(answer.markdown) end, put)
end

function Picker:show(entries, title, footer, empty)
  if not api.nvim_win_is_valid(self.windows.list) then return end
  local lines = vim.tbl_map(function(entry) return { entry.head, '    ' .. entry.detail } end, entries)
  lines = #lines > 0 and lines or vim.tbl_map(function(line) return '  ' .. line end, empty)
  self.entries = entries
  api.nvim_buf_set_lines(self.buffers.list, 0, -1, false, vim.iter(lines):flatten():totable())
  for index = 1, #entries do
    api.nvim_buf_set_extmark(self.buffers.list, namespace, index * 2 - 1, 0, { line_hl_group = 'Comment' })
  end
  api.nvim_win_set_config(self.windows.list, { footer = footer == '' and '' or (' %s '):format(footer) })
  api.nvim_win_set_config(self.windows.prompt, { title = (' %s '):format(title) })
  self:select(1)
end

function Picker:update()
  self.cancel()
  local query = api.nvim_buf_get_lines(self.buffers.prompt, 0, 1, false)[1] or ''
  self.cancel = self.ask(query, self.scope, function(...) self:show(...) end)
end

function Picker:close()
  self.cancel()
  self.cancel_preview()
  vim.cmd.stopinsert()
  for _, window in pairs(self.windows) do
    if api.nvim_win_is_valid(window) then api.nvim_win_close(window, true) end
  end
  if api.nvim_win_is_valid(self.origin) then api.nvim_set_current_win(self.origin) end
end

---Closes the picker and does something with the chosen entry.
function Picker:take(act)
  local entry = self.entries[self.index]
  if not entry then return end
  self:close()
  vim.schedule(entry.act or function() act(entry.hit) end)
end

function Picker:map()
  local verbatim = require('pastwork.verbatim')
  local function copy(hit) require('pastwork').context({ ids = { hit.id } }) end
  local function map(key, act) vim.keymap.set({ 'i', 'n' }, key, act, { buffer = self.buffers.prompt, nowait = true }) end
  local function take(key, act)
    map(key, function() self:take(act) end)
  end
  for key, how in pairs({ ['<CR>'] = 'edit', ['<C-s>'] = 'split', ['<C-v>'] = 'vsplit', ['<C-t>'] = 'tabedit' }) do
    take(key, function(hit) verbatim.open(hit.id, how) end)
  end
  take('<C-f>', verbatim.open_file)
  take('<C-y>', copy)
  for key, by in pairs({ ['<C-n>'] = 1, ['<Down>'] = 1, ['<C-p>'] = -1, ['<Up>'] = -1 }) do
    map(key, function() self:select(self.index + by) end)
  end
  for key, scroll in pairs({ ['<C-d>'] = '\4', ['<C-u>'] = '\21' }) do
    map(key, function()
      api.nvim_win_call(self.windows.preview or 0, function() vim.cmd.normal({ scroll, bang = true }) end)
    end)
  end
  map('<C-a>', function()
    self.scope = self.scope == 'all' and 'workspace' or 'all'
    self:update()
  end)
  map('<Esc>', function() self:close() end)
  map('<C-c>', function() self:close() end)
end

---Opens a picker that shows what `ask` finds for what is typed; `ask` returns a function that cancels.
function M.open(ask, query)
  local function nothing() end
  local self = setmetatable({ windows = {}, buffers = {}, entries = {}, index = 1, scope = 'workspace', ask = ask }, Picker)
  self.cancel, self.cancel_preview, self.origin = nothing, nothing, api.nvim_get_current_win()
  self:layout(query or '')
  self:map()
  local function on(events, act) api.nvim_create_autocmd(events, { buffer = self.buffers.prompt, callback = act }) end
  on({ 'TextChangedI', 'TextChanged' }, function() self:update() end)
  on({ 'WinLeave', 'VimResized' }, vim.schedule_wrap(function() self:close() end))
  self:update()
  return self
end

return M
