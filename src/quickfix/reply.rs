//! Writes findings as protocol replies: a PLAN, an APPLY of either version, or `NO_CHANGES:`.

use serde_json::{Value, json};

use super::findings::{FileFix, Findings};
use super::land::Landed;
use crate::domain::{RepoPath, Version};
use crate::providers::exchange::Request;

/// Lines of a list that a summary shows; the rest is counted.
const MAX_LISTED: usize = 20;

/// What is offered, and the user's command.
pub(super) struct Offer<'a> {
    pub(super) findings: &'a Findings,
    pub(super) landed: &'a Landed,
    pub(super) run: Option<&'a str>,
}

/// Returns a PLAN: every fix named, and the files to read before it can be applied.
pub(super) fn plan(offer: &Offer<'_>, request: &Request) -> Value {
    let files = offer.files();
    let requests: Vec<Value> = files
        .iter()
        .filter(|file| !request.shown.iter().any(|(path, _)| *path == file.path))
        .map(|file| json!({ "type": "read_file", "path": file.path }))
        .collect();
    let summary = if files.is_empty() {
        format!("NO_CHANGES: {}", offer.nothing())
    } else {
        let account = &offer.findings.account;
        offer.with_rest(&format!("Diagnosis: {account}. The tools' own fixes:"))
    };
    json!({ "actions": [], "summary": summary, "context_requests": requests })
}

/// Returns an APPLY: one action a file. It is all of them or none, since a fix may be of several files:
/// one that was not shown as it was when the tool ran would be refused for its base.
pub(super) fn apply(offer: &Offer<'_>, request: &Request) -> Value {
    let files = offer.files();
    let unseen: Vec<&FileFix> = files
        .iter()
        .filter(|file| !request.shown.contains(&(file.path.clone(), file.base())))
        .collect();
    let summary = if files.is_empty() {
        format!("NO_CHANGES: {}", offer.nothing())
    } else if !unseen.is_empty() {
        let names = list(unseen.iter().map(|file| file.path.as_str()), ", ");
        format!("NO_CHANGES: the files to fix were not shown as they are on disk: {names}")
    } else {
        offer.with_rest("Applied the tools' own fixes:")
    };
    let shown = if unseen.is_empty() { files } else { &[] };
    let actions: Vec<Value> = shown.iter().map(|file| action(file, request.version)).collect();
    json!({ "actions": actions, "summary": summary })
}

impl Offer<'_> {
    fn files(&self) -> &[FileFix] {
        &self.landed.files
    }

    fn with_rest(&self, heading: &str) -> String {
        let mut summary =
            format!("{heading}\n- {}", list(self.landed.notes.iter().map(String::as_str), "\n- "));
        if let Some(left) = self.left() {
            summary.push_str("\nLeft as they are:\n- ");
            summary.push_str(&left);
        }
        if let Some(run) = self.run {
            summary.push_str("\nVerify with: ");
            summary.push_str(run);
        }
        summary
    }

    fn nothing(&self) -> String {
        let said = format!("no tool suggests a fix; {}", self.findings.account);
        match self.left() {
            Some(left) => format!("{said}:\n- {left}"),
            None => said,
        }
    }

    fn left(&self) -> Option<String> {
        let lines = self.findings.unfixed.iter().chain(&self.landed.left_out);
        let lines = list(lines.map(String::as_str), "\n- ");
        (!lines.is_empty()).then_some(lines)
    }
}

fn action(file: &FileFix, version: Version) -> Value {
    match version {
        Version::V1 => {
            json!({ "kind": "UPDATE_FILE", "path": file.path, "content": file.after })
        }
        // v3 takes patches as well, and they are exact here.
        Version::V2 | Version::V3 => json!({
            "kind": "PATCH_FILE",
            "path": file.path,
            "base_sha256": file.base(),
            "patch": patch(&file.path, &file.before, &file.after),
        }),
    }
}

fn patch(path: &RepoPath, before: &str, after: &str) -> String {
    diffy::DiffOptions::new()
        .set_context_len(3)
        .set_original_filename(format!("a/{path}"))
        .set_modified_filename(format!("b/{path}"))
        .create_patch(before, after)
        .to_string()
}

