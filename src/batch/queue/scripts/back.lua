-- Gives a task back: another may take it at once, and this try does not count.
-- ARGV: manifest, worker, entry
local batch, tasks, jobs, rows, parked, leases = unpack(KEYS)
if redis.call('HGET', batch, 'manifest') ~= ARGV[1] then return {'other'} end
local id = ARGV[3]
local pending = redis.call('XPENDING', jobs, 'workers', id, id, 1)[1]
if not pending or pending[2] ~= ARGV[2] then return {'lost'} end
local before = math.max(pending[4] - 1, 0)
redis.call('XCLAIM', jobs, 'workers', ARGV[2], 0, id, 'RETRYCOUNT', before, 'JUSTID')
redis.call('HSET', leases, id, 0)
return {'ok'}
