//! Opens the session of a command: reads the environment, watches signals, prints events.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry;

use super::args::Command;
use super::call::Call;
use super::command_output::CommandPrinter;
use super::error::CliError;
use super::event_lines::EventLines;
use super::event_text::Mask;
use super::loudness::Loudness;
use super::output;
use super::progress::Spinner;
use super::silence::{SilenceWatch, WatchedOutput};
use super::streams::{self, Stderr};
use crate::emit;
use crate::fix::known_secrets::environment_masker;
use crate::fix::runtime::Runtime;
use crate::fix::{Session, SessionSource};
use crate::settings::{self, FlagValue, ValueOrigin};
use papayu_base::domain::event::NoEvents;
use papayu_base::domain::{Event, EventName, EventSink, Outcome, RunId};
use papayu_base::text::Masker;
use papayu_system::Clock as _;
use papayu_system::os::{OsClock, OsDisk, OsHttp, environment, signal};
use papayu_system::trace::{
    Console, ConsoleForm, EventLayer, EventOutput, OtlpConfig, OtlpLayer, TARGET, TracingSink,
};

/// Removes what killed runs left among the temporary files, before a command that does more than to print a text of the program.
pub(super) fn remove_leftovers(command: &Command) {
    if !matches!(command, Command::Schema(_) | Command::Completions(_) | Command::Man(_)) {
        papayu_system::os::remove_leftovers();
    }
}

/// Opens the repository that the arguments name; `flags` are those of the command itself.
///
/// Unknown variables of the program are warnings. Fails as [`Session::open`] does.
pub(super) fn open_session(call: &Call, flags: Vec<FlagValue>) -> Result<Session, CliError> {
    let session = Session::open(warned_place(call, flags))?;
    streams::limit_each(session.settings.run_timeout_sec.value);
    Ok(session)
}

/// Opens the session of a command that leaves an outcome. With `--out`, an error leaves one too.
pub(super) fn open_run_session(call: &Call, flags: Vec<FlagValue>) -> Result<Session, CliError> {
    let opened = Session::open(warned_place(call, flags));
    if let (Err(error), Some(out)) = (&opened, &call.global.out) {
        let clock = OsClock::new(Arc::default());
        let mut outcome =
            Outcome::new(RunId::new(clock.fresh_id()), error.outcome(), error.to_string());
        outcome.hint = error.hint();
        outcome.error_code = error.code_name().map(str::to_owned);
        let results = emit::Results::default();
        let masker = environment_masker(&environment::snapshot());
        if let Err(unwritten) = emit::write_results(&OsDisk, out, &mut outcome, &results, &masker) {
            output::print_warning(&unwritten.to_string());
        }
    }
    let session = opened?;
    streams::limit_run(session.settings.run_timeout_sec.value);
    Ok(session)
}

/// Returns the place of a session after warnings about variables that are not ours.
fn warned_place(call: &Call, flags: Vec<FlagValue>) -> SessionSource {
    let place = session_place(call, flags);
    for name in settings::foreign_variables(&place.environment) {
        output::print_warning(&format!("`{name}` is not a setting and is ignored"));
    }
    place
}

/// Returns the repository that the arguments name, and where its settings come from.
pub(super) fn session_place(call: &Call, flags: Vec<FlagValue>) -> SessionSource {
    streams::limit_start();
    SessionSource {
        repo: call.global.repo.clone(),
        temporary: false,
        config: call.global.config.clone(),
        environment: environment::snapshot(),
        flags: [call.global.flags(), flags].concat(),
        notices: environment::exposure()
            .map(|reason| format!("other processes can read the environment of this one: {reason}"))
            .into_iter()
            .collect(),
        ..SessionSource::default()
    }
}

/// Installs the signal handlers and returns the access to the system for a run.
///
/// Fails with [`CliError::Signals`] if the handlers cannot be installed.
pub(super) fn open_runtime(session: &Session) -> Result<Runtime, CliError> {
    let interrupted: Arc<AtomicBool> = signal::watch().map_err(CliError::Signals)?;
    Ok(Runtime::new(session, &interrupted))
}

/// The event sink of a command, and the exporter of its spans where one is configured.
pub(super) struct Observer {
    sink: Box<dyn EventSink>,
    exporter: Option<OtlpLayer>,
    /// Prints what the user's command prints, where that was asked for.
    command_output: Option<CommandPrinter>,
    /// `None` on a terminal, where a line moves.
    silence: Option<SilenceWatch>,
}

