//! How a batch's progress is shown: a bar, a line a task, JSON lines, or nothing.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::batch::Row;
use crate::batch::pool::Watcher;
use crate::cli::output::Output;
use crate::text::Masker;

/// The form.
enum Form {
    Bar(ProgressBar),
    Lines,
    Json,
    Nothing,
}

/// Shows progress on stderr.
pub(super) struct Watch {
    form: Form,
    masker: Arc<Masker>,
}

impl Watch {
    /// Shows it in that form; a bar on a terminal and lines elsewhere when none is named.
    pub(super) fn new(form: Option<&str>, tasks: usize, masker: Arc<Masker>) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let form = match form {
            Some("none") => Form::Nothing,
            Some("json") => Form::Json,
            Some("lines") => Form::Lines,
            None if !is_terminal => Form::Lines,
            Some(_) | None => {
                let bar = ProgressBar::new(tasks as u64);
                if let Ok(style) =
                    ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}")
                {
                    bar.set_style(style);
                }
                Form::Bar(bar)
            }
        };
        Self { form, masker }
    }
}

impl Watcher for Watch {
    fn started(&self, name: &str) {
        match &self.form {
            Form::Bar(bar) => bar.set_message(name.to_owned()),
            Form::Json => json_line(&json!({ "event": "task_started", "task": name })),
            Form::Lines | Form::Nothing => {}
        }
    }

    fn ended(&self, row: &Row, done: usize, all: usize) {
        let reason = self.masker.mask(&row.reason);
        let line = || {
            let reason: String =
                reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            format!("{}: {}: {reason}", row.name, row.outcome.name())
        };
        match &self.form {
            Form::Bar(bar) => {
                // A queue tells only then how much there is.
                bar.set_length(all as u64);
                bar.set_position(done as u64);
                if !row.is_good() {
                    bar.println(line());
                }
            }
            Form::Lines => Output::words(&format!("[{done}/{all}] {}\n", line())),
            Form::Json => json_line(&json!({
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
            Form::Nothing => {}
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Form::Bar(bar) = &self.form {
            bar.finish_and_clear();
        }
    }
}

fn json_line(line: &serde_json::Value) {
    // Nothing is left to tell anybody when stderr itself is gone.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
