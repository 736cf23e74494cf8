-- Deletes the key while it carries this token.
--
-- KEYS[1] the lock
-- ARGV[1] token
--
-- Answers 1, or 0 where the key carries another token or is gone.
if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('del', KEYS[1])
end
return 0
