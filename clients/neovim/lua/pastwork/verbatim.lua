-- The drill-down: `pastwork://exchange/<id>.md` as a read-only buffer, and what it wrote beside the file today.
local client = require('pastwork.client')
local text = require('pastwork.text')
local M = {}
local COLOURS = { ['+'] = 'Added', ['-'] = 'Removed' }
local folds = {} ---@type table<integer, string[]> buffer -> fold level of each line

---The id of the exchange that a buffer of this name shows.
function M.id(name) return name:match('^pastwork:/*exchange/(%x+)') end

---Runs a command that opens `name`, whatever characters it is made of; tells what Neovim has against it.
local function run(command, name)
  local done, why = pcall(vim.cmd, { cmd = command, args = { name }, magic = { file = false, bar = false } })
  return done or client.warn((why:gsub('^.-(E%d+:)', '%1')))
end

---`how` is the command that opens it; by default it takes the place of what is in the window.
function M.open(id, how)
  local origin = vim.api.nvim_get_current_buf()
  local done = run(how or 'edit', ('pastwork://exchange/%s.md'):format(id))
  if done and not how and not M.id(vim.api.nvim_buf_get_name(origin)) then vim.w.pastwork_origin = origin end
end

---A tool call is a heading of the third level: it folds with its diff and output, up to the next heading.
---Headings inside a code block are none; a block ends with the very back-ticks that it began with. Also: colours of diffs.
function M.folds(lines)
  local levels, colours, fence, diff = {}, {}, nil, false
  for number, line in ipairs(lines) do
    local heading = not fence and line:match('^(##?#?) ')
    levels[number] = heading and (heading == '###' and '>1' or '0') or '='
    if levels[number] == '0' and lines[number - 1] == '' then levels[number - 1] = '0' end
    colours[number] = fence and diff and COLOURS[line:sub(1, 1)] or nil
    diff = fence and diff or line:find('^```+diff$') ~= nil
    fence = line ~= fence and (fence or line:match('^```+')) or nil
  end
  return levels, colours
end

function M.foldexpr() return (folds[vim.api.nvim_get_current_buf()] or {})[vim.v.lnum] or '0' end

