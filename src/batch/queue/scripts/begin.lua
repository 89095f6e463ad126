-- Begins a batch, or finds the one that is to be added to.
-- ARGV: form, manifest, now, whether what is there goes
local batch, tasks, jobs, rows, parked, leases = unpack(KEYS)
-- Whatever stands there, of whatever type.
if ARGV[4] == '1' then redis.call('DEL', unpack(KEYS)) end
local form = redis.call('HGET', batch, 'form')
local manifest = redis.call('HGET', batch, 'manifest')
if form and form ~= ARGV[1] then return {'form', form} end
if manifest and manifest ~= ARGV[2] then
    local left = redis.call('XLEN', jobs)
    if left > 0 then return {'busy', left} end
    manifest = false
end
if not manifest then
    redis.call('DEL', unpack(KEYS))
    redis.call('HSET', batch, 'form', ARGV[1], 'manifest', ARGV[2], 'started_at', ARGV[3])
end
local made = redis.pcall('XGROUP', 'CREATE', jobs, 'workers', '0', 'MKSTREAM')
if made.err and not string.find(made.err, 'BUSYGROUP', 1, true) then return made end
return {'ok'}
