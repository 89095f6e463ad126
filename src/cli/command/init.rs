//! `papayu-batch init`: writes a commented settings file and, on request, a workflow.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::args::InitArgs;
use crate::cli::{Call, CliError, runtime};
use crate::fix::FixError;
use crate::project::{self, Profile, TestCommand};
use crate::settings::{self, KEYS, SettingsSources};
use papayu_base::domain::{ExitCode, RepoPath};
use papayu_system::Tree;

/// The settings file of a repository.
const SETTINGS_FILE: &str = "papayu.toml";
/// The workflow, from the repository's root.
const WORKFLOW_FILE: &str = ".github/workflows/papayu-fix.yml";
/// Longer files are no workflows.
const MAX_WORKFLOW_BYTES: u64 = 1024 * 1024;
const WORKFLOW: &str = include_str!("../../../examples/workflows/fix-on-failure.yml");

/// Settings that a repository usually has an opinion about.
const LISTED: [&str; 12] = [
    "run.command", "run.max_attempts", "run.require_proof", "run.verify_timeout_sec",
    "budget.max_tokens", "budget.max_cost", "paths.protected", "paths.allowed", "pr.base",
    "pr.reviewers", "pr.draft", "llm.model",
];

const INTRODUCTION: &str = "\
# Settings of papayu-batch for this repository. Lines that begin with `#` show the defaults.
#
# This file can restrict what a run may do, and not extend it. Keys and addresses of models come from the
# environment or your own file. `papayu-batch doctor` shows every setting with its source.
";

/// Writes the files that do not exist yet. The exit code is 1 if all of them do.
pub(crate) fn write_files(call: &Call, args: &InitArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(call, Vec::new())?;
    let profile = project::detect(session.tree.as_ref());
    let settings = render_settings(&profile)?;
    let command = profile.verify;
    let tree = session.tree.as_ref();
    let mut files = vec![(tree, SETTINGS_FILE, settings.as_str())];
    // A forge reads workflows only at the top of the repository.
    let top = session.top();
    let named = name_workflows(WORKFLOW, &list_workflows(top));
    let folder = tree.root().strip_prefix(top.root()).unwrap_or(Path::new(""));
    let workflow = work_in_folder(&named, folder);
    if args.workflow {
        files.push((top, WORKFLOW_FILE, &workflow));
    }
    let mut text = String::new();
    let mut written = Vec::new();
    for (tree, path, content) in files {
        if create(tree, path, content)? {
            let _ = writeln!(text, "wrote {path}");
            written.push(path);
        } else {
            let _ = writeln!(text, "{path} exists and is left as it is");
        }
    }
    let is_default = named == WORKFLOW;
    text.push_str(&advice(&written, command.as_ref(), is_default));
    let command = command.map(|found| found.command);
    call.print_result(&text, &json!({ "written": written, "run_command": command }))?;
    Ok(if written.is_empty() { ExitCode::NotFixed } else { ExitCode::Ok })
}

/// Returns what to do with the files that were written.
fn advice(written: &[&str], command: Option<&TestCommand>, is_default: bool) -> String {
    let mut text = String::new();
    if written.contains(&SETTINGS_FILE) {
        let _ = if let Some(TestCommand { command, found_in }) = command {
            writeln!(
                text,
                "`run.command` is `{command}`, found by {found_in}\nNext:\n  papayu-batch fix"
            )
        } else {
            writeln!(
                text,
                "no test command was found\nNext:\n  set `run.command` in {SETTINGS_FILE}"
            )
        };
    }
    if written.contains(&WORKFLOW_FILE) && is_default {
        let name = "to the name of the workflow that fails";
        let _ = writeln!(text, "  set `workflows: [ci]` in {WORKFLOW_FILE} {name}");
    }
    text
}

