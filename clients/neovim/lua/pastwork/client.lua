---Requests to the server.

local M = {}

---The running client, preferring the one of the buffer.
---@param buffer? integer
---@return vim.lsp.Client?
function M.get(buffer)
  local own = vim.lsp.get_clients({ name = 'pastwork', bufnr = buffer or vim.api.nvim_get_current_buf() })
  return own[1] or vim.lsp.get_clients({ name = 'pastwork' })[1]
end

---Sends a request; `done` gets the answer, errors are told to the user. Returns a function that cancels it.
---@param method string
---@param params table
---@param done fun(answer: any)
---@param failed? fun(message: string)
---@return fun() cancel
function M.ask(method, params, done, failed)
  local client = M.get()
  failed = failed or function(message)
    vim.notify('pastwork: ' .. message, vim.log.levels.ERROR)
  end
  if not client then
    failed("the server is not running here; open a file, or see :checkhealth pastwork")
    return function() end
  end
  local cancelled = false
  local sent, id = client:request(method, params, function(err, answer)
    if cancelled then
      return
    end
    if err then
      failed(err.message)
    else
      done(answer)
    end
  end)
  if not sent then
    failed('the server has ended; see :Pastwork log')
  end
  return function()
    cancelled = true
    if sent and id then
      client:cancel_request(id)
    end
  end
end

return M
