//! The real world for one command: signals watched, the environment read, events shown.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::args::GlobalArgs;
use super::error::CliError;
use super::progress::Progress;
use crate::domain::EventSink;
use crate::domain::event::NoEvents;
use crate::fix::outside::Outside;
use crate::fix::{Place, Session};
use crate::settings::FlagValue;
use crate::system::os::{environment, signal};
use crate::text::Masker;
use crate::trace::{Console, ConsoleForm};

/// Opens the repository that the arguments name; `flags` are those of the command itself.
pub(super) fn session(global: &GlobalArgs, flags: Vec<FlagValue>) -> Result<Session, CliError> {
    Ok(Session::open(place(global, flags))?)
}

/// Returns the repository that the arguments name, and where its settings come from.
pub(super) fn place(global: &GlobalArgs, flags: Vec<FlagValue>) -> Place {
    Place {
        repo: global.repo.clone(),
        temporary: false,
        config: global.config.clone(),
        environment: environment::snapshot(),
        flags: [global.flags(), flags].concat(),
    }
}

/// Installs the signal handlers and returns the access to the system for a run.
pub(super) fn outside(session: &Session) -> Result<Outside, CliError> {
    let interrupted: Arc<AtomicBool> = signal::watch().map_err(CliError::Signals)?;
    Ok(Outside::new(session, &interrupted))
}

/// Returns where events go: nowhere, one moving line on a terminal, or a line each.
pub(super) fn events(masker: &Arc<Masker>, form: ConsoleForm, quiet: bool) -> Box<dyn EventSink> {
    let masker = masker.clone();
    let mask = Box::new(move |text: &str| masker.mask(text).into_owned());
    match form {
        _ if quiet => Box::new(NoEvents),
        ConsoleForm::Human if Progress::is_possible() => Box::new(Progress::new(mask)),
        ConsoleForm::Human => {
            Box::new(Console::new(ConsoleForm::Human, mask, Box::new(anstream::stderr())))
        }
        ConsoleForm::Json => {
            Box::new(Console::new(ConsoleForm::Json, mask, Box::new(io::stderr())))
        }
    }
}
