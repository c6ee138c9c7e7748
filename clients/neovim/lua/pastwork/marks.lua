-- Lenses and annotations: what is drawn into the user's buffers. Nothing here shifts text.
local client = require('pastwork.client')
local text = require('pastwork.text')
local api = vim.api
local M = {}
local namespace = api.nvim_create_namespace('pastwork')
local timer = assert(vim.uv.new_timer())
local known = {} ---@type table<integer, { tick: integer, matches: table[] }> past work by buffer
local chosen ---@type 'off'|'line'|'all'|nil

local function option(name) return require('pastwork.options').read()[name] end
local function mode() return chosen or option('annotations') end
local function clear(buffer) api.nvim_buf_clear_namespace(buffer, namespace, 0, -1) end

---Labels the cursor's line, or every run of lines by one exchange once.
local function draw(buffer, matches)
  clear(buffer)
  local all, here, last = mode() == 'all', api.nvim_win_get_cursor(0)[1], api.nvim_buf_line_count(buffer)
  for _, match in ipairs(matches) do
    local label = vim.fn.strcharpart(text.joined({ text.headline(match.hit), text.byline(match.hit) }), 0, 120)
    for _, run in ipairs(match.tier == 'line' and match.lines or {}) do
      local line = all and run[1] or run[1] <= here and here <= run[2] and here
      local mark = { virt_text = { { '  ' .. label, 'PastworkAnnotation' } }, hl_mode = 'combine' }
      if line and line <= last then api.nvim_buf_set_extmark(buffer, namespace, line - 1, 0, mark) end
    end
  end
end

local function annotate()
  local buffer = api.nvim_get_current_buf()
  local tick = api.nvim_buf_get_changedtick(buffer)
  local function show()
    if api.nvim_get_current_buf() == buffer and vim.fn.mode() == 'n' then draw(buffer, known[buffer].matches) end
  end
  if mode() == 'off' or #client.all(buffer) == 0 then return clear(buffer) end
  if known[buffer] and known[buffer].tick == tick then return show() end
  client.ask('pastwork/history', { textDocument = vim.lsp.util.make_text_document_params(buffer) }, function(answer)
    known[buffer] = { tick = tick, matches = answer.matches }
    show()
  end, function() end)
end

local function later() timer:start(option('annotation_delay'), 0, vim.schedule_wrap(annotate)) end

local function lens(buffer, event)
  local codelens, params = vim.lsp.codelens, { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  for _, attached in ipairs(option('lens') and client.all(buffer) or {}) do
    if not codelens.enable then attached:request('textDocument/codeLens', params, codelens.on_codelens, buffer) end
    -- Neovim 0.12 asks by itself, in every buffer that is attached when it is told to.
    if codelens.enable and event == 'LspAttach' then codelens.enable(true, { client_id = attached.id }) end
  end
end

function M.setup()
  local group = api.nvim_create_augroup('pastwork.marks', { clear = true })
  local function on(events, act)
    local function ours(event) return #client.all(event.buf) > 0 and act(event.buf, event.event) and nil end
    api.nvim_create_autocmd(events, { group = group, callback = ours })
  end
  api.nvim_set_hl(0, 'PastworkAnnotation', { default = true, link = 'Comment' })
  on({ 'LspAttach', 'BufEnter', 'InsertLeave', 'BufWritePost', 'TextChanged' }, lens)
  on({ 'LspAttach', 'BufEnter', 'InsertLeave', 'InsertEnter', 'CursorMoved', 'TextChanged' }, function(buffer, event)
    if mode() == 'line' or event == 'InsertEnter' then clear(buffer) end
    later()
  end)
  on('LspDetach', clear)
end

---The store has changed (`workspace/codeLens/refresh`, for which Neovim 0.11 has no handler of its own).
function M.refresh(...)
  known = {}
  later()
  local own = vim.lsp.handlers['workspace/codeLens/refresh']
  if own then return own(...) end
  vim.iter(client.all()):each(function(running) vim.tbl_map(lens, vim.tbl_keys(running.attached_buffers)) end)
  return vim.NIL
end

---off -> line -> all -> off, for this Neovim.
function M.toggle(wanted)
  chosen = wanted or ({ off = 'line', line = 'all', all = 'off' })[mode()]
  client.tell('annotations: ' .. chosen)
  annotate()
end

return M
