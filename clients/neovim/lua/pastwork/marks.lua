---Lenses and annotations: what is drawn into the user's buffers. Nothing here shifts text.

local client = require('pastwork.client')
local text = require('pastwork.text')
local api = vim.api

local M = {}

local WIDTH = 120
local namespace = api.nvim_create_namespace('pastwork')
local timer = assert(vim.uv.new_timer())

---@alias pastwork.Authors table<integer, { label: string, first: integer }> by line; `first` is the first line of its run
local known = {} ---@type table<integer, { tick: integer, authors: pastwork.Authors }> by buffer
local chosen ---@type 'off'|'line'|'all'|nil

local function option(name) return require('pastwork.options').read()[name] end
local function mode() return chosen or option('annotations') end
local function clear(buffer) api.nvim_buf_clear_namespace(buffer, namespace, 0, -1) end

---@return pastwork.Authors
local function authors_of(matches)
  local authors = {}
  for _, match in ipairs(matches) do
    local label = vim.fn.strcharpart(text.joined({ text.headline(match.hit), text.byline(match.hit) }), 0, WIDTH)
    for _, run in ipairs(match.tier == 'line' and match.lines or {}) do
      for line = run[1], run[2] do
        authors[line] = { label = label, first = run[1] }
      end
    end
  end
  return authors
end

local function draw(buffer, authors)
  clear(buffer)
  local here, last = api.nvim_win_get_cursor(0)[1], api.nvim_buf_line_count(buffer)
  for line, author in pairs(mode() == 'all' and authors or { [here] = authors[here] }) do
    -- A run of lines by one exchange is labelled once.
    if line <= last and (mode() == 'line' or line == author.first) then
      local chunk = { '  ' .. author.label, 'PastworkAnnotation' }
      api.nvim_buf_set_extmark(buffer, namespace, line - 1, 0, { virt_text = { chunk }, hl_mode = 'combine' })
    end
  end
end

---Draws what the mode asks for in the current buffer.
local function annotate()
  local buffer = api.nvim_get_current_buf()
  local tick = api.nvim_buf_get_changedtick(buffer)
  local function show()
    if api.nvim_get_current_buf() == buffer and vim.fn.mode() == 'n' then draw(buffer, known[buffer].authors) end
  end
  if mode() == 'off' or #client.all(buffer) == 0 then return clear(buffer) end
  if known[buffer] and known[buffer].tick == tick then return show() end
  client.ask('pastwork/history', { textDocument = vim.lsp.util.make_text_document_params(buffer) }, function(answer)
    known[buffer] = { tick = tick, authors = authors_of(answer.matches) }
    show()
  end, function() end)
end

local function later() timer:start(option('annotation_delay'), 0, vim.schedule_wrap(annotate)) end

local function lens(buffer)
  for _, attached in ipairs(option('lens') and client.all(buffer) or {}) do
    if vim.lsp.codelens.enable then -- Neovim 0.12, which asks by itself
      vim.lsp.codelens.enable(true, { client_id = attached.id })
    else
      local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
      attached:request('textDocument/codeLens', params, vim.lsp.codelens.on_codelens, buffer)
    end
  end
end

local function watch(buffer, group)
  local function on(events, act) api.nvim_create_autocmd(events, { group = group, buffer = buffer, callback = act }) end
  api.nvim_clear_autocmds({ group = group, buffer = buffer })
  on({ 'BufEnter', 'InsertLeave', 'BufWritePost', 'TextChanged' }, function() lens(buffer) end)
  on({ 'BufEnter', 'InsertLeave', 'InsertEnter', 'CursorMoved', 'TextChanged' }, function(event)
    if mode() == 'line' or event.event == 'InsertEnter' then clear(buffer) end
    later()
  end)
  on('BufUnload', function() known[buffer] = nil end)
end

---Has buffers watched once a server of ours is attached to them.
function M.setup()
  local group = api.nvim_create_augroup('pastwork.marks', { clear = true })
  api.nvim_set_hl(0, 'PastworkAnnotation', { default = true, link = 'Comment' })
  local function changed(event)
    local its = vim.lsp.get_client_by_id(event.data.client_id)
    if not its or its.name ~= 'pastwork' then return end
    known[event.buf] = nil
    if event.event == 'LspDetach' then return clear(event.buf) end
    watch(event.buf, group)
    lens(event.buf)
    later()
  end
  api.nvim_create_autocmd({ 'LspAttach', 'LspDetach' }, { group = group, callback = changed })
end

---The store has changed (`workspace/codeLens/refresh`, for which Neovim 0.11 has no handler of its own).
function M.refresh(...)
  known = {}
  later()
  local own = vim.lsp.handlers['workspace/codeLens/refresh']
  if own then return own(...) end
  for _, running in ipairs(client.all()) do
    vim.iter(pairs(running.attached_buffers)):each(lens)
  end
  return vim.NIL
end

---off -> line -> all -> off, for this Neovim.
---@param wanted? 'off'|'line'|'all'
function M.toggle(wanted)
  chosen = wanted or ({ off = 'line', line = 'all', all = 'off' })[mode()]
  client.tell('annotations: ' .. chosen)
  annotate()
end

return M
