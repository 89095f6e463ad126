-- Adds jobs whose task neither waits nor runs.
-- ARGV: manifest, then key and job of each
local batch, tasks, jobs, rows, parked, leases = unpack(KEYS)
local manifest = redis.call('HGET', batch, 'manifest')
if not manifest then return {'gone'} end
if manifest ~= ARGV[1] then return {'other'} end
local new = 0
for at = 2, #ARGV, 2 do
    local key, job = ARGV[at], ARGV[at + 1]
    if redis.call('HEXISTS', tasks, key) == 0 then
        redis.call('HSET', tasks, key, redis.call('XADD', jobs, '*', 'key', key, 'job', job))
        redis.call('HDEL', rows, key)
        redis.call('HDEL', parked, key)
        new = new + 1
    end
end
return {'ok', new}
