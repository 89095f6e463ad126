//! The connection to a NATS server, and the runtime that it needs: the program itself waits for each answer.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, ServerAddr, jetstream};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::tls::install_crypto_provider;

/// An error of a call.
pub(super) type CallError = async_nats::Error;

/// The reason why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NatsFault {
    /// The address cannot be one of NATS.
    #[error("{0}")]
    Address(String),
    /// No server is reachable there, or it did not answer in time; a retry may succeed.
    #[error("{0}")]
    Away(String),
    /// The server refuses the credentials, or what was asked for.
    #[error("{0}")]
    Refused(String),
    /// There is no trust in the server, or no TLS.
    #[error("{0}")]
    Untrusted(String),
    /// It answered with an error.
    #[error("{0}")]
    Failed(String),
}

/// The credentials of a connection.
pub(super) enum NatsCredentials {
    /// A file with a JWT and its key, or with the seed of a key.
    File(PathBuf),
    /// A user and the password.
    Login(String, String),
    /// None.
    Nothing,
}

/// The way to a server.
pub(super) struct NatsLink {
    runtime: Runtime,
    servers: Vec<ServerAddr>,
    credentials: NatsCredentials,
    /// Time limit of connecting and of an answer.
    patience: Duration,
    /// Connected on first use; the client connects again by itself.
    open: Mutex<Option<NatsConnection>>,
}

/// A connection.
#[derive(Clone)]
pub(super) struct NatsConnection {
    client: Client,
    pub(super) context: jetstream::Context,
    /// The last thing that the server did not permit.
    denied: Arc<Mutex<Option<String>>>,
}

impl NatsLink {
    /// Returns the way to some servers of one cluster; nothing is opened yet.
    ///
    /// Fails with [`NatsFault::Failed`] if the runtime cannot start its thread.
    pub(super) fn new(
        servers: Vec<ServerAddr>,
        credentials: NatsCredentials,
        patience: Duration,
    ) -> Result<Self, NatsFault> {
        install_crypto_provider();
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| NatsFault::Failed(error.to_string()))?;
        Ok(Self { runtime, servers, credentials, patience, open: Mutex::new(None) })
    }

    /// Asks the server, and waits for the answer.
    pub(super) fn call<T>(
        &self,
        ask: impl AsyncFnOnce(&NatsConnection) -> Result<T, CallError>,
    ) -> Result<T, NatsFault> {
        let open = self.connect()?;
        let answered = self.runtime.block_on(async { timeout(self.patience, ask(&open)).await });
        let message = match answered {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(error)) => describe_error(&*error),
            Err(_) => format!("no answer within {} s", self.patience.as_secs_f64()),
        };
        // A server does not answer what it does not permit; it sends an error besides.
        if let Some(denied) = lock(&open.denied).take() {
            return Err(NatsFault::Refused(denied));
        }
        let is_away = message.contains("no answer")
            || ["timed out", "no responders", "broken pipe"].iter().any(|it| message.contains(it))
            || open.client.connection_state() != State::Connected;
        Err(if is_away { NatsFault::Away(message) } else { NatsFault::Failed(message) })
    }

    /// Returns the connection, which is opened the first time.
    fn connect(&self) -> Result<NatsConnection, NatsFault> {
        let mut open = lock(&self.open);
        if let Some(open) = open.as_ref() {
            return Ok(open.clone());
        }
        let denied: Arc<Mutex<Option<String>>> = Arc::default();
        let options = self.options(denied.clone())?;
        let connected = self.runtime.block_on(async {
            timeout(self.patience, options.connect(self.servers.as_slice())).await
        });
        let client = match connected {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => {
                let message = describe_error(&error);
                return Err(match error.kind() {
                    ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                        NatsFault::Refused(message)
                    }
                    ConnectErrorKind::Tls => NatsFault::Untrusted(message),
                    ConnectErrorKind::ServerParse => NatsFault::Address(message),
                    _ if message.contains("certificate") => NatsFault::Untrusted(message),
                    _ => NatsFault::Away(message),
                });
            }
            Err(_) => return Err(NatsFault::Away("it does not accept the connection".to_owned())),
        };
        // The context starts a task of its own.
        let _entered = self.runtime.enter();
        let mut context = jetstream::new(client.clone());
        context.set_timeout(self.patience);
        let connection = NatsConnection { client, context, denied };
        *open = Some(connection.clone());
        Ok(connection)
    }

    /// Returns the options of the connection.
    fn options(&self, denied: Arc<Mutex<Option<String>>>) -> Result<ConnectOptions, NatsFault> {
        let options = match &self.credentials {
            NatsCredentials::Nothing => ConnectOptions::new(),
            NatsCredentials::Login(user, password) => {
                ConnectOptions::with_user_and_password(user.clone(), password.clone())
            }
            NatsCredentials::File(path) => {
                let unreadable = |error: std::io::Error| {
                    NatsFault::Refused(format!("`{}`: {error}", path.display()))
                };
                #[expect(clippy::disallowed_methods, reason = "the file is the user's own")]
                let text = std::fs::read_to_string(path).map_err(unreadable)?;
                if text.contains("BEGIN") {
                    ConnectOptions::with_credentials(&text).map_err(unreadable)?
                } else {
                    ConnectOptions::with_nkey(text.trim().to_owned())
                }
            }
        };
        let options = options.event_callback(move |event| {
            let denied = denied.clone();
            async move {
                // Other errors, such as that of a stale connection, pass by themselves.
                if let Event::ServerError(error) = event
                    && error.to_string().to_ascii_lowercase().contains("permissions violation")
                {
                    *lock(&denied) = Some(error.to_string());
                }
            }
        });
        let options = options.connection_timeout(self.patience);
        Ok(options.request_timeout(Some(self.patience)).name("papayu-batch"))
    }
}

/// Returns an error with its causes.
pub(super) fn describe_error(error: &(dyn std::error::Error + 'static)) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = error.source();
    }
    message
}

/// Locks a mutex; a thread that panicked leaves nothing half done in one.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
