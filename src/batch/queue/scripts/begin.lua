-- Begins a batch, or finds the one that is to be added to.
-- ARGV: form, manifest, now, whether what is there goes
local batch, tasks, jobs, rows, parked, leases = unpack(KEYS)
local form = redis.call('HGET', batch, 'form')
local manifest = redis.call('HGET', batch, 'manifest')
local ended = redis.call('XLEN', jobs) == 0
if ARGV[4] == '1' then
    manifest = false
elseif form and form ~= ARGV[1] then
    return {'form', form}
elseif manifest and manifest ~= ARGV[2] then
    if not ended then return {'busy', redis.call('XLEN', jobs)} end
    manifest = false
end
if not manifest then
    redis.call('DEL', batch, tasks, jobs, rows, parked, leases)
    redis.call('HSET', batch, 'form', ARGV[1], 'manifest', ARGV[2], 'started_at', ARGV[3])
end
local made = redis.pcall('XGROUP', 'CREATE', jobs, 'workers', '0', 'MKSTREAM')
if made.err and not string.find(made.err, 'BUSYGROUP', 1, true) then return made end
return {'ok'}
