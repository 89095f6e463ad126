-- Says that a worker lives and is at these tasks.
-- ARGV: manifest, worker, its lease in milliseconds, then the entries
local batch, tasks, jobs, rows, parked, leases = unpack(KEYS)
if redis.call('HGET', batch, 'manifest') ~= ARGV[1] then return {'other'} end
local held = 0
for at = 4, #ARGV do
    local pending = redis.call('XPENDING', jobs, 'workers', ARGV[at], ARGV[at], 1)[1]
    local lease = tonumber(redis.call('HGET', leases, ARGV[at]) or ARGV[3]) or 0
    -- What another took over and gave back is still ours.
    if pending and (pending[2] == ARGV[2] or lease <= 0) then
        redis.call('XCLAIM', jobs, 'workers', ARGV[2], 0, ARGV[at], 'JUSTID')
        redis.call('HSET', leases, ARGV[at], ARGV[3])
        held = held + 1
    end
end
return {'ok', held}
