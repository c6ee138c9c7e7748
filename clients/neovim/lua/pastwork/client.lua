-- The language client: its configuration, its end and restart, requests to the server.
local M = {}

local MISSING = 'the server was not found. Install it with: pipx install pastwork'
---At most so many crashes within so many seconds are followed by a new start.
local CRASHES, WITHIN = 4, 180

local crashes = {} ---@type integer[] times of the last ones
local waiting = {} ---@type { act: fun(client: vim.lsp.Client), failed: fun(message: string) }[] requests made before a server spoke
local last ---@type integer? the client last used

function M.tell(message, level) vim.notify('pastwork: ' .. message, level) end
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

local function with_waiting(act)
  local requests = waiting
  waiting = {}
  vim.iter(requests):each(act)
end

---A crashed server is started again for the same buffers, unless it keeps crashing.
local function revive(client, now)
  crashes = vim.tbl_filter(function(time) return now - time <= WITHIN end, crashes)
  table.insert(crashes, now)
  if #crashes > CRASHES then
    local message = 'The pastwork server keeps ending; it was not started again (:Pastwork log, :Pastwork restart).'
    vim.notify(message, vim.log.levels.ERROR)
    return with_waiting(function(request) request.failed(message) end)
  end
  local buffers = vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.tbl_keys(client.attached_buffers))
  vim.iter(buffers):each(function(buffer) vim.lsp.start(client.config, { bufnr = buffer }) end)
  if #buffers == 0 then vim.lsp.start(client.config, { attach = false }) end
end

local function on_exit(code, signal, id)
  local client = vim.lsp.get_client_by_id(id)
  vim.schedule(function()
    require('pastwork').set_status(nil)
    local meant = (code == 0 and signal == 0) or (vim.lsp.is_enabled and not vim.lsp.is_enabled('pastwork'))
    if vim.v.exiting == vim.NIL and client and not meant then revive(client, os.time()) end
  end)
end

---@return vim.lsp.Config
function M.config()
  local options, problems = require('pastwork.options').read()
  local command = require('pastwork.options').command()
  if not command then table.insert(problems, MISSING) end
  vim.iter(problems):each(function(problem) vim.notify_once('pastwork: ' .. problem, vim.log.levels.WARN) end)
  require('pastwork.marks').setup()
  local function heed(_, status) require('pastwork').set_status(status) end
  local function refresh(...) return require('pastwork.marks').refresh(...) end
  local function on_init(client)
    with_waiting(function(request) request.act(client) end)
    client:request('pastwork/status', vim.empty_dict(), heed)
  end
  return {
    cmd = command or options.cmd,
    root_dir = root_dir,
    init_options = { client = { name = 'neovim', opensHistory = true }, settings = options.settings },
    settings = { pastwork = options.settings },
    capabilities = { workspace = { codeLens = { refreshSupport = true } } },
    handlers = { ['workspace/codeLens/refresh'] = refresh, ['pastwork/statusChanged'] = heed },
    commands = { ['pastwork.openHistory'] = function(lens) require('pastwork').history(unpack(lens.arguments)) end },
    on_init = on_init,
    on_exit = on_exit,
  }
end

---The client of the current buffer, else the one last used, else any; where there is none, one is started.
local function with_client(act, failed)
  local used = vim.tbl_filter(function(client) return client.id == last end, M.all())
  local client = M.all(vim.api.nvim_get_current_buf())[1] or used[1] or M.all()[1]
  last = client and client.id
  if client then return act(client) end
  if not require('pastwork.options').command() then return failed(MISSING) end
  table.insert(waiting, { act = act, failed = failed })
  local config = vim.deepcopy(vim.lsp.config.pastwork)
  config.root_dir = root(vim.api.nvim_get_current_buf())
  vim.lsp.start(config, { attach = false })
end

---Sends a request; `done` gets the answer, `failed` a message (told to the user by default).
---@return fun() cancel
function M.ask(method, params, done, failed)
  failed = failed or function(message) M.tell(message, vim.log.levels.WARN) end
  local wanted, withdraw = true, function() end
  with_client(function(client)
    local sent, number = client:request(method, params, function(err, answer)
      withdraw = function() end
      if wanted and err then return failed(err.message) end
      if wanted and done then done(answer) end
    end)
    if not sent then return failed('the server has ended; see :Pastwork log') end
    withdraw = function() client:cancel_request(number) end
  end, failed)
  return function()
    wanted = false
    withdraw()
  end
end

---Starts every server anew, also after too many crashes.
function M.restart()
  crashes = {}
  if #M.all() == 0 then vim.lsp.enable('pastwork') end
  vim.iter(M.all()):each(function(client) client:stop(true) end)
end

return M
