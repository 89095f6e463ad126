//! The formatter that the project declares, applied to single files of a change.

use std::time::Duration;

use super::super::diagnostic_context::DiagnosticContext;
use super::super::tool_context::{Interrupted, NoResult, QuickfixConfig, ToolContext};
use super::declared::find_declared;
use super::filter::print_from;
use crate::domain::{FailureReport, RepoPath};
use crate::system::{System, Tree};

/// Longest time for one file.
const MAX_TIME: Duration = Duration::from_secs(20);

/// The project's formatters: rustfmt, gofmt, black, ruff, prettier, biome and clang-format, each where the project
/// declares it.
///
/// They read a file from standard input and print it, so that they write nothing.
pub struct Formatter<'a> {
    system: System<'a>,
    tree: &'a dyn Tree,
    config: QuickfixConfig,
}

impl<'a> Formatter<'a> {
    /// Returns the formatters of one repository; nothing runs before [`Formatter::format`].
    pub fn new(system: System<'a>, tree: &'a dyn Tree, config: QuickfixConfig) -> Self {
        Self { system, tree, config }
    }

    /// Returns the text that the formatter makes of a file as it is on the disk; `None` if the project declares none
    /// for it, or if it is not installed or cannot read the file.
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
        let tools = ToolContext {
            system: self.system,
            tree: self.tree,
            config: &self.config,
            report: &report,
            names: None,
            time_limit: self.config.timeout.min(time_left).min(MAX_TIME),
        };
        if path.as_str().starts_with('-') || !tools.is_own_file(path.as_str()) {
            return Ok(None);
        }
        let Some(tool) = find_declared(&tools, path) else { return Ok(None) };
        match print_from(&DiagnosticContext::new(&tools), tool, path) {
            Err(NoResult::Interrupted) => Err(Interrupted),
            // A formatter that fails without an exit code must not empty the file.
            Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
            Err(NoResult::Unconcerned | NoResult::Silent(_)) => Ok(None),
        }
    }
}