fn list<'t>(items: impl Iterator<Item = &'t str>, separator: &str) -> String {
    let items: Vec<&str> = items.collect();
    match items.get(..MAX_LISTED) {
        Some(first) if items.len() > MAX_LISTED => {
            format!("{}{separator}… and {} more", first.join(separator), items.len() - MAX_LISTED)
        }
        _ => items.join(separator),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{Mode, Sha256};
    use crate::providers::exchange::{Ask, WireSchema};

    const BEFORE: &str = "fn area(height: u32) -> u32 {\n    heigth\n}\n";

    fn findings() -> Findings {
        Findings {
            unfixed: vec!["src/b.rs:1:1 rustc E0308: mismatched types".to_owned()],
            account: "`cargo test --no-run` reports 2 errors".to_owned(),
            ..Findings::default()
        }
    }

    fn landed() -> Landed {
        Landed {
            files: vec![FileFix {
                path: RepoPath::parse("src/lib.rs").unwrap(),
                before: BEFORE.to_owned(),
                after: BEFORE.replace("heigth", "height"),
            }],
            notes: vec!["src/lib.rs:2:5 rustc E0425: cannot find value `heigth`".to_owned()],
            left_out: Vec::new(),
        }
    }

    fn offered<T>(landed: &Landed, run: Option<&str>, say: impl Fn(&Offer<'_>) -> T) -> T {
        say(&Offer { findings: &findings(), landed, run })
    }

    fn request(mode: Mode, version: Version, shown: &[(&str, &str)]) -> Request {
        let shown = shown
            .iter()
            .map(|(path, text)| (RepoPath::parse(path).unwrap(), Sha256::of(text.as_bytes())))
            .collect();
        Request {
            ask: Ask::Plan,
            mode,
            version,
            system: String::new(),
            prefix: String::new(),
            tail: String::new(),
            wire_schema: Arc::new(WireSchema { name: "reply".to_owned(), schema: Value::Null }),
            max_output_tokens: 0,
            shown,
            report: Arc::default(),
            stable: Vec::new(),
        }
    }

    #[test]
    fn a_plan_names_each_fix_and_asks_for_the_files_it_was_not_shown() {
        let summary = "Diagnosis: `cargo test --no-run` reports 2 errors. The tools' own fixes:\n\
            - src/lib.rs:2:5 rustc E0425: cannot find value `heigth`\n\
            Left as they are:\n\
            - src/b.rs:1:1 rustc E0308: mismatched types\n\
            Verify with: cargo test";
        for (shown, requests) in [
            (vec![], json!([{ "type": "read_file", "path": "src/lib.rs" }])),
            (vec![("src/lib.rs", BEFORE)], json!([])),
        ] {
            assert_eq!(
                offered(&landed(), Some("cargo test"), |offer| {
                    plan(offer, &request(Mode::Plan, Version::V2, &shown))
                }),
                json!({ "actions": [], "summary": summary, "context_requests": requests })
            );
        }
    }

    #[test]
    fn an_apply_is_a_patch_in_v2_and_the_whole_file_in_v1() {
        let shown = [("src/lib.rs", BEFORE)];
        let said = |version| {
            offered(&landed(), None, |offer| apply(offer, &request(Mode::Apply, version, &shown)))
        };
        let v2 = said(Version::V2);
        assert_eq!(
            v2["actions"],
            json!([{
                "kind": "PATCH_FILE",
                "path": "src/lib.rs",
                "base_sha256": Sha256::of(BEFORE.as_bytes()),
                "patch": "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1,3 +1,3 @@\n \
                    fn area(height: u32) -> u32 {\n-    heigth\n+    height\n }\n",
            }])
        );
        let v1 = said(Version::V1);
        assert_eq!(
            v1["actions"],
            json!([{
                "kind": "UPDATE_FILE",
                "path": "src/lib.rs",
                "content": "fn area(height: u32) -> u32 {\n    height\n}\n",
            }])
        );
    }

    #[test]
    fn a_file_not_shown_or_shown_otherwise_is_left_out() {
        for shown in [vec![], vec![("src/lib.rs", "fn changed() {}\n")], vec![("other.rs", BEFORE)]]
        {
            assert_eq!(
                offered(&landed(), None, |offer| {
                    apply(offer, &request(Mode::Apply, Version::V2, &shown))
                }),
                json!({
                    "actions": [],
                    "summary": "NO_CHANGES: the files to fix were not shown as they are on disk: src/lib.rs",
                })
            );
        }
    }

    #[test]
    fn nothing_to_propose_is_said_with_the_reason() {
        let nothing = Landed::default();
        let reason = "no tool suggests a fix; `cargo test --no-run` reports 2 errors:\n\
            - src/b.rs:1:1 rustc E0308: mismatched types";
        assert_eq!(
            offered(&nothing, None, |offer| plan(offer, &request(Mode::Plan, Version::V2, &[]))),
            json!({ "actions": [], "summary": format!("NO_CHANGES: {reason}"), "context_requests": [] })
        );
        assert_eq!(
            offered(&nothing, None, |offer| apply(offer, &request(Mode::Apply, Version::V2, &[]))),
            json!({ "actions": [], "summary": format!("NO_CHANGES: {reason}") })
        );
    }

    #[test]
    fn long_lists_are_cut_and_counted() {
        let items: Vec<String> = (0..23).map(|number| number.to_string()).collect();
        let shown = list(items.iter().map(String::as_str), " ");
        assert_eq!(shown, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 … and 3 more");
    }
}
