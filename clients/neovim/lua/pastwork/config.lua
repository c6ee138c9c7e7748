---The language client's configuration.

---Files below a git root share one server; others get their folder.
---@param buffer integer
---@param on_dir fun(root: string)
local function root_dir(buffer, on_dir)
  local name = vim.api.nvim_buf_get_name(buffer)
  if name == '' or name:match('^%a[%w+.-]+://') then
    return
  end
  on_dir(vim.fs.root(buffer, { '.git', '.hg', '.jj' }) or vim.fs.dirname(name))
end

---@return vim.lsp.Config
return function()
  local options = require('pastwork.options').read()
  return {
    cmd = options.cmd,
    root_dir = root_dir,
    init_options = { client = { name = 'neovim', opensHistory = true }, settings = options.settings },
    settings = { pastwork = options.settings },
    capabilities = vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), {
      workspace = { codeLens = { refreshSupport = true } },
    }),
    handlers = {
      -- Neovim 0.11 has no handler of its own for this request.
      ['workspace/codeLens/refresh'] = function()
        require('pastwork.marks').refresh()
        return vim.NIL
      end,
      ['pastwork/statusChanged'] = function(_, status)
        require('pastwork.status').set(status)
      end,
    },
    commands = {
      ['pastwork.openHistory'] = function(command)
        local uri, line = unpack(command.arguments)
        require('pastwork').history(uri, line)
      end,
    },
    on_attach = function(client, buffer)
      require('pastwork.marks').attach(client, buffer)
    end,
  }
end
