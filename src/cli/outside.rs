//! The real world for one run: signals, processes, network, clock, what is secret, where events go.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::ExposeSecret as _;

use super::error::CliError;
use super::progress::Progress;
use super::session::Session;
use crate::domain::EventSink;
use crate::domain::event::NoEvents;
use crate::settings::LogFormat;
use crate::system::environment::is_secret;
use crate::system::os::{OsClock, OsDisk, OsHttp, OsProcess, signal};
use crate::system::{Clock as _, System};
use crate::text::Masker;
use crate::trace::{Console, ConsoleForm};

/// The doors a run goes through.
pub(super) struct Outside {
    /// When the command began, RFC 3339 in UTC.
    pub(super) started: String,
    disk: OsDisk,
    process: OsProcess,
    http: OsHttp,
    clock: OsClock,
    /// Hides the settings' secrets and those of the environment.
    pub(super) masker: Arc<Masker>,
}

impl Outside {
    /// Watches signals and makes the doors; nothing is opened yet.
    pub(super) fn new(session: &Session) -> Result<Self, CliError> {
        let interrupted: Arc<AtomicBool> = signal::watch().map_err(CliError::Signals)?;
        let key = session.settings.llm_api_key.value.as_ref();
        let known = session
            .environment
            .iter()
            .filter(|(name, _)| is_secret(name) && !is_plain_setting(name))
            .map(|(_, value)| value.clone())
            .chain(key.map(|key| key.expose_secret().to_owned()))
            .chain(forge_secrets(session));
        let clock = OsClock::new(interrupted.clone());
        Ok(Self {
            started: clock.timestamp(),
            disk: OsDisk,
            process: OsProcess::new(interrupted.clone(), session.environment.clone()),
            http: OsHttp::new(interrupted),
            clock,
            masker: Arc::new(Masker::new(known)),
        })
    }

    /// Returns the doors as the library takes them.
    pub(super) fn system(&self) -> System<'_> {
        System { disk: &self.disk, process: &self.process, http: &self.http, clock: &self.clock }
    }

    /// Returns where events go: nowhere, one moving line on a terminal, or a line each.
    pub(super) fn events(&self, form: LogFormat, quiet: bool) -> Box<dyn EventSink> {
        let masker = self.masker.clone();
        let mask = Box::new(move |text: &str| masker.mask(text).into_owned());
        match form {
            _ if quiet => Box::new(NoEvents),
            LogFormat::Human if Progress::is_possible() => Box::new(Progress::new(mask)),
            LogFormat::Human => {
                Box::new(Console::new(ConsoleForm::Human, mask, Box::new(anstream::stderr())))
            }
            LogFormat::Json => {
                Box::new(Console::new(ConsoleForm::Json, mask, Box::new(std::io::stderr())))
            }
        }
    }
}

/// The token, and the form in which pushes carry it.
fn forge_secrets(session: &Session) -> Vec<String> {
    let token = session.settings.github_token.value.as_ref();
    let token = token.map(|token| token.expose_secret().trim().to_owned());
    let pair = |token: &String| STANDARD.encode(format!("x-access-token:{token}"));
    token.iter().map(pair).chain(token.clone()).collect()
}

/// Our own variables are kept from children, but their values are words such as `openai` that must
/// not be masked everywhere; the key is masked by its value.
fn is_plain_setting(name: &str) -> bool {
    name.starts_with("PAPAYU_")
}
