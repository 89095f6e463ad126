-- Gives a task back: another may take it at once, and this try does not count; or after a rest, and it does.
-- ARGV: manifest, worker, entry, the rest in milliseconds
local batch, tasks, jobs, rows, parked, leases = unpack(KEYS)
if redis.call('HGET', batch, 'manifest') ~= ARGV[1] then return {'other'} end
local id, rest = ARGV[3], tonumber(ARGV[4])
local pending = redis.call('XPENDING', jobs, 'workers', id, id, 1)[1]
if not pending or pending[2] ~= ARGV[2] then return {'lost'} end
local count = pending[4]
if rest == 0 then count = math.max(count - 1, 0) end
redis.call('XCLAIM', jobs, 'workers', ARGV[2], 0, id, 'RETRYCOUNT', count, 'JUSTID')
-- What is not above zero says that nobody has it.
redis.call('HSET', leases, id, -rest)
return {'ok'}
