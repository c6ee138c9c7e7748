---Lenses and annotations: what is drawn into the user's buffers. Nothing here shifts text.

local text = require('pastwork.text')

local M = {}

local namespace = vim.api.nvim_create_namespace('pastwork')
local group = vim.api.nvim_create_augroup('pastwork.marks', { clear = true })
---@type table<integer, { tick: integer, lines: table<integer, string> }>
local blames = {}
---@type table<string, string>
local labels = {}
local timer = assert(vim.uv.new_timer())
---@type 'off'|'line'|'all'|nil
local chosen

---@return 'off'|'line'|'all'
function M.mode()
  return chosen or require('pastwork.options').read().annotations
end

---@param buffer integer
---@param line integer 0-based
---@param id string
local function draw(buffer, line, id)
  local function put(label)
    if vim.api.nvim_buf_is_valid(buffer) and line < vim.api.nvim_buf_line_count(buffer) then
      vim.api.nvim_buf_set_extmark(buffer, namespace, line, 0, {
        id = line + 1,
        virt_text = { { '  ' .. label, 'PastworkAnnotation' } },
        virt_text_pos = 'eol',
        hl_mode = 'combine',
      })
    end
  end
  if labels[id] then
    return put(labels[id])
  end
  require('pastwork.client').ask('pastwork/exchange', { id = id }, function(answer)
    labels[id] = vim.fn.strcharpart(text.headline(answer.hit) .. ' · ' .. text.byline(answer.hit), 0, 100)
    local here = vim.api.nvim_get_current_buf() == buffer and vim.api.nvim_win_get_cursor(0)[1] - 1
    if M.mode() == 'all' or here == line then
      put(labels[id])
    end
  end, function() end)
end

---@param buffer integer
---@param done fun(lines: table<integer, string>)
local function blame(buffer, done)
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  if blames[buffer] and blames[buffer].tick == tick then
    return done(blames[buffer].lines)
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  require('pastwork.client').ask('pastwork/blame', params, function(answer)
    local lines = {}
    for _, entry in ipairs(answer.lines) do
      lines[entry.line] = entry.exchange_id
    end
    blames[buffer] = { tick = tick, lines = lines }
    done(lines)
  end, function() end)
end

---Draws what the mode asks for in the current buffer.
local function annotate()
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local mode = M.mode()
  if mode == 'off' or vim.fn.mode() ~= 'n' or #vim.lsp.get_clients({ bufnr = buffer, name = 'pastwork' }) == 0 then
    return
  end
  blame(buffer, function(lines)
    if vim.api.nvim_get_current_buf() ~= buffer then
      return
    end
    local here = vim.api.nvim_win_get_cursor(0)[1]
    local previous
    for line, id in vim.spairs(mode == 'all' and lines or { [here] = lines[here] }) do
      -- A run of lines by one exchange is labelled once.
      if id ~= previous then
        draw(buffer, line - 1, id)
      end
      previous = id
    end
  end)
end

local function later()
  timer:start(require('pastwork.options').read().annotation_delay, 0, vim.schedule_wrap(annotate))
end

---@param buffer integer
local function lens(buffer)
  if not require('pastwork.options').read().lens then
    return
  end
  if vim.lsp.codelens.enable then -- Neovim 0.12
    vim.lsp.codelens.enable(true, { bufnr = buffer })
  else
    vim.lsp.codelens.refresh({ bufnr = buffer })
  end
end

---@param _ vim.lsp.Client
---@param buffer integer
function M.attach(_, buffer)
  vim.api.nvim_set_hl(0, 'PastworkAnnotation', { default = true, link = 'Comment' })
  vim.api.nvim_clear_autocmds({ group = group, buffer = buffer })
  lens(buffer)
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'BufWritePost' }, {
    group = group,
    buffer = buffer,
    callback = function()
      lens(buffer)
      later()
    end,
  })
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'InsertEnter', 'TextChanged' }, {
    group = group,
    buffer = buffer,
    callback = function()
      if M.mode() == 'line' then
        vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
      end
      later()
    end,
  })
  vim.api.nvim_create_autocmd('BufDelete', {
    group = group,
    buffer = buffer,
    callback = function()
      blames[buffer] = nil
    end,
  })
  later()
end

---The store changed: lenses and annotations are asked for anew.
function M.refresh()
  blames, labels = {}, {}
  for _, client in ipairs(vim.lsp.get_clients({ name = 'pastwork' })) do
    for buffer in pairs(client.attached_buffers) do
      if vim.api.nvim_buf_is_loaded(buffer) then
        lens(buffer)
      end
    end
  end
  later()
end

---off -> line -> all -> off, for this Neovim.
---@param mode? 'off'|'line'|'all'
function M.toggle(mode)
  chosen = mode or ({ off = 'line', line = 'all', all = 'off' })[M.mode()]
  vim.notify('pastwork annotations: ' .. chosen)
  annotate()
end

return M
