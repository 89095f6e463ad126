//! The results of tasks in the object store of a queue.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;

use super::nats::{NatsFault, NatsQueue};

impl NatsQueue {
    /// Stores a result.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn put_result(&self, name: &str, bytes: &[u8]) -> Result<(), NatsFault> {
        self.link.call(async |open| {
            let results = open.context.get_object_store(self.results()).await?;
            results.put(name, &mut &*bytes).await?;
            Ok(())
        })
    }

    /// Returns the names of all results, also of deleted ones.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn list_results(&self) -> Result<Vec<String>, NatsFault> {
        let results = self.results();
        let names = self.list_names(&format!("OBJ_{results}"), &format!("$O.{results}.M.*"))?;
        let decoded = names.iter().filter_map(|name| URL_SAFE.decode(name).ok());
        Ok(decoded.filter_map(|name| String::from_utf8(name).ok()).collect())
    }

    /// Deletes a result.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn delete_result(&self, name: &str) -> Result<(), NatsFault> {
        self.link.call(async |open| {
            let results = open.context.get_object_store(self.results()).await?;
            Ok(results.delete(name).await?)
        })
    }

    /// Returns a result, at most `max` bytes of it; `None` for one that was deleted.
    ///
    /// The client would read it by a consumer; in a cluster, the one of a moment may be given to a server that has just
    /// died. So its parts are read one by one.
    ///
    /// # Errors
    ///
    /// Those of all calls.
    pub fn get_result(&self, name: &str, max: u64) -> Result<Option<Vec<u8>>, NatsFault> {
        let info = self.link.call(async |open| {
            let results = open.context.get_object_store(self.results()).await?;
            Ok(results.info(name).await?)
        })?;
        if info.deleted {
            return Ok(None);
        }
        let subject = format!("$O.{}.C.{}", self.results(), info.nuid);
        let (mut bytes, mut sequence) = (Vec::new(), 0);
        for _ in 0..info.chunks {
            let part = self.link.call(async |open| {
                let stream = open.context.get_stream_no_info(format!("OBJ_{}", self.results()));
                Ok(stream.await?.get_first_raw_message_by_subject(&subject, sequence + 1).await?)
            })?;
            bytes.extend_from_slice(&part.payload);
            sequence = part.sequence;
            if bytes.len() as u64 >= max {
                break;
            }
        }
        bytes.truncate(usize::try_from(max).unwrap_or(usize::MAX));
        Ok(Some(bytes))
    }
}
