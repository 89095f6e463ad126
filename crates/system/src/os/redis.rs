//! The only place that names the `redis` crate: one connection, made when it is needed, with time
//! limits.
//!
//! Nothing is sent twice here: whether a command may be, only its sender knows.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fmt, io};

use redis::{
    Client, Connection, ConnectionAddr, ErrorKind, IntoConnectionInfo as _, RedisError, Value,
};
use url::Url;

use super::tls::install_crypto_provider;
use crate::Clock;

/// Oldest major version of the server: 7 has all commands that the scripts use.
const OLDEST: u32 = 7;
/// Longest wait for an answer after a signal.
const HURRY: Duration = Duration::from_secs(1);
/// Most characters of a server's message that are shown.
const MAX_TOLD: usize = 300;

/// The reason why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedisFault {
    /// The address cannot be one of a Redis.
    #[error("{0}")]
    Address(String),
    /// No server is reachable there, or it did not answer in time; a retry may succeed.
    #[error("{0}")]
    Away(String),
    /// The server refuses the credentials.
    #[error("{0}")]
    Refused(String),
    /// The server is not a Redis.
    #[error("{0}")]
    NotRedis(String),
    /// There is no trust in it, or no TLS.
    #[error("{0}")]
    Untrusted(String),
    /// It is too old.
    #[error("it is version {0}, and {OLDEST} is needed")]
    TooOld(String),
    /// It refused the command.
    #[error("{0}")]
    Said(String),
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedisReply {
    /// Nothing there.
    Nothing,
    /// A number.
    Number(i64),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Several.
    List(Vec<RedisReply>),
}

/// A Lua script that the server runs as one atomic step.
pub struct Script(redis::Script);

/// A Redis and the connection to it.
pub struct RedisLink<'a> {
    client: Client,
    /// The address without user and password, for messages.
    shown: String,
    /// Time limit of connecting and of an answer.
    patience: Duration,
    clock: &'a dyn Clock,
    /// Connected on first use, and after a lost connection.
    open: Mutex<Option<Connection>>,
}

impl RedisReply {
    /// Returns the parts of a list; nothing of anything else.
    pub fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// Returns the bytes of a string; `None` for another kind of answer.
    pub fn bytes(&self) -> Option<&[u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// Returns the reply for a value of the library. Kinds that no script returns become
    /// `Nothing`.
    fn from_value(value: Value) -> Self {
        match value {
            Value::Int(number) => Self::Number(number),
            Value::BulkString(bytes) => Self::Bytes(bytes),
            Value::SimpleString(text) => Self::Bytes(text.into_bytes()),
            Value::Okay => Self::Bytes(b"OK".to_vec()),
            Value::Boolean(is) => Self::Number(is.into()),
            Value::Array(items) | Value::Set(items) => {
                Self::List(items.into_iter().map(Self::from_value).collect())
            }
            _ => Self::Nothing,
        }
    }
}

impl Script {
    /// Takes the text of a program in Lua.
    pub fn new(text: &str) -> Self {
        Self(redis::Script::new(text))
    }
}

impl fmt::Debug for RedisLink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisLink").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl<'a> RedisLink<'a> {
    /// Parses an address; nothing is opened yet. `patience` is the time limit of connecting and of an answer.
    ///
    /// # Errors
    ///
    /// [`RedisFault::Address`] if the text is no URL of Redis, or has a fragment.
    pub fn new(url: &str, patience: Duration, clock: &'a dyn Clock) -> Result<Self, RedisFault> {
        let wrong = |error: &RedisError| RedisFault::Address(shorten_message(error));
        install_crypto_provider();
        let known = redis::parse_redis_url(url.trim());
        let known = known.ok_or_else(|| RedisFault::Address("it is no address".to_owned()))?;
        if known.fragment().is_some() {
            // The client would take it for the wish to leave certificates unchecked.
            return Err(RedisFault::Address("`#…` at its end means nothing here".to_owned()));
        }
        let info = known.clone().into_connection_info().map_err(|error| wrong(&error))?;
        let shown = display_address(&known, info.addr());
        // Their answers are not needed, and a silent server would cost a timeout for each.
        let settings = info.redis_settings().clone().set_skip_set_lib_name();
        let client =
            Client::open(info.set_redis_settings(settings)).map_err(|error| wrong(&error))?;
        Ok(Self { client, shown, patience, clock, open: Mutex::new(None) })
    }

