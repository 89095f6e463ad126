//! Shows the progress of a batch on stderr: a bar, a line for each task, JSON lines, or nothing.

use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::rows::describe_row;
use crate::batch::{BatchSession, BatchWatcher, TaskRow};
use crate::cli::progress::bar_target;
use crate::cli::silence::SilenceWatch;
use crate::cli::{output, streams};
use papayu_base::text::{Masker, without_ci_orders};

/// Most tasks that are named after a silence.
const MAX_NAMED: usize = 3;

enum WatchForm {
    Bar(ProgressBar),
    Lines,
    Json,
    Nothing,
}

/// Prints progress on stderr.
pub(super) struct ProgressWatcher {
    form: WatchForm,
    masker: Arc<Masker>,
    /// The tasks under way.
    running: Mutex<Vec<String>>,
    /// `None` for a bar, which moves, and for nothing.
    silence: Option<SilenceWatch>,
}

impl ProgressWatcher {
    /// Prints progress in that form; without one, a bar on a terminal and lines elsewhere.
    pub(super) fn new(form: Option<&str>, batch: &BatchSession) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let form = match form {
            Some("none") => WatchForm::Nothing,
            Some("json") => WatchForm::Json,
            Some("lines") => WatchForm::Lines,
            // A bar in a log file would be one long line.
            None if !is_terminal => WatchForm::Lines,
            Some(_) | None => {
                let bar = ProgressBar::with_draw_target(Some(0), bar_target());
                if let Ok(style) =
                    ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}")
                {
                    bar.set_style(style);
                }
                WatchForm::Bar(bar)
            }
        };
        let silence = match form {
            WatchForm::Lines => Some(SilenceWatch::start(|work| {
                output::print_words(&format!("{}\n", without_ci_orders(work)));
            })),
            WatchForm::Json => Some(SilenceWatch::start(|work| {
                json_line(&json!({ "event": "notice", "text": work }));
            })),
            WatchForm::Bar(_) | WatchForm::Nothing => None,
        };
        let masker = batch.outside.masker.clone();
        Self { form, masker, running: Mutex::default(), silence }
    }

    /// Names the tasks under way for the case of silence.
    fn note_running(&self, change: impl FnOnce(&mut Vec<String>)) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut running);
        let shown = running.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>();
        let work = match (shown.len(), running.len() - shown.len()) {
            (0, _) => String::new(),
            (_, 0) => format!("still at work on {}", shown.join(", ")),
            (_, more) => format!("still at work on {} and {more} more", shown.join(", ")),
        };
        self.silence.iter().for_each(|silence| silence.set_work(work.clone()));
    }
}

impl BatchWatcher for ProgressWatcher {
    fn tasks_selected(&self, tasks: usize) {
        if let WatchForm::Bar(bar) = &self.form {
            bar.set_length(tasks as u64);
        }
    }

    fn task_started(&self, name: &str) {
        self.note_running(|running| running.push(name.to_owned()));
        match &self.form {
            WatchForm::Bar(bar) => bar.set_message(name.to_owned()),
            WatchForm::Json => json_line(&json!({ "event": "task_started", "task": name })),
            WatchForm::Lines | WatchForm::Nothing => {}
        }
    }

    fn task_ended(&self, row: &TaskRow, done: usize, all: usize) {
        self.note_running(|running| running.retain(|name| *name != row.name));
        let reason = self.masker.mask(&row.reason);
        match &self.form {
            WatchForm::Bar(bar) => {
                // The number of tasks in a queue changes.
                bar.set_length(all as u64);
                bar.set_position(done as u64);
                if !row.is_good() {
                    bar.println(describe_row("✗ ", row, &reason));
                }
            }
            WatchForm::Lines => {
                let line = describe_row(&format!("[{done}/{all}] "), row, &reason);
                output::print_words(&(line + "\n"));
            }
            WatchForm::Json => json_line(&json!({
                "event": "task_ended",
                "task": row.name,
                "outcome": row.outcome,
                "exit_code": row.exit_code,
                "reason": reason,
                "ms": row.ms,
                "tokens": row.tokens.total(),
                "cost_usd": row.cost_usd,
                "pr_url": row.pr_url,
                "done": done,
                "all": all,
            })),
            WatchForm::Nothing => {}
        }
    }

    fn notify(&self, message: &str) {
        output::print_warning(&self.masker.mask(message));
    }
}

impl Drop for ProgressWatcher {
    fn drop(&mut self) {
        if let WatchForm::Bar(bar) = &self.form {
            bar.finish_and_clear();
        }
    }
}

/// Prints an event of the batch on standard error.
fn json_line(line: &serde_json::Value) {
    // A closed stderr cannot be reported anywhere.
    let _ = streams::print_stderr(&format!("{line}\n"));
}
