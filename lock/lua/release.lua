-- Gives up entries of the lock. The last one deletes it and wakes the waiters.
--
-- Every nonce leaves a tombstone with what was answered for it. A resent copy
-- gets that answer again, though the lock is gone by then, and a copy of the
-- acquire command that comes after its release takes nothing.
--
-- KEYS[1]   the lock
-- KEYS[2..] the tombstones, one for each nonce, in the same order
-- ARGV[1]   owner
-- ARGV[2]   lease in milliseconds
-- ARGV[3]   life of a tombstone in milliseconds
-- ARGV[4]   the channel of the waiters
-- ARGV[5..] the nonces
--
-- Answers how many of the nonces were held.
local lock, owner = KEYS[1], ARGV[1]
local held, dropped = 0, 0

for i = 5, #ARGV do
  local tombstone = KEYS[i - 3]
  local answer = redis.call('get', tombstone)
  if not answer then
    answer = redis.call('hdel', lock, ARGV[i])
    dropped = dropped + answer
    redis.call('set', tombstone, answer, 'px', ARGV[3])
  end
  held = held + tonumber(answer)
end

if dropped > 0 then
  if redis.call('hincrby', lock, owner, -dropped) > 0 then
    -- An outer section goes on: it gets a whole lease, as in Redisson.
    if redis.call('pttl', lock) < tonumber(ARGV[2]) then
      redis.call('pexpire', lock, ARGV[2])
    end
  else
    redis.call('del', lock)
    redis.call('publish', ARGV[4], 'released')
  end
end
return held
