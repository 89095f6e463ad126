//! Installs what the project needs before the first run of the command.

use super::fatal::Fatal;
use super::run::Run;
use super::task::SetupStep;
use super::world_facts::find_broken_lock;
use crate::verify::{self, Ran, VerifyConfig, VerifyError};
use output::{SetupOutput, read_output};
use papayu_base::domain::event::{Event as RunEvent, EventName};
use papayu_base::domain::outcome::OutcomeKind;
use papayu_base::domain::{ErrorCode, Evidence, FailureClass, FailureReport, RepoPath, Triage};
use papayu_system::{End, NetworkMode};

mod changed;
mod output;

pub(super) use changed::{InstallEnd, install_changed};

/// The hint about a command that changes more than it installs.
const HARMLESS: &str =
    "restore the repository with git, and name a setup command that only installs";

/// Performs the steps. Returns `false` if a signal or the time limit of the run ended one.
///
/// # Errors
///
/// Returns [`Fatal`] (`ERR_SETUP`) with the lines that show why of the first command that does not end with exit code 0, and for a
/// command that changes the repository in a way that cannot be undone.
pub(super) fn prepare(run: &mut Run<'_>) -> Result<bool, Fatal> {
    let inputs = run.inputs;
    let plan = &inputs.config.setup;
    for step in &plan.steps {
        let installation = match step {
            SetupStep::Command(command) => {
                if !run_step(run, command)? {
                    return Ok(false);
                }
                continue;
            }
            SetupStep::Usual(installation) => installation,
        };
        if installation.is_current(inputs.world.tree) {
            continue;
        }
        // The sandbox shows only the caches that exist; a tool makes another one if this cannot be made.
        for cache in plan.home.iter().flat_map(|home| installation.caches_in(home)) {
            let _ = inputs.world.system.disk.make_folder(&cache);
        }
        for command in &installation.commands {
            if !run_step(run, command)? {
                return Ok(false);
            }
        }
        if let Some(marker) = installation.marker.filter(|marker| marker.is_ours) {
            // Without the marker the next run installs again.
            let path = RepoPath::parse(marker.path);
            let _ = path.map(|path| write_marker(run, &path));
        }
    }
    Ok(true)
}

fn write_marker(run: &Run<'_>, path: &RepoPath) -> std::io::Result<()> {
    let tree = run.inputs.world.tree;
    // A new file, so that its time is that of this installation.
    let _ = tree.remove_file(path);
    tree.create(path, b"everything is installed\n", 0o644)
}

/// Runs one command. Tracked files that it changes are restored. Returns `false` if a signal or the time limit of the run
/// ended it.
fn run_step(run: &mut Run<'_>, command: &str) -> Result<bool, Fatal> {
    let inputs = run.inputs;
    let world = inputs.world;
    if world.system.clock.interrupted() {
        return Ok(false);
    }
    let started = RunEvent::new(EventName::VerifyStarted).with("command", command);
    inputs.emit_event(started.with("purpose", "to install what the project needs"));
    let own = run.changes.tracked.read(world.tree, world.git);
    let (ran, output) = read_output(world.matchers, world.masker, |push| {
        run_with_network(run, command, &mut |bytes| {
            world.events.push_output(bytes);
            push(bytes);
        })
    });
    let restored = run.changes.tracked.restore_files(inputs, own);
    let ran = ran.map_err(|error| failed(run, &error.to_string(), &SetupOutput::default()))?;
    let record = ran.check_record(&world.masker.mask(command), &FailureReport::default(), None);
    inputs.emit_event(
        RunEvent::new(EventName::VerifyFinished)
            .with("exit_code", record.exit_code)
            .with("failures", 0_u64)
            .with("ms", record.ms),
    );
    run.checks.setup.push(record);
    // Checked whatever the exit code: a run on another commit would prove nothing.
    let harm = restored.err().or_else(|| run.changes.tracked.find_harm(inputs).map(str::to_owned));
    if let Some(harm) = harm {
        let fact = format!("the setup command `{command}` {harm}");
        return Err(Fatal {
            hint: Some(HARMLESS.to_owned()),
            ..failed(run, &fact, &SetupOutput::default())
        });
    }
    let end = match ran.end {
        End::Code(0) => return Ok(true),
        End::Interrupted => return Ok(false),
        End::TimedOut if inputs.time_left().is_zero() => return Ok(false),
        End::TimedOut => "did not end in time".to_owned(),
        End::TooMuchOutput => "wrote too much output".to_owned(),
        End::Code(code) => format!("failed with exit code {code}"),
        End::Signal(signal) => format!("was ended by signal {signal}"),
    };
    let fact = format!("the setup command `{command}` {end}");
    let next_step = find_broken_lock(&world).or(output.next_step);
    Err(failed(run, &fact, &SetupOutput { next_step, ..output }))
}

/// Runs the command with the registries as its network, unless the user decided about the network. Where the machine cannot
/// restrict it to them, the command has all of it, as all commands there.
fn run_with_network(
    run: &Run<'_>,
    command: &str,
    on_output: &mut dyn FnMut(&[u8]),
) -> Result<Ran, VerifyError> {
    let inputs = run.inputs;
    let root = inputs.world.tree.root();
    let timeout = inputs.config.setup.timeout.min(inputs.time_left());
    let own = VerifyConfig { timeout, ..inputs.config.verify.clone() };
    if own.network != NetworkMode::Auto {
        return verify::run_command(inputs.world.system, root, command, &own, on_output);
    }
    let deps = VerifyConfig { network: NetworkMode::Deps, ..own.clone() };
    verify::run_command(inputs.world.system, root, command, &deps, on_output)
        .or_else(|_| verify::run_command(inputs.world.system, root, command, &own, on_output))
}

/// Returns the end of a run after a failed preparation, and records the class of the failure.
fn failed(run: &mut Run<'_>, fact: &str, output: &SetupOutput) -> Fatal {
    run.failure.triage = Triage {
        class: FailureClass::Environment,
        evidence: vec![Evidence { rule: "setup".to_owned(), line: fact.to_owned(), number: None }],
        next_step: None,
    };
    run.checks.is_unprepared = true;
    let code = ErrorCode::Setup;
    let lines: String =
        output.lines.iter().map(String::as_str).flat_map(|line| ["\n  ", line]).collect();
    let reason = format!("an environment failure: {fact}{lines}");
    let hint = output.next_step.as_deref().unwrap_or(code.row().hint);
    Fatal { code: Some(code), ..Fatal::new(OutcomeKind::NotFixed, reason, hint) }
}