---A recorded path as a file of today's workspace; what leads out of it is never opened.
local function locate(hit, name)
  local inside = hit.workspace and vim.startswith(name, hit.workspace .. '/') and name:sub(#hit.workspace + 2) or name
  local roots = vim.tbl_map(function(each) return each.root_dir end, client.all())
  for _, folder in ipairs(vim.list_extend(roots, { vim.uv.cwd() })) do
    local path = vim.fs.normalize(vim.startswith(inside, '/') and inside or vim.fs.joinpath(folder, inside), { expand_env = false })
    if vim.startswith(path, vim.fs.normalize(folder) .. '/') and vim.fn.filereadable(path) == 1 then return path end
  end
end

---Calls `act` with a file that the exchange wrote (or else touched) and that exists today; asks where there are several.
local function with_file(hit, act)
  local paths = vim.iter(text.paths(hit)):map(function(name) return locate(hit, name) end):totable()
  if #paths == 0 then return client.tell('None of the files of this exchange exists in this workspace today.') end
  if #paths == 1 then return act(paths[1]) end
  local choice = { prompt = 'Which file?', format_item = function(path) return vim.fn.fnamemodify(path, ':.') end }
  vim.ui.select(paths, choice, function(path) return path and act(path) end)
end

function M.open_file(hit)
  with_file(hit, function(path) run('edit', path) end)
end

local function step(which, last)
  return function(answer)
    if answer[which] then return M.open(answer[which]) end
    client.tell(('This is the %s exchange of its session.'):format(last))
  end
end

---@type table<string, fun(answer: table)> what the keys of an exchange's buffer do
local keys = { [']x'] = step('next', 'last'), ['[x'] = step('previous', 'first') }

---Opens what is named under the cursor, in a heading's code, or any file that was written.
function keys.gf(answer)
  local name, line, column = vim.fn.expand('<cfile>'), vim.api.nvim_get_current_line(), vim.fn.col('.')
  for from, span, to in line:gmatch('()`([^`]+)`()') do
    if vim.startswith(line, '### ') or from <= column and column < to then name = span end
  end
  local path = locate(answer.hit, name)
  if M.id(name) then return M.open(M.id(name)) end
  if path then return run('edit', path) end
  M.open_file(answer.hit)
end

---Shows the buffer that the window had before, or closes it where there is none.
function keys.q()
  local origin = vim.w.pastwork_origin
  if origin and vim.api.nvim_buf_is_valid(origin) then return vim.api.nvim_win_set_buf(0, origin) end
  if not pcall(vim.cmd.close) then vim.cmd.enew() end
end

function keys.r(answer)
  if not answer.resume then return client.tell('This agent has no command that resumes the session.') end
  client.copy(answer.resume)
  client.tell('Copied: ' .. text.one_line(answer.resume))
end

---Opens a diff between what the exchange wrote and the file now; `q` in the left window ends it.
function keys.d(answer)
  with_file(answer.hit, function(path)
    client.ask('pastwork/written', { id = answer.id, textDocument = { uri = vim.uri_from_fname(path) } }, function(written)
      if not run('tabedit', path) then return end
      local filetype, ends = vim.bo.filetype, vim.bo.fileformat == 'dos' and '\r\n' or '\n'
      vim.cmd('diffthis | leftabove vnew')
      vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split((written.text:gsub(ends, '\n'):gsub('\n$', '')), '\n'))
      vim.api.nvim_buf_set_name(0, ('pastwork://written/%s/%d/%s'):format(answer.id, vim.fn.bufnr(), vim.fs.basename(path)))
      vim.bo.buftype, vim.bo.bufhidden, vim.bo.modifiable, vim.bo.syntax = 'nofile', 'wipe', false, filetype
      vim.keymap.set('n', 'q', '<Cmd>tabclose<CR>', { buffer = true, nowait = true })
      vim.cmd.diffthis()
      if written.note then client.tell(written.note) end
    end)
  end)
end

---Sets up the window that an exchange's buffer was put into (BufWinEnter).
function M.dress()
  local options = vim.wo[0][0]
  options.foldmethod, options.foldexpr, options.foldlevel = 'expr', "v:lua.require'pastwork.verbatim'.foldexpr()", 0
  options.foldtext, options.fillchars, options.wrap, options.linebreak, options.conceallevel = '', 'fold: ', true, true, 2
  vim.bo.buflisted = false
end

local function fill(buffer, answer, left)
  local lines = vim.split(answer.markdown, '\n')
  local levels, colours = M.folds(lines)
  folds[buffer] = levels
  vim.bo[buffer].modifiable, vim.bo[buffer].undolevels = true, -1
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable, vim.bo[buffer].filetype = false, 'markdown'
  pcall(vim.treesitter.start, buffer, 'markdown')
  pcall(vim.api.nvim_win_set_cursor, vim.fn.bufwinid(buffer), left)
  local mark, space = vim.api.nvim_buf_set_extmark, vim.api.nvim_create_namespace('pastwork.diff')
  vim.iter(pairs(colours)):each(function(number, colour) mark(buffer, space, number - 1, 0, { line_hl_group = colour }) end)
  for key, act in pairs(keys) do
    vim.keymap.set('n', key, function() act(answer) end, { buffer = buffer, nowait = true, desc = 'pastwork' })
  end
end

---Fills the buffer of a `pastwork://exchange/…` name (BufReadCmd).
function M.read(buffer)
  local id, left = M.id(vim.api.nvim_buf_get_name(buffer)) or '-', vim.api.nvim_buf_get_mark(buffer, '"') -- where the cursor was
  vim.bo[buffer].buftype, vim.bo[buffer].swapfile = 'nowrite', false
  local function show(answer) return vim.api.nvim_buf_is_valid(buffer) and fill(buffer, answer, left) end
  client.ask('pastwork/exchange', { id = id }, show)
end

return M