/// Returns the names of the workflows of the repository that run on a push or a pull request, sorted.
fn list_workflows(tree: &dyn Tree) -> Vec<String> {
    let Ok(folder) = RepoPath::parse(".github/workflows") else { return Vec::new() };
    let files = tree.list(Some(&folder)).unwrap_or_default();
    let mut names: Vec<String> = files
        .iter()
        .filter(|file| matches!(file.rsplit_once('.'), Some((_, "yml" | "yaml"))))
        .filter_map(|file| workflow_name(tree, &format!("{}/{file}", folder.as_str())))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Returns the name of a workflow that runs on a push or a pull request; that of its file if it has none.
fn workflow_name(tree: &dyn Tree, path: &str) -> Option<String> {
    let bytes = tree.read(&RepoPath::parse(path).ok()?, MAX_WORKFLOW_BYTES).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let runs = text.contains("push") || text.contains("pull_request");
    // A workflow that follows another one, such as this one, is not one that is fixed.
    if !runs || text.contains("workflow_run:") {
        return None;
    }
    let name = text.lines().find_map(|line| line.strip_prefix("name:"));
    let name = name.map(|name| name.split(" #").next().unwrap_or(name).trim());
    let name = name.map(|name| name.trim_matches(['"', '\'']).to_owned());
    Some(name.filter(|name| !name.is_empty()).unwrap_or_else(|| path.to_owned()))
}

/// Returns the workflow with the names of those that it follows; unchanged without any, or where one is called `ci`.
fn name_workflows(workflow: &str, names: &[String]) -> String {
    if names.is_empty() || names.iter().any(|name| name == "ci") {
        return workflow.to_owned();
    }
    let list: Vec<String> = names.iter().map(|name| json!(name).to_string()).collect();
    let list = list.join(", ");
    workflow
        .replace("workflows: [ci]", &format!("workflows: [{list}]"))
        .replace("the workflow `ci` fails", &format!("a workflow ({list}) fails"))
        .replace("The run of `ci` for", "The run of that workflow for")
}

/// Returns the workflow for a project in a folder of the repository; unchanged for one at the top.
fn work_in_folder(workflow: &str, folder: &Path) -> String {
    if folder == Path::new("") {
        return workflow.to_owned();
    }
    let input = format!("        with:\n          working-directory: {}\n", json!(folder));
    ["          run-id:", "          mode: publish"]
        .iter()
        .fold(workflow.to_owned(), |text, first| {
            text.replace(&format!("        with:\n{first}"), &format!("{input}{first}"))
        })
}

/// Creates a file and the folders above it; `false` if something is at the path already.
fn create(tree: &dyn Tree, path: &str, content: &str) -> Result<bool, CliError> {
    let fault = |source| FixError::Write { path: tree.root().join(path), source };
    let parsed = RepoPath::parse(path);
    let parsed = parsed.map_err(|error| fault(io::Error::other(error.to_string())))?;
    let created =
        create_folders(tree, path).and_then(|()| tree.create(&parsed, content.as_bytes(), 0o644));
    match created {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(fault(error).into()),
    }
}

/// Creates the parent folders of a path. An existing folder is no error.
fn create_folders(tree: &dyn Tree, path: &str) -> io::Result<()> {
    for (end, _) in path.match_indices('/') {
        let Ok(folder) = RepoPath::parse(path.get(..end).unwrap_or_default()) else { continue };
        match tree.create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the settings file: the command, and the other settings with their defaults in comments.
fn render_settings(profile: &Profile) -> Result<String, CliError> {
    let command = profile.verify.as_ref();
    let sources = SettingsSources { profile: Some(profile.kind), ..SettingsSources::default() };
    let defaults = settings::load(sources).map_err(FixError::Settings)?.snapshot();
    let mut text = INTRODUCTION.to_owned();
    let mut table = "";
    for key in KEYS.iter().filter(|key| LISTED.contains(&key.name)) {
        let Some((section, name)) = key.name.split_once('.') else { continue };
        if section != table {
            let _ = writeln!(text, "\n[{section}]");
            table = section;
        }
        let _ = writeln!(text, "# {}", key.doc);
        let _ = if let Some(found) = command.filter(|_| key.name == "run.command") {
            // A JSON string is a TOML string, too.
            writeln!(text, "{name} = {}", json!(found.command))
        } else {
            let default = defaults.get(key.name).filter(|value| !value.is_null());
            writeln!(text, "# {name} = {}", default.unwrap_or(&Value::String(String::new())))
        };
    }
    Ok(text)
}
