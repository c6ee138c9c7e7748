---A floating picker with preview: a prompt, a list, and the exchange under the cursor.

local text = require('pastwork.text')

local M = {}

local DEBOUNCE_MS = 40
local namespace = vim.api.nvim_create_namespace('pastwork.picker')

---@class pastwork.Entry
---@field hit table
---@field note? string

---@class pastwork.Picker
---@field title string
---@field live? fun(query: string, scope: string, show: fun(entries: pastwork.Entry[], footer: string)): fun() Asks; returns a cancel.
---@field entries? pastwork.Entry[] Fixed entries, filtered by what is typed.
---@field empty string What is said when there is nothing.

---@param lines string[]
---@param config table
---@param enter boolean
local function float(lines, config, enter)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  local window = vim.api.nvim_open_win(buffer, enter, vim.tbl_extend('force', { relative = 'editor', style = 'minimal', border = 'rounded' }, config))
  return buffer, window
end

---@param title string
local function layout(title)
  local width, height = math.min(vim.o.columns - 4, 160), math.min(vim.o.lines - 6, 36)
  local row, col = math.floor((vim.o.lines - height) / 2) - 1, math.floor((vim.o.columns - width) / 2)
  local left = vim.o.columns >= 100 and math.floor(width * 0.5) or width
  local ui = {}
  ui.list, ui.list_window = float({}, { row = row + 3, col = col, width = left, height = height - 3, focusable = false }, false)
  if left < width then
    ui.preview, ui.preview_window = float({}, { row = row, col = col + left + 2, width = width - left - 2, height = height, focusable = false }, false)
    vim.bo[ui.preview].filetype = 'markdown'
    vim.wo[ui.preview_window].wrap = true
  end
  ui.prompt, ui.prompt_window = float({ '' }, { row = row, col = col, width = left, height = 1, title = ' ' .. title .. ' ' }, true)
  vim.wo[ui.list_window].cursorline = true
  vim.bo[ui.prompt].filetype = 'pastwork-prompt'
  return ui
end

---@param entry pastwork.Entry
---@return string[]
local function lines_of(entry)
  local hit = entry.hit
  local second = { text.byline(hit), entry.note or '', text.one_line(hit.object.specific_context) }
  return {
    (hit.fix and '! ' or '  ') .. text.headline(hit),
    '    ' .. table.concat(
      vim.tbl_filter(function(part)
        return part ~= ''
      end, second),
      ' · '
    ),
  }
end

---@param ui table
local function preview(ui, entry)
  if not ui.preview then
    return
  end
  if ui.cancel_preview then
    ui.cancel_preview()
  end
  local function put(markdown)
    if vim.api.nvim_buf_is_valid(ui.preview) then
      vim.api.nvim_buf_set_lines(ui.preview, 0, -1, false, vim.split(markdown, '\n'))
    end
  end
  if not entry then
    return put('')
  end
  ui.cancel_preview = require('pastwork.client').ask('pastwork/exchange', { id = entry.hit.id }, function(answer)
    put(answer.markdown)
  end, put)
end

