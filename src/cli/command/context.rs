//! `papayu-batch context`: what a model would be shown, and why each piece is there.

use serde_json::{Value, json};

use crate::changes::record_changes;
use crate::cli::args::ContextArgs;
use crate::cli::command::input;
use crate::cli::{Call, CliError, runtime};
use crate::context::{self, Context, ContextFile, ContextTask};
use crate::engine::CheckCommand;
use crate::fix::FixError;
use crate::fix::commands::choose_command;
use crate::fix::config::{diet, verify_config};
use crate::fix::failure_input::{self, CiRun};
use crate::fix::green::read_green_changes;
use crate::fix::indexed::Indexed;
use crate::fix::input::detected_command;
use crate::fix::run_context::RunContext;
use crate::input::MatcherLoader;
use crate::project;
use crate::verify;
use papayu_base::domain::event::NoEvents;
use papayu_base::domain::{ExitCode, FailureReport, RepoPath};
use papayu_logs::failure::{self, LogReader, ReportLimits};

/// Prints the blocks in order of strength; a named command is run to see its failure.
pub(crate) fn print_context(call: &Call, args: &ContextArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(call, args.goal.flags())?;
    let input = input::read_input(&args.goal, &session)?;
    let is_detected = || detected_command(session.tree.as_ref()).is_some();
    if input.goal.is_none() && !input.has_failure(&session) && !is_detected() {
        return Err(FixError::without_input(&session.repo, session.tree.as_ref()).into());
    }
    let outside = runtime::open_runtime(&session)?;
    let events = runtime::observe_run(&session, &outside.masker, call.loudness());
    let context = RunContext { session: &session, runtime: &outside, events: &events };
    let ci_run = CiRun::open(context, &input)?;
    let limits = failure_input::read_limits(context, &input, ci_run.as_ref())?;
    let report = match failure_input::read_logs(context, &input, ci_run.as_ref(), &limits)? {
        Some(log) => log.report,
        None => failure_of_command(context, limits)?,
    };
    let issue = input.issue.map(|number| failure_input::read_issue(context, number));
    let issue = issue.transpose()?.unwrap_or_default();
    let goal = input.goal.map(|goal| goal.text).unwrap_or_default();
    let tree = session.tree.as_ref();
    let code = Indexed::read_index(&session, outside.system(), &NoEvents, &|| true)?;
    let (profile, limits) = (project::detect(tree), diet(&session));
    // Their faults were events when the log was read.
    let matchers = MatcherLoader::new(tree, &NoEvents).load_all();
    let quoting =
        context::with_quoted_failures(&report, [&*goal, &*issue], &matchers, limits.max_log_chars);
    let changes = read_green_changes(context, ci_run.as_ref())?;
    let problem = ContextTask {
        report: &quoting,
        goal: &goal,
        profile: &profile,
        changes: changes.as_ref(),
        limits,
    };
    let mut gathered = context::collect_context(tree, code.known(), problem);
    if session.settings.context_graph.value {
        context::add_graph(&mut gathered, code.known().index);
    }
    let rendered = context::render_context(&gathered, &report.excerpt, &limits, &NoEvents);
    let rows = context_rows(&gathered);
    let evidence: Vec<String> = rows.iter().map(RangeRow::to_text).collect();
    let prefix = outside.masker.mask(&rendered.prefix);
    let log = outside.masker.mask(&rendered.log);
    let failures = failure::list_failures(&report);
    let failures = outside.masker.mask(&failures);
    let parts = [
        below_title("EVIDENCE", &(evidence.join("\n") + "\n")),
        prefix.into_owned(),
        below_title("FAILURES", &failures),
        below_title("FAILURE", &log),
    ];
    let text = parts.concat();
    let files: Vec<Value> = rows.iter().map(RangeRow::to_json).collect();
    let mut answer = json!({ "files": files, "stats": rendered.stats });
    if let Some(record) = record_changes(changes.as_ref(), &report.moved) {
        answer["changes"] = json!(record);
        answer["culprit"] = json!(gathered.suspects.first());
    }
    call.print_result(&text, &answer)?;
    code.keep_parsed();
    // The process ends; taking a large index apart takes a tenth of its time.
    std::mem::forget(code);
    Ok(ExitCode::Ok)
}

/// Returns a text below its title, and nothing for an empty one.
fn below_title(title: &str, text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!("{title}:\n{text}\n") }
}

fn failure_of_command(
    context: RunContext<'_>,
    limits: ReportLimits,
) -> Result<FailureReport, CliError> {
    let RunContext { session, runtime: outside, events } = context;
    let chosen = choose_command(session, None, events);
    let Some(CheckCommand { command, .. }) = chosen else { return Ok(FailureReport::default()) };
    let config = verify_config(session);
    let mut matcher_loader = MatcherLoader::new(session.tree.as_ref(), events);
    let matchers = matcher_loader.load_all();
    let mut teach = |path: &str| matcher_loader.load_named(path);
    let mut reader = LogReader::with_matchers(limits, matchers).on_add_matcher(&mut teach);
    let mut take = |bytes: &[u8]| reader.push(bytes);
    verify::run_command(outside.system(), session.tree.root(), &command, &config, &mut take)
        .map_err(|error| FixError::Provider(error.to_string()))?;
    Ok(reader.finish())
}

/// One range of a file and the evidence that put it there.
struct RangeRow {
    path: String,
    start: u32,
    end: u32,
    why: String,
}

impl RangeRow {
    fn to_text(&self) -> String {
        format!("  {}:{}-{}  {}", self.path, self.start, self.end, self.why)
    }

    fn to_json(&self) -> Value {
        json!({ "path": self.path, "start": self.start, "end": self.end, "why": self.why })
    }
}

fn context_rows(context: &Context) -> Vec<RangeRow> {
    if context.order.is_empty() {
        return context.files.iter().flat_map(file_rows).collect();
    }
    let why = |path: &RepoPath| context.files.iter().find(|file| file.path == *path);
    let row = |(path, (start, end)): &(RepoPath, (u32, u32))| {
        let why = why(path).map_or_else(String::new, |file| file.why.clone());
        RangeRow { path: path.to_string(), start: *start, end: *end, why }
    };
    context.order.iter().map(row).collect()
}

/// Returns the wanted lines of a file, from 1, adjacent ranges as one; the whole file if none are named.
fn file_rows(file: &ContextFile) -> Vec<RangeRow> {
    let last = u32::try_from(file.text.lines().count()).unwrap_or(u32::MAX).max(1);
    let mut ranges: Vec<(u32, u32)> =
        file.wanted.iter().map(|(start, end)| ((*start).min(last), (*end).min(last))).collect();
    ranges.sort_unstable();
    // Windows that touch are shown as one.
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for (start, end) in ranges {
        match merged.last_mut() {
            Some(before) if start <= before.1 + 1 => before.1 = before.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    if merged.is_empty() {
        merged.push((1, last));
    }
    let (path, why) = (file.path.to_string(), file.why.clone());
    let row = |(start, end)| RangeRow { path: path.clone(), start, end, why: why.clone() };
    merged.into_iter().map(row).collect()
}
