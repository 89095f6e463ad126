//! `papayu-batch doctor`: every setting with where it came from, and what a run needs.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cli::args::DoctorArgs;
use crate::cli::command::settings_file;
use crate::cli::{Call, CliError, Session, runtime};
use crate::fix::indexed;
use crate::fix::models::{ChosenModel, chosen_models};
use crate::project;
use crate::settings::ProviderChoice;
use papayu_base::domain::{ExitCode, RepoPath, SandboxLevel};
use papayu_providers::{self as providers, Reached, Replay};
use papayu_system::os::environment;
use papayu_system::{CommandSpec, Confinement, End, Entry, Process, System, Tree};

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grade {
    Ok,
    Warning,
    Failed,
}

impl Grade {
    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "failed",
        }
    }
}

struct DoctorCheck {
    name: &'static str,
    grade: Grade,
    detail: String,
}

/// Prints the settings and the checks; exit 2 when a run would fail for sure.
pub(crate) fn run_doctor(call: &Call, args: &DoctorArgs) -> Result<ExitCode, CliError> {
    if let Some(file) = &args.export {
        return settings_file::export(call, file, args.force);
    }
    if let Some(file) = &args.import {
        return settings_file::import(call, file, args.force);
    }
    let session = runtime::open_session(call, args.model.flags())?;
    let outside = runtime::open_runtime(&session)?;
    let system = outside.system();
    let (choice, why) = session.settings.provider(&session.repo);
    let mut checks = vec![
        DoctorCheck {
            name: "repository",
            grade: Grade::Ok,
            detail: session.tree.root().display().to_string(),
        },
        check_environment(),
        check_git(&session, system.process),
        check_sandbox(&session, system.process),
        check_folder(session.tree.as_ref(), &system.clock.fresh_id()),
    ];
    checks.extend(check_providers(&session, &choice, system));
    checks.extend(session.notices.iter().map(|notice| DoctorCheck {
        name: "settings",
        grade: Grade::Warning,
        detail: notice.clone(),
    }));
    let provider = json!({ "name": choice.name(), "why": why });
    let summary = describe_run(&session, &provider, &checks);
    call.print_result(
        &doctor_text(&session, &summary, &checks),
        &json!({
            "version": env!("CARGO_PKG_VERSION"),
            "provider": provider,
            "run": summary,
            "settings": session.settings.rows().map(|row| json!({
                "key": row.key,
                "value": row.shown_value,
                "origin": row.origin.to_string(),
                "trust": row.trust.word(),
                "env": row.env,
                "doc": row.doc,
            })).collect::<Value>(),
            "checks": checks.iter().map(|check| json!({
                "name": check.name,
                "grade": check.grade.name(),
                "detail": check.detail,
            })).collect::<Value>(),
        }),
    )?;
    // A warning does not prevent a run.
    let failed = checks.iter().any(|check| check.grade == Grade::Failed);
    Ok(if failed { ExitCode::Usage } else { ExitCode::Ok })
}

/// Returns what a run would do here, as names and descriptions in the order of their importance.
fn describe_run(
    session: &Session,
    provider: &Value,
    checks: &[DoctorCheck],
) -> serde_json::Map<String, Value> {
    let tree = session.tree.as_ref();
    let profile = project::detect(tree);
    let kind = profile.kind.name();
    let project =
        profile.marker.map_or_else(|| kind.to_owned(), |marker| format!("{kind} ({marker})"));
    let command = match (&session.settings.run_command.value, &profile.verify) {
        (Some(command), _) => format!("{command} (`run.command`)"),
        (None, Some(found)) => format!("{} (from {})", found.command, found.found_in),
        (None, None) => "none is detected; name one with `--run`".to_owned(),
    };
    let of_check = |name: &str| {
        let check = checks.iter().find(|check| check.name == name);
        check.map(|check| check.detail.clone()).unwrap_or_default()
    };
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let model = session.settings.llm_model.value.clone();
    let model = model.map_or_else(String::new, |model| format!(" {model}"));
    let model = format!(
        "{}{model} ({}){}",
        words(&provider["name"]),
        words(&provider["why"]),
        describe_window(session)
    );
    [
        ("project", project),
        ("test command", command),
        ("index", describe_index(session)),
        ("sandbox", of_check("sandbox")),
        ("model", model),
    ]
    .map(|(name, text)| (name.to_owned(), text.into()))
    .into_iter()
    .collect()
}