---@param ui table
local function select(ui, index)
  ui.index = math.max(1, math.min(index, #ui.entries))
  if #ui.entries > 0 and vim.api.nvim_win_is_valid(ui.list_window) then
    vim.api.nvim_win_set_cursor(ui.list_window, { ui.index * 2 - 1, 0 })
  end
  preview(ui, ui.entries[ui.index])
end

---@param ui table
local function show(ui, entries, footer, empty)
  if not vim.api.nvim_buf_is_valid(ui.list) then
    return
  end
  ui.entries = entries
  local lines = {}
  for _, entry in ipairs(entries) do
    vim.list_extend(lines, lines_of(entry))
  end
  vim.api.nvim_buf_set_lines(ui.list, 0, -1, false, #lines > 0 and lines or { '  ' .. empty })
  vim.api.nvim_buf_clear_namespace(ui.list, namespace, 0, -1)
  for index = 1, #entries do
    vim.api.nvim_buf_set_extmark(ui.list, namespace, index * 2 - 1, 0, { line_hl_group = 'Comment' })
  end
  vim.api.nvim_win_set_config(ui.list_window, { footer = footer ~= '' and (' ' .. footer .. ' ') or '' })
  select(ui, 1)
end

---@param entries pastwork.Entry[]
---@param query string
local function matching(entries, query)
  local words = vim.split(query:lower(), '%s+', { trimempty = true })
  return vim.tbl_filter(function(entry)
    local all = table.concat(lines_of(entry), ' '):lower()
    return vim.iter(words):all(function(word)
      return all:find(word, 1, true) ~= nil
    end)
  end, entries)
end

---Opens the picker; returns it, for tests and sources.
---@param spec pastwork.Picker
---@param query? string
function M.open(spec, query)
  local origin = vim.api.nvim_get_current_win()
  local ui = layout(spec.title)
  ui.entries, ui.scope = {}, 'workspace'
  local timer = assert(vim.uv.new_timer())
  local cancel = function() end

  local function close()
    cancel()
    if not timer:is_closing() then
      timer:close()
    end
    vim.cmd.stopinsert()
    for _, window in ipairs({ ui.prompt_window, ui.list_window, ui.preview_window }) do
      if vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_win_close(window, true)
      end
    end
    if vim.api.nvim_win_is_valid(origin) then
      vim.api.nvim_set_current_win(origin)
    end
  end

  local function ask()
    local typed = vim.api.nvim_buf_get_lines(ui.prompt, 0, 1, false)[1] or ''
    if spec.entries then
      return show(ui, matching(spec.entries, typed), ('%d'):format(#spec.entries), spec.empty)
    end
    cancel()
    cancel = spec.live(typed, ui.scope, function(entries, footer)
      show(ui, entries, footer, spec.empty)
    end)
  end

  local function deed(act)
    return function()
      local entry = ui.entries[ui.index]
      if entry then
        close()
        act(entry.hit)
      end
    end
  end

  local function map(key, act)
    vim.keymap.set({ 'i', 'n' }, key, act, { buffer = ui.prompt, nowait = true })
  end
  local verbatim = function()
    return require('pastwork.verbatim')
  end
  map('<CR>', deed(function(hit)
    verbatim().open(hit.id)
  end))
  map('<C-f>', deed(function(hit)
    verbatim().open_file(hit)
  end))
  map('<C-y>', deed(function(hit)
    require('pastwork').copy({ ids = { hit.id } })
  end))
  map('<C-r>', deed(function(hit)
    verbatim().copy_resume(hit.id)
  end))
  for _, key in ipairs({ '<C-n>', '<Down>' }) do
    map(key, function()
      select(ui, (ui.index or 0) + 1)
    end)
  end
  for _, key in ipairs({ '<C-p>', '<Up>' }) do
    map(key, function()
      select(ui, (ui.index or 2) - 1)
    end)
  end
  map('<C-a>', function()
    ui.scope = ui.scope == 'all' and 'workspace' or 'all'
    vim.api.nvim_win_set_config(ui.prompt_window, { title = (' %s (%s) '):format(spec.title, ui.scope) })
    ask()
  end)
  map('<Esc>', close)
  map('<C-c>', close)
  vim.api.nvim_create_autocmd('TextChangedI', {
    buffer = ui.prompt,
    callback = function()
      timer:start(DEBOUNCE_MS, 0, vim.schedule_wrap(ask))
    end,
  })
  vim.api.nvim_create_autocmd('WinLeave', { buffer = ui.prompt, once = true, callback = vim.schedule_wrap(close) })
  vim.api.nvim_buf_set_lines(ui.prompt, 0, -1, false, { query or '' })
  vim.cmd.startinsert({ bang = true })
  ask()
  return ui
end

return M
