-- Lets the lock live at least so long from now, while the owner holds it.
--
-- KEYS[1] the lock
-- ARGV[1] owner
-- ARGV[2] time to live in milliseconds
--
-- Answers 1, or 0 where the owner does not hold the lock.
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then
  return 0
end
if redis.call('pttl', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('pexpire', KEYS[1], ARGV[2])
end
return 1
