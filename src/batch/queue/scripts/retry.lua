-- Puts parked tasks back.
-- ARGV: manifest, then their keys
local batch, tasks, jobs, rows, parked, leases = unpack(KEYS)
local manifest = redis.call('HGET', batch, 'manifest')
if not manifest then return {'gone'} end
if manifest ~= ARGV[1] then return {'other'} end
local back = 0
for at = 2, #ARGV do
    local key = ARGV[at]
    local job = redis.call('HGET', parked, key)
    if job then
        if redis.call('HEXISTS', tasks, key) == 0 then
            redis.call('HSET', tasks, key, redis.call('XADD', jobs, '*', 'key', key, 'job', job))
            redis.call('HDEL', rows, key)
            back = back + 1
        end
        redis.call('HDEL', parked, key)
    end
end
return {'ok', back}
