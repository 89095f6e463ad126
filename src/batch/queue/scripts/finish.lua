-- Takes the row of a task that has ended, and only then the task itself away.
-- ARGV: manifest, entry, key, row, whether the job is kept as parked
local batch, tasks, jobs, rows, parked, leases = unpack(KEYS)
local manifest = redis.call('HGET', batch, 'manifest')
if not manifest then return {'gone'} end
if manifest ~= ARGV[1] then return {'other'} end
local id, key, row = ARGV[2], ARGV[3], ARGV[4]
-- Whoever ends it first has ended it: one that fell silent for a while may be done before the one that took over.
if #redis.call('XPENDING', jobs, 'workers', id, id, 1) == 0 then
    -- The same row again: the answer to it was lost.
    if redis.call('HGET', rows, key) == row then return {'ok', redis.call('XLEN', jobs)} end
    return {'lost'}
end
if ARGV[5] == '1' then
    local entry = redis.call('XRANGE', jobs, id, id)[1]
    local job = ''
    for at = 1, entry and #entry[2] or 0, 2 do
        if entry[2][at] == 'job' then job = entry[2][at + 1] end
    end
    redis.call('HSET', parked, key, job)
end
redis.call('HSET', rows, key, row)
if redis.call('HGET', tasks, key) == id then redis.call('HDEL', tasks, key) end
redis.call('XACK', jobs, 'workers', id)
redis.call('XDEL', jobs, id)
redis.call('HDEL', leases, id)
return {'ok', redis.call('XLEN', jobs)}
