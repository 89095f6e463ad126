//! The stage's result: whole new texts with the digests of their bases, and hints.

use serde_json::json;

use papayu_base::domain::{Action, ActionSet, Op, RepoPath, Sha256, Version};

/// Lines of a list that a summary shows; the rest is counted.
const MAX_LISTED: usize = 20;

/// The change that the tools propose for a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposal {
    /// Every file that differs, in order of path; empty when there is nothing to apply.
    pub files: Vec<FileFix>,
    /// One line for each fix in `files`: place, tool, code, message.
    pub fixes: Vec<String>,
    /// One line for each failure without a safe fix, with the reason.
    pub hints: Vec<String>,
    /// The tools that were asked and how that went, in one sentence without a final period.
    pub account: String,
}

/// One file and its fixed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFix {
    /// The file.
    pub path: RepoPath,
    /// Its text on disk when the tool ran.
    pub before: String,
    /// Its text with every fix.
    pub after: String,
}

impl FileFix {
    /// Returns the digest of the bytes that the fix was computed on.
    pub fn base(&self) -> Sha256 {
        Sha256::of(self.before.as_bytes())
    }
}

impl Proposal {
    /// Returns the change in the form that the gates take: one whole text for each file.
    ///
    /// The bases are not part of it: the caller gives them to the gates, which compare them with the disk.
    pub fn action_set(&self, summary: &str) -> ActionSet {
        let action = |file: &FileFix| Action {
            path: file.path.to_string(),
            op: Op::UpdateFile { content: Some(file.after.clone()) },
        };
        let traced: Vec<_> = self
            .files
            .iter()
            .map(|file| json!({ "kind": "UPDATE_FILE", "path": file.path, "base_sha256": file.base() }))
            .collect();
        ActionSet {
            // Whole texts of files that exist are the first version's form.
            version: Version::V1,
            actions: self.files.iter().map(action).collect(),
            summary: summary.to_owned(),
            validated: json!({ "actions": traced, "summary": summary }),
        }
    }

    /// Returns the proposal in words, for people: every fix, every hint, and the command that verifies.
    /// Without fixes it begins with `NO_CHANGES:`.
    pub fn summary(&self, heading: &str, run: Option<&str>) -> String {
        let hints = self.hint_list();
        if self.files.is_empty() {
            let account = &self.account;
            let rest = if hints.is_empty() { String::new() } else { format!(":\n{hints}") };
            return format!("NO_CHANGES: no tool suggests a fix; {account}{rest}");
        }
        let mut summary = format!("{heading}\n{}", list_lines(&self.fixes));
        if !hints.is_empty() {
            summary.push_str("\nLeft as they are:\n");
            summary.push_str(&hints);
        }
        if let Some(run) = run {
            summary.push_str("\nVerify with: ");
            summary.push_str(run);
        }
        summary
    }

    /// Returns the hints as a list, a line each.
    pub fn hint_list(&self) -> String {
        list_lines(&self.hints)
    }

    /// Returns the fixes in one line: the first, and the number of the others.
    pub fn one_line(&self) -> String {
        match self.fixes.as_slice() {
            [] => String::new(),
            [only] => only.clone(),
            [first, rest @ ..] => format!("{first}, and {} more", rest.len()),
        }
    }

    /// Returns the characters that a model would have read and written for the same change, without
    /// the prompt: each file once before and once after.
    pub fn chars(&self) -> usize {
        self.files.iter().map(|file| file.before.len() + file.after.len()).sum()
    }
}

/// Returns a Markdown list, cut with the number of omitted items.
fn list_lines(items: &[String]) -> String {
    let mut lines: Vec<String> =
        items.iter().take(MAX_LISTED).map(|item| format!("- {item}")).collect();
    if items.len() > MAX_LISTED {
        lines.push(format!("- … and {} more", items.len() - MAX_LISTED));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposal() -> Proposal {
        Proposal {
            files: vec![FileFix {
                path: RepoPath::parse("src/lib.rs").unwrap(),
                before: "heigth\n".to_owned(),
                after: "height\n".to_owned(),
            }],
            fixes: vec!["src/lib.rs:2:5 rustc E0425: cannot find value `heigth`".to_owned()],
            hints: vec!["src/b.rs:1:1 rustc E0308: mismatched types".to_owned()],
            account: "`cargo test --no-run` reports 2 errors".to_owned(),
        }
    }

    #[test]
    fn the_gates_get_whole_texts_and_the_trace_gets_their_bases() {
        let set = proposal().action_set("done");
        let content = Some("height\n".to_owned());
        let action = Action { path: "src/lib.rs".to_owned(), op: Op::UpdateFile { content } };
        assert_eq!(
            (set.version, set.actions, set.summary),
            (Version::V1, vec![action], "done".to_owned())
        );
        assert_eq!(set.validated["actions"][0]["base_sha256"], json!(Sha256::of(b"heigth\n")));
    }

    #[test]
    fn the_summary_names_each_fix_and_each_hint() {
        assert_eq!(
            proposal().summary("Applied:", Some("cargo test")),
            "Applied:\n- src/lib.rs:2:5 rustc E0425: cannot find value `heigth`\n\
             Left as they are:\n- src/b.rs:1:1 rustc E0308: mismatched types\n\
             Verify with: cargo test"
        );
        let nothing = Proposal { files: Vec::new(), fixes: Vec::new(), ..proposal() };
        let reason = "NO_CHANGES: no tool suggests a fix; `cargo test --no-run` reports 2 errors";
        assert_eq!(
            nothing.summary("Applied:", None),
            format!("{reason}:\n- src/b.rs:1:1 rustc E0308: mismatched types")
        );
        assert_eq!(Proposal { hints: Vec::new(), ..nothing }.summary("", None), reason);
    }

    #[test]
    fn long_lists_are_cut_and_counted() {
        let items: Vec<String> = (0..23).map(|number| number.to_string()).collect();
        let shown = list_lines(&items);
        assert!(shown.ends_with("- 19\n- … and 3 more"), "{shown}");
        assert_eq!(Proposal { fixes: items, ..Proposal::default() }.one_line(), "0, and 22 more");
    }
}
