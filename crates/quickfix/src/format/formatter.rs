//! The formatter that the project declares, applied to single files of a change.

use std::cell::Cell;
use std::time::Duration;

use super::super::diagnostic_context::DiagnosticContext;
use super::super::tool_context::{Interrupted, NoResult, QuickfixConfig, ToolContext};
use super::declared::find_declared;
use super::filter::print_from;
use papayu_base::domain::{FailureReport, RepoPath};
use papayu_lang::has_same_code;
use papayu_system::{System, Tree};

/// Longest time for one file.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Longest time for all files of a run.
const MAX_TOTAL_TIME: Duration = Duration::from_secs(40);

/// Largest file that is formatted, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// The project's formatters: rustfmt, gofmt, black, ruff, prettier, biome and clang-format, each where the project
/// declares it.
///
/// They read a file from standard input and print it, in a sandbox in which they cannot change the repository. Their
/// configuration is part of the repository and can run code, so only another layout of the same code is taken.
pub struct Formatter<'a> {
    /// Processes and clock.
    system: System<'a>,
    tree: &'a dyn Tree,
    config: QuickfixConfig,
    /// The time that the formatters of this run still have.
    time_left: Cell<Duration>,
}

impl<'a> Formatter<'a> {
    /// Returns the formatters of one repository; nothing runs before [`Formatter::format`].
    pub fn new(system: System<'a>, tree: &'a dyn Tree, config: QuickfixConfig) -> Self {
        Self { system, tree, config, time_left: Cell::new(MAX_TOTAL_TIME) }
    }

    /// Returns the text that the formatter makes of a file as it is on the disk; `None` if the project declares none
    /// for it, if it is not installed, cannot read the file or takes too long, or if its text has other code, other
    /// line ends or another byte order mark.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] when a signal ended the formatter.
    pub fn format(
        &self,
        path: &RepoPath,
        time_left: Duration,
    ) -> Result<Option<String>, Interrupted> {
        let report = FailureReport::default();
        let began = self.system.clock.elapsed();
        let time_limit = time_left.min(self.time_left.get()).min(MAX_TIME);
        let before = self.tree.read(path, MAX_BYTES).ok().map(String::from_utf8);
        let Some(Ok(before)) = before.filter(|_| !time_limit.is_zero()) else { return Ok(None) };
        let tools = ToolContext {
            system: self.system,
            tree: self.tree,
            config: &self.config,
            report: &report,
            names: None,
            changes: None,
            time_limit: self.config.timeout.min(time_limit),
        };
        if path.as_str().starts_with('-') || !tools.is_own_file(path.as_str()) {
            return Ok(None);
        }
        let Some(tool) = find_declared(&tools, path) else { return Ok(None) };
        let printed = print_from(&DiagnosticContext::new(&tools), tool, path);
        let took = self.system.clock.elapsed().saturating_sub(began);
        self.time_left.set(self.time_left.get().saturating_sub(took));
        match printed {
            Err(NoResult::Interrupted) => Err(Interrupted),
            Ok(text) => Ok(Some(text).filter(|text| is_other_layout(path, &before, text))),
            Err(NoResult::Unconcerned | NoResult::Silent(_)) => Ok(None),
        }
    }
}

/// Returns `true` if a formatted text differs from the text before only in its layout.
fn is_other_layout(path: &RepoPath, before: &str, text: &str) -> bool {
    let has_mark = |text: &str| text.starts_with('\u{feff}');
    has_mark(before) == has_mark(text)
        && before.contains("\r\n") == text.contains("\r\n")
        && has_same_code(path.as_str(), before, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_another_layout_of_the_same_text_is_taken() {
        let path = RepoPath::parse("src/a.js").unwrap();
        let before = "const a = {'b': [1, 2]}\nlet c = x => x + 'it\\'s' // why\n";
        let laid_out = "const a = { b: [1, 2] };\nlet c = (x) =>\n  x + \"it's\"; // why\n";
        assert!(is_other_layout(&path, before, laid_out));
        for other in [
            "",
            "\n",
            &format!("{laid_out}evil();\n"),
            &laid_out.replace('+', "-"),
            &laid_out.replace("why", "because"),
            &laid_out.replace("it's", "its"),
            &laid_out.replace('\n', "\r\n"),
            &format!("\u{feff}{laid_out}"),
        ] {
            assert!(!is_other_layout(&path, before, other), "{other:?}");
        }
    }
}