impl EventSink for Observer {
    fn emit(&self, event: Event) {
        if let Some(output) =
            self.command_output.as_ref().filter(|_| event.name == EventName::VerifyFinished)
        {
            output.flush();
        }
        self.sink.emit(event);
    }

    fn push_output(&self, bytes: &[u8]) {
        if let Some(output) = &self.command_output {
            output.push(bytes);
            self.silence.iter().for_each(SilenceWatch::note_output);
        }
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        if let Some(error) = self.exporter.as_ref().and_then(OtlpLayer::error) {
            output::print_warning(&format!("spans were not exported: {error}"));
        }
    }
}

/// Installs the `tracing` subscriber of the process: it prints events (one
/// moving line on a terminal, otherwise a line each) and exports spans where
/// `OTEL_EXPORTER_OTLP_ENDPOINT` is set.
pub(super) fn observe_run(session: &Session, masker: &Arc<Masker>, loudness: Loudness) -> Observer {
    let quiet = loudness == Loudness::Quiet;
    // `PAPAYU_TRACE=1` in the environment asks for the lines of the trace, beyond the files that are the default.
    let traced = &session.settings.trace_enabled;
    let prints_trace = loudness == Loudness::Verbose
        || traced.value && matches!(traced.origin, ValueOrigin::Env(_));
    let form = session.settings.log_format.value;
    let (printer, silence) =
        if quiet { (None, None) } else { event_printer(masker, form, prints_trace) };
    let exporter = span_exporter(session, masker);
    let command_output =
        (loudness == Loudness::Verbose).then(|| CommandPrinter::new(mask_with(masker)));
    if printer.is_none() && exporter.is_none() {
        // Without a subscriber, `tracing` skips every span at the cost of one atomic load.
        return Observer { sink: Box::new(NoEvents), exporter, command_output, silence };
    }
    // Dependencies use `tracing` too; their events and spans are not ours to print or export.
    let ours = Targets::new().with_target(TARGET, LevelFilter::INFO);
    let subscriber =
        registry().with(ours).with(printer.map(EventLayer::new)).with(exporter.clone());
    // A second call in one process, as in tests, keeps the first subscriber.
    let _ = tracing::subscriber::set_global_default(subscriber);
    let sink: Box<dyn EventSink> =
        if quiet { Box::new(NoEvents) } else { Box::new(TracingSink::new()) };
    Observer { sink, exporter, command_output, silence }
}

/// Returns the output of events, and the watch for silence where lines are printed.
fn event_printer(
    masker: &Arc<Masker>,
    form: ConsoleForm,
    prints_trace: bool,
) -> (Option<Box<dyn EventOutput>>, Option<SilenceWatch>) {
    let mask = mask_with(masker);
    let lines: Arc<dyn EventOutput> = match form {
        ConsoleForm::Human if !prints_trace && Spinner::is_possible() => {
            return (Some(Box::new(Spinner::new(mask))), None);
        }
        ConsoleForm::Human if !prints_trace => Arc::new(EventLines::new(mask)),
        ConsoleForm::Human | ConsoleForm::Json => {
            Arc::new(Console::new(form, mask, Box::new(Stderr)))
        }
    };
    let output = WatchedOutput::new(lines, mask_with(masker));
    let silence = output.watch();
    (Some(Box::new(output)), Some(silence))
}

/// Returns the exporter that the environment asks for; a wrong endpoint is a warning, not an error,
/// because observability must not stop a repair.
fn span_exporter(session: &Session, masker: &Arc<Masker>) -> Option<OtlpLayer> {
    let config = OtlpConfig::from_environment(&session.environment).unwrap_or_else(|error| {
        output::print_warning(&format!("spans are not exported: {error}"));
        None
    })?;
    // The run's own flag would drop the spans of an interrupted run.
    let never = Arc::new(AtomicBool::new(false));
    let (http, clock) = (OsHttp::new(never.clone()), OsClock::new(never));
    Some(OtlpLayer::new(config, Box::new(http), Box::new(clock), mask_with(masker)))
}

/// Returns the mask of the run as a function.
fn mask_with(masker: &Arc<Masker>) -> Mask {
    let masker = masker.clone();
    Box::new(move |text: &str| masker.mask(text).into_owned())
}