/// Returns the window of the models, where it comes from and what happens at its end; empty without a model.
fn describe_window(session: &Session) -> String {
    let settings = &session.settings;
    let (choice, _) = settings.provider(&session.repo);
    let models = chosen_models(session, &choice).unwrap_or_default();
    if models.is_empty() {
        return String::new();
    }
    let by_user = Some(settings.llm_context_window.value).filter(|tokens| *tokens > 0);
    let known = models.iter().filter_map(|model| model.config.known_window()).min();
    let (tokens, from) = match (by_user, known) {
        (Some(tokens), _) => (tokens, "`llm.context_window`"),
        (None, Some(tokens)) => (tokens.into(), "known for this model"),
        (None, None) => {
            return "; its window is not known, so nothing is compressed (`llm.context_window` names it)".to_owned();
        }
    };
    let by = settings.context_compress.value.name();
    format!(
        "; a window of {tokens} tokens ({from}), compressed from 80 % on (`context.compress` = {by})"
    )
}

/// Returns the state of the stored index of the repository.
fn describe_index(session: &Session) -> String {
    let known = indexed::count_known_files(session);
    match known {
        0 => "not built yet; the first run builds it".to_owned(),
        known => format!("facts of {known} files are stored; a run reads what has changed"),
    }
}

/// Returns what a run would do, the results of the checks, and the settings with their sources, as text.
fn doctor_text(
    session: &Session,
    summary: &serde_json::Map<String, Value>,
    checks: &[DoctorCheck],
) -> String {
    let mut text = format!("papayu-batch {}\n", env!("VERSION_WITH_COMMIT"));
    for (name, value) in summary {
        let _ = writeln!(text, "{:14}{}", format!("{name}:"), value.as_str().unwrap_or_default());
    }
    text += "\nchecks\n";
    for check in checks {
        let _ = writeln!(text, "  {:8} {:12} {}", check.grade.name(), check.name, check.detail);
    }
    text += "\nsettings: name, value, values that the file of the repository may set, source\n";
    text += "(repository: any; narrow: stricter ones; inside: paths inside of it; user: any if you trust it; never: none)\n";
    for row in session.settings.rows() {
        let value = if row.shown_value.is_empty() { "-".to_owned() } else { row.shown_value };
        let (key, trust) = (row.key, row.trust.word());
        let _ = writeln!(text, "  {key:25} {value:25} {trust:10} {}", row.origin);
    }
    text
}

/// Other processes of the user read secrets in `/proc/PID/environ` unless they are only in memory.
fn check_environment() -> DoctorCheck {
    let (grade, detail) = match environment::exposure() {
        None => (Grade::Ok, "other processes of the user cannot read it".to_owned()),
        Some(reason) => {
            (Grade::Warning, format!("other processes of the user can read it: {reason}"))
        }
    };
    DoctorCheck { name: "environment", grade, detail }
}

/// Checks that git runs, and its version.
fn check_git(session: &Session, process: &dyn Process) -> DoctorCheck {
    let command = CommandSpec {
        argv: vec!["git".into(), "--version".into()],
        cwd: session.tree.root().to_owned(),
        env: Vec::new(),
        keep_env: Vec::new(),
        timeout: Duration::from_secs(10),
        max_output: 10_000,
        confinement: None,
    };
    let mut printed = Vec::new();
    let end = process.run(&command, &mut |bytes| printed.extend_from_slice(bytes));
    let (grade, detail) = match end {
        Ok(End::Code(0)) => (Grade::Ok, String::from_utf8_lossy(&printed).trim().to_owned()),
        Ok(end) => (Grade::Warning, format!("`git --version` ended with {end:?}")),
        Err(error) => (Grade::Warning, error.to_string()),
    };
    DoctorCheck { name: "git", grade, detail }
}

