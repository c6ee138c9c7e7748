---What pastwork does for a user; `:Pastwork` and the <Plug> mappings call these.

local client = require('pastwork.client')
local text = require('pastwork.text')

local M = {}

local status ---@type table? what the server last said of itself

---Searches past work. With a callback it is a source for any picker (:help pastwork-source): the callback gets the
---hits, and the function returned cancels the request. Without one, the picker opens.
---@param query? string
---@param callback? fun(hits: table[], answer: table)
---@param filters? table further parameters of `pastwork/search`
function M.search(query, callback, filters)
  if callback then
    local params = vim.tbl_extend('force', { query = query or '', limit = 50 }, filters or {})
    return client.ask('pastwork/search', params, function(answer) callback(answer.hits, answer) end)
  end
  return require('pastwork.picker').open(function(typed, scope, show)
    return M.search(typed, function(hits, answer)
      local entries = vim.tbl_map(require('pastwork.picker').entry, hits)
      local footer = text.joined({ ('%d found'):format(answer.total), unpack(vim.tbl_map(text.one_line, answer.notes)) })
      local nothing = vim.trim(typed) ~= '' and 'Nothing found' or 'No past work here yet'
      local advice = scope == 'all' and 'Try other words, or look at :Pastwork status' or 'Try all work (Ctrl-A), or other words'
      show(entries, 'Past work ' .. (answer.scope == 'all' and 'anywhere' or 'in this workspace'), footer, { nothing, advice })
    end, { scope = scope })
  end, query)
end

local function with_history(uri, line, done)
  local position = line and { line = line - 1, character = 0 }
  client.ask('pastwork/history', { textDocument = { uri = uri }, position = position }, function(answer)
    local where = vim.fn.fnamemodify(vim.uri_to_fname(uri), ':~:.') .. (line and (', line %d'):format(line) or '')
    if #answer.matches > 0 then return done(answer.matches, 'Past work on ' .. where) end
    client.tell(('Past work on %s: %s'):format(where, answer.silence or 'No past work is known.'))
  end)
end

---Past work on a file, or on its line, in the picker.
---@param uri string
---@param line? integer 1-based
function M.history(uri, line)
  with_history(uri, line, function(matches, title)
    local picker = require('pastwork.picker')
    picker.choose(title, vim.tbl_map(function(match) return picker.entry(match.hit, text.tier(match)) end, matches))
  end)
end

---Calls `act` with the current buffer's address, where that is a file.
local function with_file(act)
  local is_file = vim.bo.buftype == '' and vim.api.nvim_buf_get_name(0) ~= ''
  return is_file and act(vim.uri_from_bufnr(0)) or not is_file and client.tell('Open a file of the workspace first.')
end

function M.file() with_file(M.history) end

function M.line()
  with_file(function(uri) M.history(uri, vim.api.nvim_win_get_cursor(0)[1]) end)
end

