---Words shown to people; the same as in the other clients. Pure.

local M = {}

local STEPS = { { 60, 'minute' }, { 24, 'hour' }, { 7, 'day' }, { 4.35, 'week' }, { 12, 'month' }, { math.huge, 'year' } }

---Seconds since 1970 of an ISO time in UTC, or nil.
---@param iso? string
---@return integer?
local function seconds(iso)
  local y, mo, d, h, mi, s = (iso or ''):match('^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)')
  if not y then
    return nil
  end
  -- Days since 1970 by the civil calendar; os.time() would take the fields as local time.
  local year, month = tonumber(y), tonumber(mo)
  if month <= 2 then
    year, month = year - 1, month + 12
  end
  local days = 365 * year + math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400)
  days = days + math.floor((153 * (month - 3) + 2) / 5) + tonumber(d) - 1 - 719468
  return days * 86400 + tonumber(h) * 3600 + tonumber(mi) * 60 + tonumber(s)
end

---"3 weeks ago"; "" where the time is not known.
---@param iso? string
---@param now integer seconds since 1970
---@return string
function M.age(iso, now)
  local at = seconds(iso ~= vim.NIL and iso or nil)
  if not at then
    return ''
  end
  local span = math.max(0, now - at) / 60
  if span < 1 then
    return 'just now'
  end
  for _, step in ipairs(STEPS) do
    if span < step[1] then
      local whole = math.floor(span)
      return ('%d %s%s ago'):format(whole, step[2], whole == 1 and '' or 's')
    end
    span = span / step[1]
  end
  return ''
end

---@param text string
---@return string
function M.one_line(text)
  return vim.trim((text:gsub('%s+', ' ')))
end

---What an exchange is called in a list.
---@param hit table
---@return string
function M.headline(hit)
  local core = M.one_line(hit.object.exchange_core)
  local name = core ~= '' and core or M.one_line(hit.prompt)
  return name ~= '' and name or '(empty prompt)'
end

---Agent, age and fix mark in one line.
---@param hit table
---@param now? integer
---@return string
function M.byline(hit, now)
  local parts = { hit.agent, M.age(hit.started_at, now or os.time()), hit.fix and 'fix' or '', hit.open and 'still at work' or '' }
  return table.concat(
    vim.tbl_filter(function(part)
      return part ~= ''
    end, parts),
    ' · '
  )
end

---"wrote line 12-18 · 58 % stands"
---@param match table
---@return string
function M.tier(match)
  if match.tier == 'line' and #match.lines > 0 then
    local runs = vim.tbl_map(function(run)
      return run[1] == run[2] and tostring(run[1]) or ('%d-%d'):format(run[1], run[2])
    end, vim.list_slice(match.lines, 1, 3))
    local stands = type(match.survival) == 'number' and (' · %.0f %% stands'):format(match.survival * 100) or ''
    return 'wrote line ' .. table.concat(runs, ', ') .. stands
  end
  return match.tier == 'symbol' and 'this function' or 'this file'
end

return M
