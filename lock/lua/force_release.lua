-- Deletes the lock whoever holds it, and wakes the waiters.
--
-- KEYS[1] the lock
-- ARGV[1] the channel of the waiters
--
-- Answers 1, or 0 where nobody held it.
if redis.call('del', KEYS[1]) == 0 then
  return 0
end
redis.call('publish', ARGV[1], 'released')
return 1
