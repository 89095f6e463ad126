//! `what_changed`: the differences between a commit on which the command passed and the files as they are.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::changes::{Changes, Green, read_changes};
use crate::tools::{Tool, ToolError, ToolSession, TypedAnswer};
use papayu_base::domain::changes::{ChangeRecord, DependencyMove, GreenSource};

/// The parameters of `what_changed`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct WhatChangedParams {
    /// A branch, tag or commit on which the command passed; without it, the last pushed commit.
    #[serde(default)]
    green: Option<String>,
}

/// The tool.
pub(crate) struct WhatChanged;

impl Tool for WhatChanged {
    type Params = WhatChangedParams;
    type Output<'w> = ChangeRecord;
    const NAME: &'static str = "what_changed";
    const DESCRIPTION: &'static str = "Returns what changed since a commit on which the command passed: files, \
        lines, definitions, commits, and packages with another version.";
    const USES_INDEX: bool = false;

    fn run<'w>(
        params: WhatChangedParams,
        workspace: &'w ToolSession<'w>,
    ) -> Result<TypedAnswer<ChangeRecord>, ToolError> {
        let git = workspace.open_git()?;
        let head = git.head_commit()?;
        let missing = |fault: String| ToolError::Parameter { name: "green".to_owned(), fault };
        let (commit, source) = if let Some(name) = params.green.as_deref() {
            (git.resolve(&[name]), GreenSource::Named)
        } else {
            (git.pushed_base(&head), GreenSource::Remote)
        };
        let commit = commit.ok_or_else(|| {
            missing(match &params.green {
                Some(name) => format!("no branch, tag or commit is named `{name}`"),
                None => "missing; the branch has no remote branch to compare with".to_owned(),
            })
        })?;
        let is_connected = git.merge_base(&head, &commit).is_some();
        let green = Green { commit, source, is_connected };
        let Some(changes) = read_changes(&git, workspace.tree, green, &head)? else {
            let text = "nothing changed".to_owned();
            return Ok(TypedAnswer::new(ChangeRecord::default(), text, Vec::<String>::new()));
        };
        let record = changes.record();
        let text = describe(&changes, &record);
        let files: Vec<String> = record.files.iter().map(|file| file.path.clone()).collect();
        Ok(TypedAnswer::new(record, text, files))
    }
}

/// Returns the changes in lines: the commits from the newest, the files, and the packages.
fn describe(changes: &Changes, record: &ChangeRecord) -> String {
    let mut text = record.line() + "\n";
    for commit in &changes.commits {
        let short = commit.commit.get(..12).unwrap_or(&commit.commit);
        let _ = writeln!(text, "commit {short} {}", commit.subject);
    }
    for file in &record.files {
        let lines = file.hunks.iter().map(|hunk| {
            let last = hunk.new_start + hunk.new_lines.saturating_sub(1);
            format!("{}-{last}", hunk.new_start)
        });
        let names = file.definitions.iter().map(|it| format!("`{}`", it.name));
        let all: Vec<String> = lines.chain(names).collect();
        let _ = writeln!(text, "{}: {}", file.path, all.join(", "));
    }
    for line in record.dependencies.iter().map(DependencyMove::line) {
        let _ = writeln!(text, "{line}");
    }
    text
}
