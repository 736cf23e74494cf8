-- Lets the key live at least so long from now, while it carries this token.
--
-- KEYS[1] the lock
-- ARGV[1] token
-- ARGV[2] time to live in milliseconds
--
-- Answers 1, or 0 where the key carries another token or is gone.
if redis.call('get', KEYS[1]) ~= ARGV[1] then
  return 0
end
if redis.call('pttl', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('pexpire', KEYS[1], ARGV[2])
end
return 1
