//! The store that machines share, in a Redis.
//!
//! After the first failure it is not asked again.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::redis::{RedisFault, RedisLink, RedisReply, Script};
use crate::Clock;
use crate::cache::SharedStore;
use papayu_base::domain::{Event, EventName, EventSink};

/// Time limit of a connection, and of waiting for more of an answer.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time of one answer after which the store is not asked again.
const SLOW: Duration = Duration::from_secs(3);
/// Most bytes of records in one answer.
const MAX_RECORDS: usize = 4 * 1024 * 1024;
/// Most bytes of items in one answer.
const MAX_ITEMS: usize = 16 * 1024 * 1024;
/// Most bytes of one item, far more than an outcome has.
const MAX_ITEM: usize = 1024 * 1024;

/// Returns the values of the keys as long as they fit into the limit. Others are empty, those of another type too.
const FETCH: &str = "local found, left = {}, tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  local record = redis.pcall('GETRANGE', key, 0, left)
  if type(record) ~= 'string' or #record > left then record = '' end
  found[i], left = record, left - #record
end
return found";

/// Sets each key, with the seconds to live; 0 is no limit.
const ADD: &str = "for i, key in ipairs(KEYS) do
  redis.call('SET', key, ARGV[i + 1], unpack(ARGV[1] == '0' and {} or {'EX', ARGV[1]}))
end";

/// Returns the last items of a list, the newest first, as long as they fit into the limit. Longer ones than an item may be
/// are empty, so that one of them does not hide the others.
const READ_LIST: &str = "local found, left = {}, tonumber(ARGV[2])
for at = 1, tonumber(ARGV[1]) do
  local item = redis.call('LINDEX', KEYS[1], -at)
  if not item then break end
  if #item > tonumber(ARGV[3]) then item = '' end
  if #item > left then break end
  found[at], left = item, left - #item
end
return found";

/// A Redis as the shared store.
pub struct RedisStore<'a> {
    link: RedisLink<'a>,
    clock: &'a dyn Clock,
    events: &'a dyn EventSink,
    /// Time after which a record is deleted; zero is never.
    expiry: Duration,
    state: Mutex<StoreState>,
}

/// The failures so far.
#[derive(Default)]
struct StoreState {
    /// True after a failure.
    is_lost: bool,
    /// True after a write was refused.
    is_read_only: bool,
}

/// The kind of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StoreAccess {
    Read,
    Write,
}

impl<'a> RedisStore<'a> {
    /// Takes the address of a Redis; nothing is opened yet. Records are deleted after `expiry`; zero keeps them. The
    /// first failure is one event.
    ///
    /// # Errors
    ///
    /// [`RedisFault::Address`] if the address cannot be read.
    pub fn new(
        url: &str,
        expiry: Duration,
        clock: &'a dyn Clock,
        events: &'a dyn EventSink,
    ) -> Result<Self, RedisFault> {
        let link = RedisLink::new(url, PATIENCE, clock)?;
        Ok(Self { link, clock, events, expiry, state: Mutex::default() })
    }

    /// Returns the answer to a request; `None` if the store cannot be used.
    fn ask<T>(
        &self,
        access: StoreAccess,
        request: impl FnOnce(&RedisLink<'a>) -> Result<T, RedisFault>,
    ) -> Option<T> {
        // Threads wait here for each other, so that a silent server costs one time limit in all.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_write = access == StoreAccess::Write;
        if state.is_lost || (is_write && state.is_read_only) {
            return None;
        }
        let shown = self.link.shown();
        let started = self.clock.elapsed();
        let fault = match request(&self.link) {
            Ok(answer) => {
                if self.clock.elapsed().saturating_sub(started) > SLOW {
                    state.is_lost = true;
                    self.notify(format!("the shared store `{shown}` is slow and not used further"));
                }
                return Some(answer);
            }
            Err(fault) => fault,
        };
        // A user of the Redis may be allowed to read only.
        if is_write && matches!(fault, RedisFault::Said(_) | RedisFault::Refused(_)) {
            state.is_read_only = true;
            self.notify(format!("nothing is written to the shared store `{shown}`: {fault}"));
        } else {
            state.is_lost = true;
            self.notify(format!("the shared store `{shown}` is not used: {fault}"));
        }
        None
    }

    fn notify(&self, text: String) {
        self.events.emit(Event::new(EventName::Notice).with("text", text));
    }
}

impl SharedStore for RedisStore<'_> {
    fn fetch(&self, keys: &[String]) -> Vec<Option<Vec<u8>>> {
        let names: Vec<&str> = keys.iter().map(String::as_str).collect();
        let (script, limit) = (Script::new(FETCH), MAX_RECORDS.to_string());
        let request = |link: &RedisLink<'_>| link.run(&script, &names, &[limit.as_bytes()]);
        let reply = self.ask(StoreAccess::Read, request);
        let items = reply.as_ref().map(RedisReply::items).unwrap_or_default();
        let bytes = |at: usize| items.get(at)?.bytes().filter(|bytes| !bytes.is_empty());
        (0..keys.len()).map(|at| bytes(at).map(<[u8]>::to_vec)).collect()
    }

    fn add(&self, records: &[(String, Vec<u8>)]) {
        let names: Vec<&str> = records.iter().map(|(key, _)| key.as_str()).collect();
        let expiry = self.expiry.as_secs().to_string();
        let values = records.iter().map(|(_, record)| record.as_slice());
        let arguments: Vec<&[u8]> = std::iter::once(expiry.as_bytes()).chain(values).collect();
        let script = Script::new(ADD);
        self.ask(StoreAccess::Write, |link| link.run(&script, &names, &arguments));
    }

    fn append(&self, list: &str, item: &str) {
        let is_added = self.ask(StoreAccess::Write, |link| link.send(&["RPUSH", list, item]));
        // Items cannot be computed again, unlike records.
        if is_added.is_some()
            && self.ask(StoreAccess::Read, RedisLink::is_kept) == Some(Some(false))
        {
            let text = "the Redis of `store.url` keeps no append-only file: a restart loses the runs; start it with `--appendonly yes`";
            self.notify(text.to_owned());
        }
    }

    fn read_list(&self, list: &str, most: usize) -> Result<Vec<Vec<u8>>, String> {
        let limits = [most, MAX_ITEMS, MAX_ITEM].map(|limit| limit.to_string());
        let arguments = limits.each_ref().map(String::as_bytes);
        let reply = self.link.run(&Script::new(READ_LIST), &[list], &arguments);
        let reply = reply.map_err(|fault| format!("`{}`: {fault}", self.link.shown()))?;
        let items = reply.items().iter().rev().filter_map(RedisReply::bytes);
        Ok(items.map(<[u8]>::to_vec).collect())
    }
}
