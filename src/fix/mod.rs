//! One repository from red to green: the settings read, the run assembled, its results left.
//!
//! [`fix()`] prints nothing, reads no environment and keeps no state: threads may call it at once, each for its repository.

mod agent_sync;
mod attribution;
mod base_file;
mod check_run;
pub(crate) mod ci_environment;
pub(crate) mod commands;
pub(crate) mod config;
pub(crate) mod continued;
pub(crate) mod delivery;
mod engine_task;
mod error;
pub(crate) mod failure_input;
pub(crate) mod fetched_recipes;
mod finding_task;
pub(crate) mod findings_input;
pub(crate) mod forge_access;
pub(crate) mod green;
pub(crate) mod indexed;
pub(crate) mod input;
pub(crate) mod known_secrets;
pub(crate) mod models;
pub(crate) mod noted;
pub(crate) mod online;
mod outputs;
mod plain_http;
pub(crate) mod publication;
mod reading;
mod recheck;
pub(crate) mod recipes;
mod refusal;
pub(crate) mod remembered;
mod repository_settings;
pub(crate) mod repository_texts;
mod request;
pub(crate) mod research_summary;
pub(crate) mod run;
pub(crate) mod run_context;
pub(crate) mod runtime;
pub(crate) mod schedule;
mod session;
pub(crate) mod shared_store;
mod snyk_api;
mod text_file;
mod tracked;
mod undo;
mod work_forms;

use std::sync::Arc;

pub use continued::ContinueError;
pub use error::FixError;
pub(crate) use error::STAYS_IN_CLONE;
pub use findings_input::FindingsSource;
pub use input::{Input, LogSource};
use papayu_base::domain::{EventSink, RunId};
use papayu_system::{Http, os::OsHttp};
pub use request::{FixReport, FixRequest, Request};
use runtime::{MaskedEvents, Runtime};
pub use session::{Session, SessionSource};
pub(crate) use text_file::{text, text_within};

/// Plans, applies, verifies and delivers. There is always an outcome, and on return the tree is changed and proved, or restored.
/// Secrets in events are masked. Outputs requested as [`Emit`](crate::settings::Emit) are produced here; step summaries are the caller's.
///
/// ```no_run
/// use papayu_batch::{FixRequest, domain::NoEvents, domain::OutcomeKind};
///
/// let request = FixRequest::new("path/to/repository").setting("run.command", "npm test");
/// let fixed = papayu_batch::fix(request, &NoEvents);
/// assert_eq!(fixed.outcome.outcome, OutcomeKind::Fixed);
/// ```
pub fn fix(request: FixRequest, events: &dyn EventSink) -> FixReport {
    let http = Arc::new(OsHttp::new(request.interrupted.clone()));
    fix_through(request, events, http)
}

/// Does the same as [`fix`] with the caller's HTTP client: for a shared connection pool, rate limits or a test double.
pub fn fix_through(request: FixRequest, events: &dyn EventSink, http: Arc<dyn Http>) -> FixReport {
    let FixRequest { id, place, input, interrupted, gate, fetched } = request;
    let temporary = place.temporary;
    let session = match Session::open(place) {
        Ok(session) => session,
        Err(error) => {
            let id = id.unwrap_or_else(|| RunId::new(uuid::Uuid::new_v4().to_string()));
            return FixReport::failed_to_start(id, error, std::path::PathBuf::new());
        }
    };
    let runtime = Runtime::through(&session, &interrupted, http)
        .ending_at(session.settings.run_timeout_sec.value);
    let events = MaskedEvents { sink: events, masker: &runtime.masker };
    let blocked = input.check(&session).err();
    let staying = session.settings.run_emit.value.iter().find_map(|emit| emit.staying());
    let blocked = staying.filter(|_| temporary).map(FixError::StaysInClone).or(blocked);
    let context = run_context::RunContext { session: &session, runtime: &runtime, events: &events };
    run::run(context, Request { id, input, blocked, gate, fetched, ..Request::default() })
}