/// Runs a command that does nothing in the sandbox.
fn check_sandbox(session: &Session, process: &dyn Process) -> DoctorCheck {
    let command = CommandSpec {
        argv: vec!["true".into()],
        cwd: session.tree.root().to_owned(),
        env: Vec::new(),
        keep_env: Vec::new(),
        timeout: Duration::from_secs(10),
        max_output: 10_000,
        confinement: Some(Confinement {
            is_read_only: false,
            tree: session.tree.root().to_owned(),
            network: session.settings.run_network.value.into(),
        }),
    };
    let ended = process.run(&command, &mut |_| {});
    let (grade, detail) = match (ended, process.sandbox_record()) {
        (Err(error), _) => (Grade::Failed, error.to_string()),
        (Ok(_), Some(record)) if record.level == SandboxLevel::Full => {
            (Grade::Ok, "full".to_owned())
        }
        (Ok(_), Some(record)) => {
            let (level, missing) = (record.level.name(), record.missing.join("; "));
            (Grade::Warning, format!("{level}, missing: {missing}"))
        }
        (Ok(end), None) => (Grade::Warning, format!("`true` ended with {end:?}")),
    };
    DoctorCheck { name: "sandbox", grade, detail }
}

/// Checks whether each provider can be reached, without a paid request.
fn check_providers(
    session: &Session,
    choice: &ProviderChoice,
    system: System<'_>,
) -> Vec<DoctorCheck> {
    let alone = |found: Result<String, String>| vec![provider_check("provider", found)];
    match choice {
        ProviderChoice::Suggestions => alone(Ok("the tools' own suggestions; no model".to_owned())),
        ProviderChoice::Replay(file) => alone(
            Replay::open_recording(system.disk, file)
                .map(|_| format!("{} can be read", file.display()))
                .map_err(|error| error.to_string()),
        ),
        _ => match chosen_models(session, choice) {
            Err(error) => alone(Err(error.to_string())),
            Ok(models) => models.iter().map(|model| check_model(model, system)).collect(),
        },
    }
}

/// Checks that a model can be reached; a warning if the server answers and does not list it.
fn check_model(model: &ChosenModel, system: System<'_>) -> DoctorCheck {
    match providers::check_reachable(&model.config, system) {
        Ok(Reached { detail, may_have_model: false }) => {
            DoctorCheck { name: model.role, grade: Grade::Warning, detail }
        }
        Ok(reached) => provider_check(model.role, Ok(reached.detail)),
        Err(error) => provider_check(model.role, Err(error.to_string())),
    }
}

/// Returns the check of a provider: the detail of a success, or the reason of a failure.
fn provider_check(name: &'static str, found: Result<String, String>) -> DoctorCheck {
    match found {
        Ok(detail) => DoctorCheck { name, grade: Grade::Ok, detail },
        Err(detail) => DoctorCheck { name, grade: Grade::Failed, detail },
    }
}

/// The journal, traces and results go below `.papa-yu`; what is made to find out is removed again.
fn check_folder(tree: &dyn Tree, id: &str) -> DoctorCheck {
    let (grade, detail) = match try_folder(tree, id) {
        Ok(()) => (Grade::Ok, "can be written".to_owned()),
        Err(error) => (Grade::Failed, format!("cannot be written: {error}")),
    };
    DoctorCheck { name: ".papa-yu", grade, detail }
}

/// Checks that the state folder can be written, and leaves nothing behind.
fn try_folder(tree: &dyn Tree, id: &str) -> io::Result<()> {
    let path = |text: &str| RepoPath::parse(text).map_err(io::Error::other);
    let folder = path(".papa-yu")?;
    // A check must not leave a folder in a repository that has none.
    let fresh = tree.entry(&folder)? == Entry::Missing;
    if fresh {
        tree.create_dir(&folder)?;
    }
    let probe = path(&format!(".papa-yu/doctor-{id}"))?;
    let tried = tree.create(&probe, b"", 0o600).and_then(|()| tree.remove_file(&probe));
    if fresh {
        tree.remove_dir(&folder)?;
    }
    tried
}
