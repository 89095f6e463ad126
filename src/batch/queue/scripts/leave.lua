-- Forgets a worker that has nothing in its hands.
-- ARGV: worker
local batch, tasks, jobs, rows, parked, leases = unpack(KEYS)
if redis.call('EXISTS', jobs) == 1 and #redis.call('XPENDING', jobs, 'workers', '-', '+', 1, ARGV[1]) == 0 then
    redis.call('XGROUP', 'DELCONSUMER', jobs, 'workers', ARGV[1])
end
return {'ok'}
