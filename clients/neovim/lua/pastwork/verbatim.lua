---The drill-down: `pastwork://exchange/<id>.md` as a read-only buffer.

local client = require('pastwork.client')

local M = {}

---@param id string
---@return string
function M.uri(id)
  return ('pastwork://exchange/%s.md'):format(id)
end

---@param buffer integer
---@return string?
local function id_of(buffer)
  return vim.api.nvim_buf_get_name(buffer):match('^pastwork:/*exchange/(%x+)')
end

---Fold expression: a tool call is a third-level heading; everything below it folds, up to the next heading.
---@param line integer
---@return string
function M.fold(line)
  local content = vim.fn.getline(line)
  if content:match('^### ') then
    return '>1'
  end
  return content:match('^##? ') and '0' or '='
end

---@param hit table
---@param name string a recorded path
---@return string? path of a file of the working directory or the exchange's workspace that exists today
local function locate(hit, name)
  local roots = { vim.fn.getcwd() }
  local running = client.get()
  if running and running.root_dir then
    table.insert(roots, 1, running.root_dir)
  end
  local recorded = type(hit.workspace) == 'string' and hit.workspace or nil
  local inside = recorded and vim.startswith(name, recorded .. '/') and name:sub(#recorded + 2) or name
  for _, root in ipairs(roots) do
    local path = vim.fs.normalize(vim.startswith(inside, '/') and inside or (root .. '/' .. inside))
    -- A path that leads out of the folder is never opened.
    if vim.startswith(path, vim.fs.normalize(root) .. '/') and not path:find('/../', 1, true) and vim.uv.fs_stat(path) then
      return path
    end
  end
end

---@param hit table
---@param act fun(path: string)
local function with_file(hit, act)
  local paths = {}
  for _, touched in ipairs(hit.object.files_touched) do
    local path = locate(hit, touched.path)
    if path and not vim.list_contains(paths, path) then
      table.insert(paths, path)
    end
  end
  if #paths == 0 then
    vim.notify('pastwork: none of the files of this exchange exists here today')
  elseif #paths == 1 then
    act(paths[1])
  else
    vim.ui.select(paths, { prompt = 'Which file?' }, function(path)
      if path then
        act(path)
      end
    end)
  end
end

---@param hit table
function M.open_file(hit)
  with_file(hit, function(path)
    vim.cmd.edit(vim.fn.fnameescape(path))
  end)
end

---@param id string
function M.copy_resume(id)
  client.ask('pastwork/exchange', { id = id }, function(answer)
    if type(answer.resume) ~= 'string' then
      return vim.notify('pastwork: this agent has no command that resumes the session')
    end
    vim.fn.setreg('+', answer.resume)
    vim.fn.setreg('"', answer.resume)
    vim.notify(answer.resume)
  end)
end

---Opens a diff between what the exchange wrote and the file now.
---@param answer table
local function compare(answer)
  with_file(answer.hit, function(path)
    local params = { id = answer.id, textDocument = { uri = vim.uri_from_fname(path) } }
    client.ask('pastwork/written', params, function(written)
      vim.cmd.tabedit(vim.fn.fnameescape(path))
      local filetype = vim.bo.filetype
      vim.cmd.diffthis()
      vim.cmd('leftabove vnew')
      local buffer = vim.api.nvim_get_current_buf()
      vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split((written.text:gsub('\n$', '')), '\n'))
      vim.bo[buffer].buftype, vim.bo[buffer].bufhidden = 'nofile', 'wipe'
      vim.bo[buffer].modifiable, vim.bo[buffer].filetype = false, filetype
      vim.api.nvim_buf_set_name(buffer, ('pastwork://written/%s/%s'):format(answer.id, vim.fs.basename(path)))
      vim.cmd.diffthis()
    end)
  end)
end

---@param id string|userdata|nil
---@param which string
local function step(id, which)
  if type(id) == 'string' then
    M.open(id)
  else
    vim.notify(('pastwork: this is the %s exchange of its session'):format(which))
  end
end

---@param buffer integer
---@param answer table
local function fill(buffer, answer)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(answer.markdown, '\n'))
  vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
  vim.bo[buffer].filetype = 'markdown'
  pcall(vim.treesitter.start, buffer, 'markdown')
  local keys = {
    [']x'] = function()
      step(answer.next, 'last')
    end,
    ['[x'] = function()
      step(answer.previous, 'first')
    end,
    gf = function()
      local path = locate(answer.hit, vim.fn.expand('<cfile>'))
      if path then
        vim.cmd.edit(vim.fn.fnameescape(path))
      else
        M.open_file(answer.hit)
      end
    end,
    q = function()
      vim.cmd.bdelete()
    end,
    r = function()
      M.copy_resume(answer.id)
    end,
    d = function()
      compare(answer)
    end,
  }
  for key, act in pairs(keys) do
    vim.keymap.set('n', key, act, { buffer = buffer, nowait = true, desc = 'pastwork' })
  end
end

---Fills the buffer of a `pastwork://exchange/…` name (BufReadCmd).
---@param buffer integer
function M.read(buffer)
  vim.bo[buffer].buftype, vim.bo[buffer].swapfile = 'nofile', false
  local id = id_of(buffer)
  if not id then
    return
  end
  client.ask('pastwork/exchange', { id = id }, function(answer)
    if vim.api.nvim_buf_is_valid(buffer) then
      fill(buffer, answer)
      for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
        vim.wo[window][0].foldmethod = 'expr'
        vim.wo[window][0].foldexpr = "v:lua.require'pastwork.verbatim'.fold(v:lnum)"
        vim.wo[window][0].foldlevel = 0
        vim.wo[window][0].wrap = true
      end
    end
  end)
end

---@param id string
function M.open(id)
  vim.cmd.edit(vim.fn.fnameescape(M.uri(id)))
end

return M
