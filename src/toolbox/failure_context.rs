//! `failure_context`: the failures of a log, and the lines of the repository that matter for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::{self, ContextTask, DietConfig, RepositoryIndex};
use crate::input::MatcherLoader;
use crate::project;
use crate::tools::{Tool, ToolError, ToolSession, TypedAnswer};
use papayu_base::domain::event::NoEvents;
use papayu_base::domain::{Failure, RepoPath};
use papayu_logs::failure::{LogReader, ReportLimits};

/// Longest context, in characters.
const MAX_CHARS: usize = 12_000;
/// Longest log of a file of the repository, in bytes.
const MAX_LOG_BYTES: u64 = 100 * 1024 * 1024;
/// Characters of the log that are shown.
const MAX_LOG_CHARS: usize = 4_000;
/// Most files of an answer.
const MAX_FILES: usize = 8;

/// The parameters of `failure_context`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FailureContextParams {
    /// The output of the failing command, or the log of a CI job.
    #[serde(default)]
    log: Option<String>,
    /// Path of a file of the repository with that output, in place of `log`.
    #[serde(default)]
    log_path: Option<String>,
    /// The goal of the change, in words.
    #[serde(default)]
    goal: Option<String>,
}

/// The failures of a log with their context.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct FailureFacts {
    /// The failures, the first actionable one first.
    failures: Vec<Failure>,
    /// The files that matter, the most likely one first.
    files: Vec<FileWindow>,
    /// The failures, the chosen lines and the relevant part of the log as one text.
    context: String,
}

/// A file that matters.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct FileWindow {
    /// Path of the file.
    path: String,
    /// The evidence in words.
    why: String,
    /// First and last lines of the parts that matter most.
    lines: Vec<(u32, u32)>,
}

/// The tool.
pub(crate) struct FailureContext;

impl Tool for FailureContext {
    type Params = FailureContextParams;
    type Output<'w> = FailureFacts;
    const NAME: &'static str = "failure_context";
    const DESCRIPTION: &'static str = "Reads the output of a failing command and returns its failures with \
        the lines of the repository that matter for them. Call it first.";

    fn run<'w>(
        params: FailureContextParams,
        workspace: &'w ToolSession<'w>,
    ) -> Result<TypedAnswer<FailureFacts>, ToolError> {
        let mut matchers = MatcherLoader::new(workspace.tree, &NoEvents);
        let limits = ReportLimits { excerpt_chars: MAX_LOG_CHARS, green: None };
        let mut reader = LogReader::with_matchers(limits, matchers.load_all());
        reader.push(&read_log(&params, workspace)?);
        let report = reader.finish();
        let known =
            RepositoryIndex { index: workspace.code.index(), words: workspace.calls.terms() };
        let goal = params.goal.unwrap_or_default();
        let profile = project::detect(workspace.tree);
        let limits = DietConfig {
            max_files: MAX_FILES,
            max_file_chars: MAX_CHARS / 2,
            max_total_chars: MAX_CHARS,
            max_log_chars: MAX_LOG_CHARS,
            is_hard: false,
        };
        let problem =
            ContextTask { report: &report, goal: &goal, profile: &profile, changes: None, limits };
        let mut gathered = context::collect_context(workspace.tree, known, problem);
        // A client that wants folders and signatures asks for them.
        gathered.structure.clear();
        let rendered = context::render_context(&gathered, &report.excerpt, &limits, &NoEvents);
        let files: Vec<FileWindow> = gathered
            .files
            .iter()
            .take(MAX_FILES)
            .map(|file| FileWindow {
                path: file.path.to_string(),
                why: file.why.clone(),
                lines: file.wanted.clone(),
            })
            .collect();
        let context = format!("{}\nFAILURE:\n{}", rendered.prefix, rendered.log);
        let named: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
        let data = FailureFacts { failures: report.failures, files, context: context.clone() };
        Ok(TypedAnswer::new(data, context, named))
    }
}

fn read_log(
    params: &FailureContextParams,
    workspace: &ToolSession<'_>,
) -> Result<Vec<u8>, ToolError> {
    let fault = |name: &str, fault: String| ToolError::Parameter { name: name.to_owned(), fault };
    match (&params.log, &params.log_path) {
        (Some(log), None) if log.trim().is_empty() => {
            Err(fault("log", "empty; expected the output of a failing command".to_owned()))
        }
        (Some(log), None) => Ok(log.clone().into_bytes()),
        (None, Some(path)) => {
            let parsed = RepoPath::parse(path.trim_start_matches("./"))
                .map_err(|error| fault("log_path", format!("`{path}` {error}")))?;
            let unreadable =
                |error: &dyn std::fmt::Display| fault("log_path", format!("`{path}`: {error}"));
            // A link in the place of a log could show any file.
            let resolved = workspace.tree.resolve(&parsed).map_err(|error| unreadable(&error))?;
            if papayu_vet::is_hidden(&resolved) {
                return Err(unreadable(&"files with secrets are never shown"));
            }
            let read = workspace.tree.read(&resolved, MAX_LOG_BYTES);
            let bytes = read.map_err(|error| unreadable(&error))?;
            if papayu_vet::holds_credentials(&resolved, &String::from_utf8_lossy(&bytes)) {
                return Err(unreadable(&"it has credentials, which are never shown"));
            }
            Ok(bytes)
        }
        (Some(_), Some(_)) => {
            Err(fault("log", "expected `log` or `log_path`, not both".to_owned()))
        }
        (None, None) => Err(fault("log", "missing; expected `log` or `log_path`".to_owned())),
    }
}
