-- What pastwork does for a user; `:Pastwork` and the <Plug> mappings call these.
local client = require('pastwork.client')
local picker = require('pastwork.picker')
local text = require('pastwork.text')
local M = {}

local function run(name, ...) return { command = 'pastwork.server.' .. name, arguments = { ... } } end

---Searches past work. With a callback it is a source for any picker (:help pastwork-source): the callback gets the
---hits, and the function returned cancels the request. Without one, the picker opens.
---`filters` are further parameters of `pastwork/search`; `failed` gets what went wrong, which is told to the user by default.
---@type fun(query?: string, callback?: fun(hits: table[], answer: table), filters?: table, failed?: fun(message: string)): fun()?
function M.search(query, callback, filters, failed)
  if callback then
    local params = vim.tbl_extend('force', { query = query or '', limit = 50 }, filters or {})
    return client.ask('pastwork/search', params, function(answer) callback(answer.hits, answer) end, failed)
  end
  return picker.open(function(typed, asked, show, told)
    return M.search(typed, function(hits, answer)
      local footer = text.one_line(text.joined({ ('%d found'):format(answer.total), unpack(#hits > 0 and answer.notes or {}) }))
      local nothing = vim.trim(typed) ~= '' and 'Nothing found' or 'No past work here yet'
      local advice = answer.scope == 'all' and 'Try other words, or look at :Pastwork status' or 'Try all work (Ctrl-A), or other words'
      local title = 'Past work ' .. (answer.scope == 'all' and 'anywhere' or 'in this workspace')
      local empty = { nothing, advice, '', client.status and text.status(client.status) or '', unpack(answer.notes) }
      show(vim.tbl_map(picker.entry, hits), title, footer, empty)
    end, asked, told)
  end, query)
end

local function with_history(uri, line, done)
  client.ask('pastwork/history', { textDocument = { uri = uri }, position = line and { line = line - 1, character = 0 } }, function(answer)
    local where = text.one_line(vim.fn.fnamemodify(vim.uri_to_fname(uri), ':~:.')) .. (line and (', line %d'):format(line) or '')
    if #answer.matches > 0 then return done(answer.matches, 'Past work on ' .. where) end
    client.tell(('Past work on %s: %s'):format(where, answer.silence or 'No past work is known.'))
  end)
end

---Past work on a file, or on its line (from 1), in the picker.
function M.history(uri, line)
  with_history(uri, line, function(matches, title)
    picker.choose(title, vim.tbl_map(function(match) return picker.entry(match.hit, text.tier(match)) end, matches))
  end)
end

---Calls `act` with the current buffer's address and the rest, where that is a file.
local function with_file(act, ...)
  if vim.bo.buftype == '' and vim.api.nvim_buf_get_name(0) ~= '' then return act(vim.uri_from_bufnr(0), ...) end
  client.tell('Open a file of the workspace first.')
end

function M.file() with_file(M.history) end
function M.line() with_file(M.history, vim.api.nvim_win_get_cursor(0)[1]) end

---Puts the current file's past work into a list: 'c' is the quickfix list, 'l' the window's location list.
local function list(kind)
  local window, buffer = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_buf()
  local function fill(matches, title)
    local items = {}
    for _, match in ipairs(matches) do
      local label = ('%s (%s)'):format(text.headline(match.hit), text.byline(match.hit))
      for _, lines in ipairs(#match.lines > 0 and match.lines or { { 1, 1 } }) do
        table.insert(items, { bufnr = buffer, lnum = lines[1], end_lnum = lines[2], text = label, user_data = match.hit.id })
      end
    end
    if not pcall(vim.api.nvim_set_current_win, window) then return end
    if kind == 'c' then vim.fn.setqflist({}, ' ', { title = title, items = items }) end
    if kind == 'l' then vim.fn.setloclist(window, {}, ' ', { title = title, items = items }) end
    vim.cmd(kind .. 'open')
  end
  with_file(with_history, nil, fill)
end

function M.quickfix() list('c') end
function M.loclist() list('l') end

---Rooms, or the exchanges of one (`type:key`), in the picker.
function M.rooms(room)
  local function one(each)
    local act = function() M.rooms(('%s:%s'):format(each.room_type, each.room_key)) end
    return { head = '  ' .. text.one_line(each.room_label), detail = ('%d · %s'):format(each.exchanges, each.room_type), act = act }
  end
  client.ask('pastwork/rooms', { room = room, limit = 500 }, function(answer)
    if room then return picker.choose('Room: ' .. text.one_line(answer.room.room_label), vim.tbl_map(picker.entry, answer.hits)) end
    if #answer.rooms == 0 then return client.tell('No rooms yet') end
    picker.choose('Rooms of this workspace', vim.tbl_map(one, answer.rooms))
  end)
end

---Copies what an agent may be given: of `{ ids = … }`, `{ room = … }` or `{ file = … }`, else of what is in the buffer.
function M.context(what)
  local name = vim.api.nvim_buf_get_name(0)
  local id, own = require('pastwork.verbatim').id(name), client.all(vim.api.nvim_get_current_buf())[1]
  what = what or id and { ids = { id } } or own and { file = own.root_dir and vim.fs.relpath(own.root_dir, name) or name }
  if not what then return client.tell('Open a file of the workspace first.') end
  client.ask('pastwork/context', what, function(answer)
    if answer.text ~= '' then client.copy(answer.text) end
    client.tell(answer.text ~= '' and 'Copied as context for an agent' or 'Nothing to copy')
  end)
end

---Forgets an exchange for good, that of the current buffer by default, after asking.
function M.forget(id)
  local question = 'Forget this exchange?\n%s\n%s. It is removed for good and stays removed; '
    .. "the agent's own transcript is not touched."
  id = id or require('pastwork.verbatim').id(vim.api.nvim_buf_get_name(0))
  if not id then return client.tell('Open an exchange first, for example from the search.') end
  client.ask('pastwork/exchange', { id = id }, function(answer)
    local asked = question:format(text.headline(answer.hit), text.byline(answer.hit))
    if vim.fn.confirm(asked, '&Forget\n&Keep', 2) ~= 1 then return end
    client.ask('workspace/executeCommand', run('forget', id), function()
      client.tell('Forgotten')
      pcall(vim.cmd.bwipeout, ('pastwork://exchange/%s.md'):format(id))
    end)
  end)
end

function M.status()
  client.ask('pastwork/status', vim.empty_dict(), function(answer) vim.notify(table.concat(text.report(answer), '\n')) end)
end

M.restart = client.restart
function M.reindex() client.ask('workspace/executeCommand', run('reindex')) end
function M.log() vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.log.get_filename())) end
function M.toggle(mode) require('pastwork.marks').toggle(mode) end

---For the statusline, `%{v:lua.require'pastwork'.statusline()}`: "" before the server has spoken, a mark when it has a note.
function M.statusline() return client.status and text.status(client.status) .. (#client.status.notes > 0 and ' !' or '') or '' end

return M
