-- Moves the expiry of each of KEYS by ARGV[1] milliseconds, all at one instant.
-- Answers how many had an expiry, and how many of these are gone by it.
local by = tonumber(ARGV[1])
local moved, gone = 0, 0

local function whole(n) return string.format('%.0f', n) end

for _, key in ipairs(KEYS) do
  local at = redis.pcall('PEXPIRETIME', key)
  local expires = true
  if type(at) == 'number' then
    expires = at >= 0
    if expires then redis.call('PEXPIREAT', key, whole(at + by)) end
  else
    -- Before Redis 7. Late by the milliseconds that pass between the two.
    local left = redis.call('PTTL', key)
    expires = left >= 0
    if expires then redis.call('PEXPIRE', key, whole(left + by)) end
  end
  if expires then
    moved = moved + 1
    gone = gone + 1 - redis.call('EXISTS', key)
  end
end
return {moved, gone}
