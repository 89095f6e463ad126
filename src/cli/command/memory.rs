//! `papayu-batch memory`: the engineering memory shown, changed and checked.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::cli::args::{MemoryArgs, MemoryCommand};
use crate::cli::{Call, CliError, Session, runtime};
use crate::fix::FixError;
use crate::fix::remembered::{change_memory, read_own_file};
use crate::fix::repository_texts::{ReadMemory, RepositoryTexts};
use crate::fix::run_context::RunContext;
use crate::fix::runtime::Runtime;
use papayu_base::domain::{ExitCode, NoEvents};
use papayu_system::memory::{Layer, MAX_BLOCK, MemoryKey, read_layer, render_block};

/// Shows, sets, removes or checks values of the memory, as the arguments name it.
///
/// Fails with [`CliError::NoMemoryKey`] for an unknown key, with [`CliError::MemoryValue`] for a value of
/// another form or with a secret, and with [`FixError::Memory`] if a file cannot be read or written. Nothing is
/// changed then.
pub(crate) fn run_memory(call: &Call, args: &MemoryArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(call, Vec::new())?;
    match &args.command {
        MemoryCommand::Show => show_memory(&session, call)?,
        MemoryCommand::Set { key, value } => {
            let key = find_key(key)?;
            let value = key.read_words(value);
            key.check(&value)
                .and_then(|()| refuse_secret(&session, &value))
                .map_err(|reason| CliError::MemoryValue { key: key.dotted(), reason })?;
            change(&session, key, Some(&value), call)?;
        }
        MemoryCommand::Unset { key } => change(&session, find_key(key)?, None, call)?,
        MemoryCommand::Check => return check_files(&session, call),
    }
    Ok(ExitCode::Ok)
}

/// Refuses a value with a secret: every request to a model would have it, and `project.json` is committed.
fn refuse_secret(session: &Session, value: &Value) -> Result<(), String> {
    let masker = Runtime::new(session, &Arc::default()).masker;
    let has_secret = masker.masked_json(value.clone()).into_inner() != *value;
    if has_secret { Err("it has a secret".to_owned()) } else { Ok(()) }
}

fn find_key(dotted: &str) -> Result<&'static MemoryKey, CliError> {
    MemoryKey::find(dotted).ok_or_else(|| CliError::NoMemoryKey { key: dotted.to_owned() })
}

/// Prints the values with the text of the requests, and what of the files has no effect.
fn show_memory(session: &Session, call: &Call) -> Result<(), CliError> {
    let outside = runtime::open_runtime(session)?;
    let context = RunContext { session, runtime: &outside, events: &NoEvents };
    let read = ReadMemory::read(session, &RepositoryTexts::read(context, None));
    let (block, left_out) = render_block(&read.memory, &outside.masker);
    let block = block.as_ref().map(|block| block.as_str().trim_end());
    let values = |layer| outside.masker.masked_json(read.memory.to_json(layer)).into_inner();
    let (user, project) = (values(Layer::User), values(Layer::Project));
    let mut text = String::new();
    for (layer, values) in [(Layer::User, &user), (Layer::Project, &project)] {
        for (name, value) in values.as_object().into_iter().flatten() {
            let _ = writeln!(text, "{}.{name} = {value}", layer.name());
        }
    }
    if text.is_empty() {
        text.push_str("the engineering memory is empty\n");
    }
    for name in &left_out {
        let _ = writeln!(text, "{name} is left out: the text has at most {MAX_BLOCK} bytes");
    }
    for fault in faults_of(&read) {
        let _ = writeln!(text, "{fault}");
    }
    let json = json!({
        "user": user, "project": project, "block": block, "left_out": left_out,
        "faults": faults_of(&read),
    });
    call.print_result(&text, &json)
}

/// Returns what of the files has no effect, a line each.
fn faults_of(read: &ReadMemory) -> Vec<String> {
    let keys = read.dropped.iter().map(|(key, reason)| format!("{key} has no effect: {reason}"));
    read.faults.iter().cloned().chain(keys).collect()
}

/// Sets or removes a value, and prints the new state of the key.
fn change(
    session: &Session,
    key: &MemoryKey,
    value: Option<&Value>,
    call: &Call,
) -> Result<(), CliError> {
    let outside = runtime::open_runtime(session)?;
    change_memory(session, outside.system().clock, key.layer, |memory| match value {
        // The form was checked before the file was opened.
        Some(value) => drop(memory.set(key, value.clone())),
        None => drop(memory.unset(key)),
    })?;
    let dotted = key.dotted();
    let shown = match value {
        Some(value) => format!("{dotted} = {value}"),
        None => format!("{dotted} is not set"),
    };
    let is_own = session.settings.trusts_repository(session.tree.root());
    let advice = match key.layer {
        Layer::Project if !is_own => {
            "\ncommit `.papa-yu/project.json`: jobs for pull requests read it from the commit"
        }
        _ => "",
    };
    call.print_result(&format!("{shown}{advice}"), &json!({ "key": dotted, "value": value }))
}

/// Checks the files as they are on disk.
fn check_files(session: &Session, call: &Call) -> Result<ExitCode, CliError> {
    let mut rows = Vec::new();
    for layer in [Layer::User, Layer::Project] {
        let Some((path, text)) = read_own_file(session, layer).map_err(FixError::Memory)? else {
            continue;
        };
        let faults = match read_layer(layer, &text) {
            Ok((_, dropped)) => {
                dropped.iter().map(|(key, reason)| format!("{key}: {reason}")).collect()
            }
            Err(reason) => vec![reason],
        };
        rows.push((path, faults));
    }
    let faults: usize = rows.iter().map(|(_, faults): &(String, Vec<String>)| faults.len()).sum();
    let text: String = rows.iter().fold(String::new(), |text, (path, faults)| {
        let state = if faults.is_empty() { "ok".to_owned() } else { faults.join("\n  ") };
        text + &format!("{path}\n  {state}\n")
    });
    let text = if rows.is_empty() { "there are no files\n".to_owned() } else { text };
    let files: Vec<Value> =
        rows.iter().map(|(path, faults)| json!({ "path": path, "faults": faults })).collect();
    call.print_result(&text, &json!({ "files": files }))?;
    Ok(if faults == 0 { ExitCode::Ok } else { ExitCode::NotFixed })
}