---The current file's past work in the quickfix or location list.
---@param list 'quickfix'|'loclist'
function M.list(list)
  local window, name = vim.api.nvim_get_current_win(), vim.api.nvim_buf_get_name(0)
  local function fill(matches, title)
    local items = {}
    for _, match in ipairs(matches) do
      local item =
        { filename = name, text = ('%s (%s)'):format(text.headline(match.hit), text.byline(match.hit)), user_data = match.hit.id }
      for _, run in ipairs(#match.lines > 0 and match.lines or { { 1, 1 } }) do
        table.insert(items, vim.tbl_extend('force', item, { lnum = run[1], end_lnum = run[2] }))
      end
    end
    if list == 'quickfix' then vim.fn.setqflist({}, ' ', { title = title, items = items }) end
    if list == 'loclist' then vim.fn.setloclist(window, {}, ' ', { title = title, items = items }) end
    vim.cmd(list == 'quickfix' and 'copen' or 'lopen')
  end
  with_file(function(uri) with_history(uri, nil, fill) end)
end

---A room's exchanges in the picker.
---@param room string `type:key`
function M.room(room)
  client.ask('pastwork/rooms', { room = room, limit = 500 }, function(answer)
    local picker = require('pastwork.picker')
    picker.choose('Room: ' .. text.one_line(answer.room.room_label), vim.tbl_map(picker.entry, answer.hits))
  end)
end

function M.rooms()
  local function entry(room)
    local act = function() M.room(('%s:%s'):format(room.room_type, room.room_key)) end
    return { head = '  ' .. text.one_line(room.room_label), detail = ('%d · %s'):format(room.exchanges, room.room_type), act = act }
  end
  client.ask('pastwork/rooms', { limit = 500 }, function(answer)
    if #answer.rooms == 0 then return client.tell('No rooms yet') end
    require('pastwork.picker').choose('Rooms of this workspace', vim.tbl_map(entry, answer.rooms))
  end)
end

---Calls `act` with the id given, else of the exchange in the current buffer.
local function with_exchange(id, act)
  id = id or require('pastwork.verbatim').id(vim.api.nvim_buf_get_name(0))
  return id and act(id) or not id and client.tell('Open an exchange first, for example from the search.')
end

---Copies what an agent may be given, of the exchange in the current buffer by default.
---@param what? { ids?: string[], room?: string, file?: string }
function M.context(what)
  local function copy(answer)
    client.copy(answer.text)
    client.tell('Copied as context for an agent')
  end
  if what then return client.ask('pastwork/context', what, copy) end
  with_exchange(nil, function(id) M.context({ ids = { id } }) end)
end

---Forgets an exchange for good, that of the current buffer by default, after asking.
---@param given? string id
function M.forget(given)
  local function forget(id)
    client.ask('workspace/executeCommand', { command = 'pastwork.server.forget', arguments = { id } }, function()
      client.tell('Forgotten')
      pcall(vim.cmd.bwipeout, ('pastwork://exchange/%s.md'):format(id))
    end)
  end
  with_exchange(given, function(id)
    client.ask('pastwork/exchange', { id = id }, function(answer)
      local what = ('Forget this exchange? %s (%s). It is removed for good and stays removed; '):format(
        text.headline(answer.hit),
        text.byline(answer.hit)
      )
      local prompt = what .. "the agent's own transcript is not touched."
      vim.ui.select({ 'Forget', 'Keep' }, { prompt = prompt }, function(choice) return choice == 'Forget' and forget(id) end)
    end)
  end)
end

function M.reindex()
  client.ask('workspace/executeCommand', { command = 'pastwork.server.reindex', arguments = {} }, function() end)
end

function M.status()
  client.ask('pastwork/status', vim.empty_dict(), function(answer)
    local lines = { text.status(answer) }
    for name, agent in vim.spairs(answer.agents) do
      local counts = { name, agent.exchanges, agent.sessions, #agent.skipped, agent.expiring }
      local line = ('%-16s %6d exchanges %5d sessions %4d skipped %4d expiring'):format(unpack(counts))
      if agent.exchanges + #agent.skipped > 0 then table.insert(lines, line) end
    end
    table.insert(lines, ('%-16s %6d ready %9d pending'):format('vectors', answer.vectors.ready, answer.vectors.pending))
    vim.notify(table.concat(vim.list_extend(lines, answer.notes), '\n'))
  end)
end

function M.log() vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.log.get_filename())) end

M.restart = client.restart

---@param mode? 'off'|'line'|'all'
function M.toggle(mode) require('pastwork.marks').toggle(mode) end

---@param answer? table the status, nil where no server is running
function M.set_status(answer)
  status = answer
  vim.api.nvim_exec_autocmds('User', { pattern = 'PastworkStatus', data = answer })
end

---For the statusline, `%{v:lua.require'pastwork'.statusline()}`: "" before the server has spoken, a mark when it has a note.
function M.statusline() return status and text.status(status) .. (#status.notes > 0 and ' !' or '') or '' end

return M
