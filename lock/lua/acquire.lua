-- Takes the lock, or enters it once more, atomically.
--
-- The lock is a hash. Field <owner> is the hold count. For every entry that the
-- count stands for there is a field <nonce>, whose value is the fencing token
-- drawn for that entry (0: none). The nonce makes a resent command harmless: it
-- is answered as the first copy was, and counted once.
--
-- KEYS[1] the lock
-- KEYS[2] the tombstone of this nonce: set once it is released or given up
-- KEYS[3] the counter of fencing tokens; absent where none is to be drawn
-- ARGV[1] owner
-- ARGV[2] nonce
-- ARGV[3] lease in milliseconds
-- ARGV[4] "enter", or "reenter" where the owner believes that it holds already
--
-- Answers {1, token}  held
--         {0, pttl}   held by somebody else; -1 where the key has no expiry
--         {2, 0}      this nonce is over: a copy came after its release
--         {3, 0}      "reenter", but the owner holds no more
local lock, tombstone, counter = KEYS[1], KEYS[2], KEYS[3]
local owner, nonce, lease = ARGV[1], ARGV[2], tonumber(ARGV[3])

if redis.call('exists', tombstone) == 1 then
  return {2, 0}
end

local resent = redis.call('hexists', lock, nonce) == 1
local mine = redis.call('hexists', lock, owner) == 1
if not mine then
  if ARGV[4] == 'reenter' then
    return {3, 0}
  end
  if redis.call('exists', lock) == 1 then
    return {0, redis.call('pttl', lock)}
  end
end

local token = 0
if resent then
  token = tonumber(redis.call('hget', lock, nonce))
else
  redis.call('hincrby', lock, owner, 1)
end
-- Drawn here and nowhere else: in a command of its own, it could be drawn after
-- the lease ended and a successor drew a smaller one.
if counter and token == 0 then
  token = redis.call('incr', counter)
end
redis.call('hset', lock, nonce, token)

-- A lease that was extended beyond its usual length keeps it.
if redis.call('pttl', lock) < lease then
  redis.call('pexpire', lock, lease)
end
return {1, token}