    /// Returns the address without user and password.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Runs a script on the server and returns its result.
    ///
    /// # Errors
    ///
    /// Returns [`RedisFault::Away`] if the server cannot be reached or is busy; the script may
    /// have run all the same.
    pub fn run(
        &self,
        script: &Script,
        keys: &[&str],
        arguments: &[&[u8]],
    ) -> Result<RedisReply, RedisFault> {
        self.with_connection(|open| {
            let mut call = script.0.prepare_invoke();
            for key in keys {
                call.key(*key);
            }
            for argument in arguments {
                call.arg(*argument);
            }
            call.invoke(open)
        })
    }

    /// Sends one command and returns its answer.
    ///
    /// # Errors
    ///
    /// [`RedisFault::Away`] if the server does not answer in time, [`RedisFault::Refused`] for wrong
    /// credentials, and the other faults of connecting and of the command. After a lost answer the command may
    /// have been done.
    pub fn send(&self, words: &[&str]) -> Result<RedisReply, RedisFault> {
        self.with_connection(|open| {
            let mut command = redis::Cmd::new();
            for word in words {
                command.arg(*word);
            }
            command.query(open)
        })
    }

    /// Returns whether the server appends its data to a file, which keeps them over a restart; `None` if it does not
    /// report that.
    ///
    /// # Errors
    ///
    /// Those of [`Self::send`].
    pub fn is_kept(&self) -> Result<Option<bool>, RedisFault> {
        let reply = self.send(&["INFO", "persistence"])?;
        let said = String::from_utf8_lossy(reply.bytes().unwrap_or_default()).into_owned();
        let line = said.lines().find_map(|line| line.trim().strip_prefix("aof_enabled:"));
        Ok(line.map(|value| value == "1"))
    }

    /// Does something with the connection, and drops it after an error that leaves its state
    /// unknown.
    fn with_connection(
        &self,
        call: impl FnOnce(&mut Connection) -> Result<Value, RedisError>,
    ) -> Result<RedisReply, RedisFault> {
        let mut slot = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let open = self.get_connection(&mut slot)?;
        let answer = self
            .shorten_timeout(open)
            .and_then(|()| call(open))
            .map_err(|error| classify_error(&error));
        // After a lost or late answer it is unknown which command the next bytes belong to.
        if matches!(answer, Err(RedisFault::Away(_) | RedisFault::NotRedis(_))) {
            *slot = None;
        }
        Ok(RedisReply::from_value(answer?))
    }

    /// Returns the connection, made on first use.
    fn get_connection<'s>(
        &self,
        slot: &'s mut Option<Connection>,
    ) -> Result<&'s mut Connection, RedisFault> {
        if slot.is_none() {
            *slot = Some(self.connect_once()?);
        }
        slot.as_mut().ok_or_else(|| RedisFault::Away("no connection".to_owned()))
    }

    /// Shortens the time limit once a signal has arrived.
    fn shorten_timeout(&self, open: &mut Connection) -> Result<(), RedisError> {
        // A signal must not wait for the full timeout of a silent server.
        if self.clock.interrupted() {
            open.set_read_timeout(Some(self.current_patience()))?;
            open.set_write_timeout(Some(self.current_patience()))?;
        }
        Ok(())
    }

    /// Returns the time limit that applies now.
    fn current_patience(&self) -> Duration {
        if self.clock.interrupted() { self.patience.min(HURRY) } else { self.patience }
    }

    /// Connects, and checks the version of the server.
    fn connect_once(&self) -> Result<Connection, RedisFault> {
        let patience = self.current_patience();
        let made = || {
            let mut connection = self.client.get_connection_with_timeout(patience)?;
            connection.set_read_timeout(Some(patience))?;
            connection.set_write_timeout(Some(patience))?;
            let said: String = redis::cmd("INFO").arg("server").query(&mut connection)?;
            Ok((connection, said))
        };
        let (connection, said) = made().map_err(|error: RedisError| classify_error(&error))?;
        let version = said.lines().find_map(|line| line.strip_prefix("redis_version:"));
        let version = version.map_or("unknown", str::trim);
        let major = version.split('.').next().and_then(|number| number.parse::<u32>().ok());
        // Older servers lack commands that the scripts use.
        if major.is_none_or(|major| major < OLDEST) {
            return Err(RedisFault::TooOld(version.to_owned()));
        }
        Ok(connection)
    }
}

