-- Gives a worker one task: one whose worker is not heard from any more, else one that waits.
-- ARGV: manifest, worker, its lease and the server's own time up in milliseconds, most bytes of a job
local batch, tasks, jobs, rows, parked, leases = unpack(KEYS)
local worker, lease, up = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local manifest = redis.call('HGET', batch, 'manifest')
if not manifest then return {'gone'} end
if manifest ~= ARGV[1] then return {'other'} end

local function given(entry, count, owner)
    local key, job = '', ''
    local fields = entry[2]
    for at = 1, #fields, 2 do
        if fields[at] == 'key' then key = fields[at + 1] end
        if fields[at] == 'job' then job = fields[at + 1] end
    end
    -- One that is too long is read as none.
    if #key > tonumber(ARGV[5]) then key = '' end
    if #job > tonumber(ARGV[5]) then job = '' end
    redis.call('HSET', leases, entry[1], lease)
    return {'task', entry[1], key, job, count, owner, redis.call('XLEN', jobs)}
end

for _, pending in ipairs(redis.call('XPENDING', jobs, 'workers', '-', '+', 10000)) do
    local id, owner, idle, count = pending[1], pending[2], pending[3], pending[4]
    local kept = tonumber(redis.call('HGET', leases, id) or lease) or lease
    local due = math.abs(kept)
    -- While the server was away nobody could be heard.
    if idle >= due and up >= due then
        local claimed = redis.call('XCLAIM', jobs, 'workers', worker, 0, id)
        if owner ~= worker and #redis.call('XPENDING', jobs, 'workers', '-', '+', 1, owner) == 0 then
            redis.call('XGROUP', 'DELCONSUMER', jobs, 'workers', owner)
        end
        -- What was given back was in nobody's hands.
        if kept <= 0 then owner = '' end
        if claimed[1] then return given(claimed[1], count + 1, owner) end
        redis.call('HDEL', leases, id)
    end
end
local read = redis.call('XREADGROUP', 'GROUP', 'workers', worker, 'COUNT', 1, 'STREAMS', jobs, '>')
if read then return given(read[1][2][1], 1, '') end
return {'none', redis.call('XLEN', jobs)}
