---What the server last said of itself, for the statusline.

local M = {}

---@type table?
local last

---@param status table
function M.set(status)
  last = status
  vim.api.nvim_exec_autocmds('User', { pattern = 'PastworkStatus', data = status })
end

---"pastwork 1240", or "pastwork 30/225" while indexing, "pastwork !" with a problem, "" before the first word.
---@return string
function M.line()
  if not last then
    return ''
  end
  if last.index.state == 'running' then
    return ('pastwork %d/%d'):format(last.index.done, last.index.total)
  end
  if last.notes and #last.notes > 0 then
    return 'pastwork !'
  end
  local exchanges = 0
  for _, agent in pairs(last.agents) do
    exchanges = exchanges + agent.exchanges
  end
  return ('pastwork %d'):format(exchanges)
end

return M
