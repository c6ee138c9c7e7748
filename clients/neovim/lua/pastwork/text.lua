-- Words shown to people, the same as in the VS Code client (clients/vscode/src/text.ts). Pure.
local M = {}
local STEPS = { { 60, 'minute' }, { 24, 'hour' }, { 7, 'day' }, { 4.35, 'week' }, { 12, 'month' }, { math.huge, 'year' } }
---Controls, bidirectional and invisible characters, tags, in UTF-8: what could mislead a terminal or a reader.
local HIDDEN = { '[%z\1-\31\127]', '\194[\128-\159\173]', '\226\128[\139-\143\168-\174]', '\226\129[\160-\175]' }
vim.list_extend(HIDDEN, { '\239\187\191', '\243\160[\128-\191][\128-\191]' })

---Stands for a hidden character: `␛`, `⟨U+202E⟩`.
local function mark(char)
  local code = #char == 1 and char:byte() or vim.fn.char2nr(char)
  return code < 32 and vim.fn.nr2char(0x2400 + code) or code == 127 and '␡' or ('⟨U+%04X⟩'):format(code)
end

function M.one_line(text)
  local line = vim.trim((text:gsub('%s+', ' ')))
  return vim.iter(HIDDEN):fold(line, function(done, pattern) return (done:gsub(pattern, mark)) end)
end

---Parts that are not empty, as one text.
function M.joined(parts, separator)
  return table.concat(vim.tbl_filter(function(part) return part ~= '' end, parts), separator or ' · ')
end

---Minutes from a time in UTC to `now` (seconds since 1970); nil where it is not known.
local function minutes(iso, now)
  local year, month, day, hour, min, sec = (iso or ''):match('^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)')
  local at = { year = year, month = month, day = day, hour = hour, min = min, sec = sec, isdst = false }
  -- Both are taken for local times, so that their difference is right.
  return year and os.difftime(os.time(os.date('!*t', now)), os.time(at)) / 60
end

---"3 weeks ago"; "" where the time is not known.
function M.age(iso, now)
  local span = minutes(iso, now)
  if not span or span < 1 then return span and 'just now' or '' end
  for _, step in ipairs(STEPS) do
    if span < step[1] then return ('%d %s%s ago'):format(span, step[2], math.floor(span) == 1 and '' or 's') end
    span = span / step[1]
  end
end

---What an exchange is called in a list.
function M.headline(hit)
  local core, prompt = M.one_line(hit.object.exchange_core), M.one_line(hit.prompt)
  return core ~= '' and core or prompt ~= '' and prompt or '(empty prompt)'
end

---Agent, age and what is special, in one line; agents that never say that they are done are not at work for days.
function M.byline(hit, now)
  now = now or os.time()
  local at_work = hit.open and (minutes(hit.started_at, now) or math.huge) < 24 * 60
  return M.joined({ M.one_line(hit.agent), M.age(hit.started_at, now), hit.fix and 'fix' or '', at_work and 'still at work' or '' })
end

---The paths that an exchange wrote, or else looked at.
function M.paths(hit)
  local all = hit.object.files_touched
  local written = vim.tbl_filter(function(file) return file.action ~= 'read' and file.action ~= 'mentioned' end, all)
  return vim.tbl_map(function(file) return file.path end, #written > 0 and written or all)
end

---Those paths as a short list.
function M.files(hit)
  local paths = M.paths(hit)
  local more = #paths > 3 and (' and %d more'):format(#paths - 3) or ''
  return M.one_line(table.concat(vim.list_slice(paths, 1, 3), ', ')) .. more
end

---"wrote lines 12-18 · 58 % stands"
function M.tier(match)
  local other = match.undone and 'undone since' or match.replaced_by and 'replaced since'
  if match.tier ~= 'line' or #match.lines == 0 then return other or (match.tier == 'symbol' and 'this function' or 'this file') end
  local function range(run) return run[1] == run[2] and tostring(run[1]) or ('%d-%d'):format(run[1], run[2]) end
  local where = table.concat(vim.tbl_map(range, vim.list_slice(match.lines, 1, 3)), ', ')
  local line = where:find('%D') and 'lines ' or 'line '
  return 'wrote ' .. line .. where .. (match.survival and (' · %d %% stands'):format(math.floor(match.survival * 100 + 0.5)) or '')
end

function M.status(status)
  local index = status.index
  if index.state == 'running' then return ('pastwork: indexing %d of %d'):format(index.done, index.total) end
  local exchanges = vim.iter(pairs(status.agents)):fold(0, function(sum, _, agent) return sum + agent.exchanges end)
  return ('pastwork%s: %d past exchanges'):format(index.state == 'paused' and ' (paused)' or '', exchanges)
end

---What is known, agent by agent, and how far the index is.
function M.report(status)
  local words, lines = '%s: %d exchanges, %d sessions, %d records skipped, %d transcripts expiring soon', { M.status(status) }
  for name, agent in vim.spairs(status.agents) do
    local line = words:format(name, agent.exchanges, agent.sessions, #agent.skipped, agent.expiring)
    if agent.exchanges + #agent.skipped > 0 then table.insert(lines, line) end
  end
  local index, vectors = status.index, status.vectors
  table.insert(lines, ('index: %s, finished %s'):format(index.state, index.finished_at and M.age(index.finished_at) or 'never'))
  table.insert(lines, ('vectors: %d ready, %d pending'):format(vectors.ready, vectors.pending))
  return vim.list_extend(lines, vim.tbl_map(M.one_line, status.notes or {}))
end

return M
