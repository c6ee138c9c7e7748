-- The language client: its configuration, its end and restart, requests to the server.
local M = {}
local MISSING = 'the server was not found. Install it with: pipx install pastwork'
---So many crashes, each within so many seconds of the one before, are followed by a new start.
local CRASHES, WITHIN = 4, 180
local crashes, crashed = 0, 0 -- how many of these, and when the last was
local last ---@type integer? the client last used
---`client`: the number of the one that was asked, nil while there is none; `root`: its workspace.
---@alias pastwork.Request { method: string, params: table, done?: fun(answer: table), failed: fun(message: string), client?: integer, root?: string }
local open = {} ---@type table<pastwork.Request, fun()> what was asked and not answered yet -> withdraws it

function M.tell(message, level) vim.notify('pastwork: ' .. require('pastwork.text').one_line(message), level) end
function M.warn(message) M.tell(message, vim.log.levels.WARN) end
function M.copy(text)
  vim.fn.setreg('"', text)
  if vim.fn.has('clipboard') == 1 then vim.fn.setreg('+', text) end
end

function M.all(buffer) return vim.lsp.get_clients({ name = 'pastwork', bufnr = buffer }) end
local function is_file(name) return name ~= '' and not name:match('^%a[%w+.-]+://') end

---The workspace of what is open; nil where it would be all of the home folder.
local function root(buffer)
  local name, here, home = vim.api.nvim_buf_get_name(buffer), vim.uv.cwd() or '/', vim.fs.normalize('~')
  local path = is_file(name) and vim.fs.dirname(name) or here
  local inside = here ~= home and vim.startswith(path .. '/', here .. '/')
  local found = vim.fs.root(path, { '.git', '.hg', '.jj' }) or (inside and here or path)
  return found ~= home and found ~= '/' and found or nil
end

---Commit messages and the like are no work of a project, and are written in a hurry.
local function root_dir(buffer, on_dir)
  local name = vim.api.nvim_buf_get_name(buffer)
  if is_file(name) and not name:find('/.git/', 1, true) and require('pastwork.options').command() then on_dir(root(buffer)) end
end

local function fail(request, message)
  open[request] = nil
  request.failed(message)
end

---Asks a client what nobody was asked yet; another workspace's questions are not for it.
local function send(request, client)
  if request.client or (request.root or client.root_dir) ~= client.root_dir then return end
  local sent, number = client:request(request.method, request.params, function(err, answer)
    if not open[request] then return end
    if err then return fail(request, err.message) end
    open[request] = nil
    if request.done then request.done(answer) end
  end)
  if not sent then return fail(request, 'the server has ended; see :Pastwork log') end
  request.client, request.root = client.id, client.root_dir
  open[request] = function() client:cancel_request(number) end
end

---What the server says of itself; nil where none is running.
local function heed(_, status)
  M.status = status
  vim.api.nvim_exec_autocmds('User', { pattern = 'PastworkStatus', data = status })
  vim.cmd.redrawstatus({ bang = true })
end

---A crashed server is started again for the same buffers, unless it keeps crashing.
local function revive(client, now)
  crashes, crashed = now - crashed <= WITHIN and crashes + 1 or 1, now
  if crashes > CRASHES then
    local message = 'The pastwork server keeps ending; it was not started again (:Pastwork log, :Pastwork restart).'
    vim.notify(message, vim.log.levels.ERROR)
    return vim.iter(vim.tbl_keys(open)):each(function(request) return request.client or fail(request, message) end)
  end
  local buffers = vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.tbl_keys(client.attached_buffers))
  vim.iter(buffers):each(function(buffer) vim.lsp.start(client.config, { bufnr = buffer }) end)
  if #buffers == 0 then vim.lsp.start(client.config, { attach = false }) end
end

---What it did not answer is asked again.
local function on_exit(code, signal, id)
  local client = vim.lsp.get_client_by_id(id)
  vim.schedule(function()
    heed()
    local meant = (code == 0 and signal == 0) or (vim.lsp.is_enabled and not vim.lsp.is_enabled('pastwork'))
    vim.iter(pairs(open)):each(function(request) request.client = request.client ~= id and request.client or nil end)
    if vim.v.exiting == vim.NIL and client and not meant then revive(client, os.time()) end
  end)
end

function M.config()
  local options, problems = require('pastwork.options').read()
  local command = require('pastwork.options').command()
  if not command then table.insert(problems, MISSING) end
  vim.iter(problems):each(function(problem) vim.notify_once('pastwork: ' .. problem, vim.log.levels.WARN) end)
  local marks = require('pastwork.marks')
  marks.setup()
  return {
    cmd = command or options.cmd,
    root_dir = root_dir,
    init_options = { client = { name = 'neovim', opensHistory = true }, settings = options.settings },
    settings = { pastwork = options.settings },
    capabilities = { workspace = { codeLens = { refreshSupport = true } } },
    handlers = { ['workspace/codeLens/refresh'] = marks.refresh, ['pastwork/statusChanged'] = heed },
    commands = { ['pastwork.openHistory'] = function(lens) require('pastwork').history(unpack(lens.arguments)) end },
    on_init = function(client)
      vim.iter(vim.tbl_keys(open)):each(function(request) send(request, client) end)
      client:request('pastwork/status', vim.empty_dict(), heed)
    end,
    on_exit = on_exit,
  }
end

---Sends a request to the server of the current buffer, else the one last used, else any; where there is none, one is started.
---`done` gets the answer, `failed` a message (told to the user by default). Gives back what cancels it.
function M.ask(method, params, done, failed)
  local request = { method = method, params = params, done = done, failed = failed or M.warn }
  local used = vim.tbl_filter(function(client) return client.id == last end, M.all())
  local client = M.all(vim.api.nvim_get_current_buf())[1] or used[1] or M.all()[1]
  last, open[request] = client and client.id, function() end
  if client then
    send(request, client)
  elseif require('pastwork.options').command() then
    local config = vim.deepcopy(vim.lsp.config.pastwork)
    config.root_dir = root(vim.api.nvim_get_current_buf())
    vim.lsp.start(config, { attach = false })
  else
    fail(request, MISSING)
  end
  return function()
    local withdraw = open[request] or function() end
    open[request] = nil
    withdraw()
  end
end

---Starts every server anew, also after too many crashes.
function M.restart()
  crashes = 0
  if #M.all() == 0 then vim.lsp.enable('pastwork') end
  vim.iter(M.all()):each(function(client) client:stop(true) end)
end

return M