/// Returns the fault for an error of the library. The codes are those of redis.io.
fn classify_error(error: &RedisError) -> RedisFault {
    let said = shorten_message(error);
    // Temporary states: starting, failing over, no memory or disk at present.
    let passing = ["LOADING", "MASTERDOWN", "READONLY", "OOM", "MISCONF", "BUSY", "TRYAGAIN"];
    let barred = ["NOAUTH", "WRONGPASS", "NOPERM"];
    match (error.kind(), error.code().unwrap_or_default()) {
        (ErrorKind::AuthenticationFailed, _) => RedisFault::Refused(said),
        (_, code) if barred.contains(&code) => RedisFault::Refused(said),
        // The number behind the host.
        _ if said.contains("DB index") => RedisFault::Address(said),
        (_, code) if passing.contains(&code) => RedisFault::Away(said),
        // An error of TLS; waiting does not help.
        (ErrorKind::Io, _) if io_kind(error) == Some(io::ErrorKind::InvalidData) => {
            RedisFault::Untrusted(said)
        }
        (ErrorKind::Io, _) => RedisFault::Away(said),
        (ErrorKind::Parse, _) => RedisFault::NotRedis(said),
        (ErrorKind::InvalidClientConfig, _) => RedisFault::Address(said),
        _ if error.is_io_error() || error.is_timeout() => RedisFault::Away(said),
        // A server that is no Redis answers in words of its own.
        (ErrorKind::UnexpectedReturnType, _) => RedisFault::NotRedis(said),
        _ => RedisFault::Said(said),
    }
}

/// Returns the kind of an input or output error inside an error of the library.
fn io_kind(error: &RedisError) -> Option<io::ErrorKind> {
    let source = error.source()?.downcast_ref::<Arc<dyn Error + Send + Sync>>()?;
    source.downcast_ref::<io::Error>().map(io::Error::kind)
}

/// Returns the message on one line, cut: anyone may have sent it.
fn shorten_message(error: &RedisError) -> String {
    let text = if error.is_timeout() { "no answer in time".to_owned() } else { error.to_string() };
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_TOLD).collect()
}

/// Returns an address without user and password.
fn display_address(url: &Url, address: &ConnectionAddr) -> String {
    if let ConnectionAddr::Unix(path) = address {
        return format!("unix://{}", path.display());
    }
    let host = url.host_str().unwrap_or_default();
    let port = url.port().unwrap_or(6379);
    let path = url.path().trim_end_matches('/');
    format!("{}://{host}:{port}{path}", url.scheme())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::thread;

    use super::*;
    use crate::os::OsClock;

    const SECOND: Duration = Duration::from_secs(1);

    /// Answers every connection with these bytes and holds it open.
    fn server(answer: &'static [u8]) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            let mut held = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream.write_all(answer);
                held.push(stream);
            }
        });
        port
    }

    #[test]
    fn an_address_is_refused_before_anything_is_opened_and_shown_without_its_password() {
        let clock = OsClock::new(Arc::default());
        for wrong in
            ["", "localhost:6379", "http://h/", "redis://", "redis://h/x", "redis://h#insecure"]
        {
            let fault = RedisLink::new(wrong, SECOND, &clock).unwrap_err();
            assert!(matches!(fault, RedisFault::Address(_)), "{wrong}: {fault:?}");
        }
        for (url, expected) in [
            ("redis://u:geheim99@h/2", "redis://h:6379/2"),
            ("rediss://:geheim99@h:7000", "rediss://h:7000"),
            ("unix:///run/redis.sock?pass=geheim99", "unix:///run/redis.sock"),
        ] {
            let link = RedisLink::new(url, SECOND, &clock).unwrap();
            assert_eq!(link.shown(), expected);
            assert!(!format!("{link:?}").contains("geheim99"));
        }
    }

    #[test]
    fn who_is_no_redis_is_told_from_one_that_is_away() {
        let clock = OsClock::new(Arc::default());
        let ask = |port: u16| {
            let url = format!("redis://127.0.0.1:{port}");
            RedisLink::new(&url, SECOND / 4, &clock).unwrap().send(&["PING"]).unwrap_err()
        };
        let web = ask(server(b"HTTP/1.1 400 Bad Request\r\n\r\n<html>\x07"));
        assert!(matches!(web, RedisFault::NotRedis(_)), "{web:?}");
        let silent = ask(server(b""));
        assert_eq!(silent, RedisFault::Away("no answer in time".to_owned()));
        let barred = ask(server(b"-NOAUTH Authentication required.\r\n-NOAUTH x\r\n-NOAUTH x\r\n"));
        assert!(matches!(barred, RedisFault::Refused(_)), "{barred:?}");
        let plain = format!("rediss://127.0.0.1:{}", server(b"-ERR what is that?\r\n"));
        let plain = RedisLink::new(&plain, SECOND, &clock).unwrap().send(&["PING"]).unwrap_err();
        assert!(matches!(plain, RedisFault::Untrusted(_)), "{plain:?}");
        let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        assert!(matches!(ask(nobody), RedisFault::Away(_)));
    }
}
