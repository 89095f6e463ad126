//! The real world for one run: processes, network, clock, what is secret.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::ExposeSecret as _;
use serde_json::Value;

use super::session::Session;
use crate::domain::{Event, EventSink};
use crate::system::environment::is_secret;
use crate::system::os::{OsClock, OsDisk, OsHttp, OsProcess};
use crate::system::{Clock as _, Http, System};
use crate::text::Masker;

/// The system interfaces of a run.
pub(crate) struct Runtime {
    /// When the command began, RFC 3339 in UTC.
    pub(crate) started: String,
    disk: OsDisk,
    process: OsProcess,
    http: Arc<dyn Http>,
    clock: OsClock,
    /// Hides the settings' secrets and those of the environment.
    pub(crate) masker: Arc<Masker>,
}

impl Runtime {
    /// Returns the interfaces; nothing is opened yet. Waiting operations end soon after
    /// `interrupted` becomes true.
    pub(crate) fn new(session: &Session, interrupted: &Arc<AtomicBool>) -> Self {
        Self::through(session, interrupted, Arc::new(OsHttp::new(interrupted.clone())))
    }

    /// Returns the same with the caller's HTTP client.
    pub(crate) fn through(
        session: &Session,
        interrupted: &Arc<AtomicBool>,
        http: Arc<dyn Http>,
    ) -> Self {
        let key = session.settings.llm_api_key.value.as_ref();
        let known = session
            .environment
            .iter()
            .filter(|(name, _)| is_secret(name) && !is_plain_setting(name))
            .map(|(_, value)| value.clone())
            .chain(key.map(|key| key.expose_secret().to_owned()))
            .chain(forge_secrets(session))
            .chain(queue_secrets(session));
        let clock = OsClock::new(interrupted.clone());
        Self {
            started: clock.timestamp(),
            disk: OsDisk,
            process: OsProcess::new(interrupted.clone(), session.environment.clone()),
            http,
            clock,
            masker: Arc::new(Masker::new(known)),
        }
    }

    /// Returns the interfaces in the form that the library takes.
    pub(crate) fn system(&self) -> System<'_> {
        System {
            disk: &self.disk,
            process: &self.process,
            http: self.http.as_ref(),
            clock: &self.clock,
        }
    }
}

/// Masks secrets in every text of an event before it is passed on.
pub(crate) struct MaskedEvents<'a> {
    pub(crate) sink: &'a dyn EventSink,
    pub(crate) masker: &'a Masker,
}

impl EventSink for MaskedEvents<'_> {
    fn emit(&self, mut event: Event) {
        for (_, value) in &mut event.fields {
            if let Value::String(text) = value {
                *text = self.masker.mask(text).into_owned();
            }
        }
        self.sink.emit(event);
    }
}

/// The token, and the form in which pushes carry it.
fn forge_secrets(session: &Session) -> Vec<String> {
    let token = session.settings.github_token.value.as_ref();
    let token = token.map(|token| token.expose_secret().trim().to_owned());
    let pair = |token: &String| STANDARD.encode(format!("x-access-token:{token}"));
    token.iter().map(pair).chain(token.clone()).collect()
}

/// The queue's address, and the password in it.
fn queue_secrets(session: &Session) -> Vec<String> {
    let url = session.settings.queue_url.value.as_ref();
    let Some(url) = url.map(|url| url.expose_secret().trim().to_owned()) else { return Vec::new() };
    let password = url::Url::parse(&url).ok();
    let password = password.and_then(|url| url.password().map(str::to_owned));
    password.map(|password| vec![url, password]).unwrap_or_default()
}

/// Our own variables are kept from children, but their values are words such as `openai` that must
/// not be masked everywhere; the key is masked by its value.
fn is_plain_setting(name: &str) -> bool {
    name.starts_with("PAPAYU_")
}
