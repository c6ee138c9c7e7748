---What pastwork does for a user; `:Pastwork` and the <Plug> mappings call these.

local client = require('pastwork.client')
local text = require('pastwork.text')

local M = {}

---@param hits table[]
---@return pastwork.Entry[]
local function entries(hits)
  return vim.tbl_map(function(hit)
    return { hit = hit }
  end, hits)
end

---Searches past work. With a callback it is a source for any picker: the callback gets the hits
---(:help pastwork-source) and the function returned cancels the request. Without one, a picker opens.
---@param query? string
---@param callback? fun(hits: table[], answer: table)
---@param filters? table further parameters of `pastwork/search`
function M.search(query, callback, filters)
  if callback then
    local params = vim.tbl_extend('force', { query = query or '', limit = 50 }, filters or {})
    return client.ask('pastwork/search', params, function(answer)
      callback(answer.hits, answer)
    end)
  end
  return require('pastwork.picker').open({
    title = 'Past work',
    empty = 'Nothing found; <C-a> looks at all work',
    live = function(typed, scope, show)
      return M.search(typed, function(hits, answer)
        local notes = #answer.notes > 0 and (' · ' .. answer.notes[1]) or ''
        show(entries(hits), ('%d found in %s%s'):format(answer.total, answer.scope, notes))
      end, { scope = scope })
    end,
  }, query)
end

---@param uri string
---@param line? integer 1-based
---@param done fun(matches: table[], silence: string)
local function ask_history(uri, line, done)
  local position = type(line) == 'number' and { line = line - 1, character = 0 } or nil
  client.ask('pastwork/history', { textDocument = { uri = uri }, position = position }, function(answer)
    done(answer.matches, type(answer.silence) == 'string' and answer.silence or 'No past work is known.')
  end)
end

---Past work on a file, or on its line, in a picker.
---@param uri string
---@param line? integer 1-based
function M.history(uri, line)
  ask_history(uri, line, function(matches, silence)
    if #matches == 0 then
      return vim.notify('pastwork: ' .. silence)
    end
    local found = vim.tbl_map(function(match)
      return { hit = match.hit, note = text.tier(match) }
    end, matches)
    local where = vim.fs.basename(vim.uri_to_fname(uri)) .. (type(line) == 'number' and (' line ' .. line) or '')
    require('pastwork.picker').open({ title = 'Past work on ' .. where, entries = found, empty = 'No match' })
  end)
end

function M.file()
  M.history(vim.uri_from_bufnr(0))
end

function M.line()
  M.history(vim.uri_from_bufnr(0), vim.api.nvim_win_get_cursor(0)[1])
end

---The current file's past work in the quickfix or location list.
---@param list 'quickfix'|'loclist'
function M.list(list)
  local name = vim.api.nvim_buf_get_name(0)
  local window = vim.api.nvim_get_current_win()
  ask_history(vim.uri_from_bufnr(0), nil, function(matches, silence)
    local items = {}
    for _, match in ipairs(matches) do
      local label = ('%s (%s)'):format(text.headline(match.hit), text.byline(match.hit))
      local runs = #match.lines > 0 and match.lines or { { 1, 1 } }
      for _, run in ipairs(runs) do
        table.insert(items, { filename = name, lnum = run[1], end_lnum = run[2], text = label, user_data = { id = match.hit.id } })
      end
    end
    if #items == 0 then
      return vim.notify('pastwork: ' .. silence)
    end
    local what = { title = 'Past work on ' .. vim.fs.basename(name), items = items }
    if list == 'loclist' then
      vim.fn.setloclist(window, {}, ' ', what)
      vim.cmd.lopen()
    else
      vim.fn.setqflist({}, ' ', what)
      vim.cmd.copen()
    end
  end)
end

function M.rooms()
  client.ask('pastwork/rooms', vim.empty_dict(), function(answer)
    if #answer.rooms == 0 then
      return vim.notify('pastwork: no rooms yet')
    end
    vim.ui.select(answer.rooms, {
      prompt = 'Rooms',
      format_item = function(room)
        return ('%s  %s (%d)'):format(room.room_type, room.room_label, room.exchanges)
      end,
    }, function(room)
      if room then
        M.room(('%s:%s'):format(room.room_type, room.room_key))
      end
    end)
  end)
end

---@param room string `type:key`
function M.room(room)
  client.ask('pastwork/rooms', { room = room }, function(answer)
    require('pastwork.picker').open({ title = answer.room.room_label, entries = entries(answer.hits), empty = 'No match' })
  end)
end

---Puts what an agent may be given into the registers.
---@param what { ids?: string[], room?: string, file?: string }
function M.copy(what)
  client.ask('pastwork/context', what, function(answer)
    vim.fn.setreg('+', answer.text)
    vim.fn.setreg('"', answer.text)
    vim.notify('pastwork: copied as context for an agent')
  end)
end

---Forgets the exchange in this buffer, or the one given, after asking.
---@param id? string
function M.forget(id)
  id = id or vim.api.nvim_buf_get_name(0):match('^pastwork:/*exchange/(%x+)')
  if not id then
    return vim.notify('pastwork: open an exchange first, or name its id')
  end
  client.ask('pastwork/exchange', { id = id }, function(answer)
    local question = ('Forget for good: %s?'):format(text.headline(answer.hit))
    vim.ui.select({ 'Keep', 'Forget' }, { prompt = question }, function(choice)
      if choice == 'Forget' then
        client.ask('workspace/executeCommand', { command = 'pastwork.server.forget', arguments = { id } }, function()
          vim.notify('pastwork: forgotten')
        end)
      end
    end)
  end)
end

function M.reindex()
  client.ask('workspace/executeCommand', { command = 'pastwork.server.reindex', arguments = {} }, function() end)
end

function M.status()
  client.ask('pastwork/status', vim.empty_dict(), function(status)
    local lines = {}
    for name, agent in vim.spairs(status.agents) do
      table.insert(lines, ('%-14s %5d exchanges %4d sessions %3d expiring'):format(name, agent.exchanges, agent.sessions, agent.expiring))
    end
    table.insert(lines, ('vectors: %d ready, %d pending'):format(status.vectors.ready, status.vectors.pending))
    vim.list_extend(lines, status.notes or {})
    vim.notify(table.concat(lines, '\n'))
  end)
end

function M.log()
  vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.log.get_filename()))
end

---For the statusline: `%{v:lua.require'pastwork'.statusline()}`.
---@return string
function M.statusline()
  return require('pastwork.status').line()
end

---@param mode? 'off'|'line'|'all'
function M.toggle(mode)
  require('pastwork.marks').toggle(mode)
end

return M
