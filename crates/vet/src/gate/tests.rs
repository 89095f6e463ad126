//! Every gate with its hostile cases, on a small repository in memory.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use papayu_base::domain::{Allowance, ContextRequest, Edit, EditOp, ActionKind, RepoPath, Sha256, Version};
use papayu_patch::{TreeAction, TreeOp};
use papayu_patch::protocol::{Refusal, decode_actions, decode_plan};
use papayu_base::text::Masker;
use crate::{Globs, PathFact, PathFacts, Policy, Snapshot};

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text).expect("a legal path")
}

fn paths(texts: &[&str]) -> Vec<RepoPath> {
    texts.iter().map(|text| path(text)).collect()
}

/// The repository of these tests: a path ending in `/` is a folder, `link` leads to `src`.
const DISK: [(&str, &[u8]); 12] = [
    ("src/", b""),
    ("src/a.rs", b"fn a() {}\n"),
    ("src/unseen.rs", b"fn u() {}\n"),
    ("src/stale.rs", b"fn new() {}\n"),
    ("src/data.bin", b"caf\xe9\0\n"),
    ("tests/", b""),
    ("tests/a.rs", b"#[test]\n"),
    ("old/", b""),
    ("old/sub/", b""),
    ("old/sub/x.rs", b"x\n"),
    ("deploy/", b""),
    ("deploy/server.key", b"k\n"),
];

fn bytes(name: &str) -> &'static [u8] {
    DISK.iter().find(|(path, _)| *path == name).map_or(b"", |(_, bytes)| bytes)
}

fn find_fact(wanted: &RepoPath) -> PathFact {
    let name = wanted.as_str();
    let real = match name.strip_prefix("link/") {
        Some(rest) => format!("src/{rest}"),
        None => name.to_owned(),
    };
    let is_file = |name: &str| DISK.iter().any(|(path, _)| *path == name && !path.ends_with('/'));
    let below = |path: &str| path.starts_with(&format!("{real}/"));
    if name.starts_with("outside") {
        return PathFact::Unusable { reason: "leaves the repository".to_owned() };
    }
    if let Some((existing, _)) =
        DISK.iter().find(|(path, _)| path.to_lowercase() == real.to_lowercase() && *path != real)
    {
        return PathFact::OtherSpelling { existing: path(existing) };
    }
    if is_file(&real) {
        return PathFact::File { resolved: path(&real), bytes: bytes(&real).to_vec() };
    }
    if DISK.iter().any(|(path, _)| *path == format!("{real}/")) {
        let entries = DISK.iter().filter(|(path, _)| below(path) && path.len() > real.len() + 1);
        let (dirs, files): (Vec<_>, Vec<_>) = entries.partition(|(path, _)| path.ends_with('/'));
        let files = files.iter().map(|(name, bytes)| (path(name), bytes.to_vec())).collect();
        let dirs = dirs.iter().map(|(name, _)| path(name.trim_end_matches('/'))).collect();
        return PathFact::Dir { resolved: path(&real), files, dirs };
    }
    let above = |folder: &&str| real.starts_with(&format!("{folder}/"));
    if let Some(by) = DISK.iter().map(|(path, _)| *path).filter(|path| is_file(path)).find(above) {
        return PathFact::Blocked { by: path(by) };
    }
    let exists = |folder: &str| DISK.iter().any(|(path, _)| *path == format!("{folder}/"));
    let folders = real.match_indices('/').filter_map(|(at, _)| real.get(..at));
    let missing_parents = folders.filter(|folder| !exists(folder)).map(path).collect();
    PathFact::Missing { resolved: path(&real), missing_parents }
}

fn shown() -> BTreeMap<RepoPath, Sha256> {
    let mut shown: BTreeMap<_, _> = ["src/a.rs", "src/data.bin", "tests/a.rs"]
        .into_iter()
        .map(|name| (path(name), Sha256::of(bytes(name))))
        .collect();
    for name in ["src/stale.rs", "src/gone.rs"] {
        shown.insert(path(name), Sha256::of(b"as it was"));
    }
    shown
}

struct Disk;

impl PathFacts for Disk {
    fn find(&self, path: &RepoPath, _: ActionKind) -> PathFact {
        find_fact(path)
    }
}

fn run(version: Version, reply: &Value, policy: &Policy) -> Result<Vec<TreeAction>, Refusal> {
    let (set, _) = decode_actions(version, &reply.to_string())?;
    let masker = Masker::new([]);
    let snapshot = Snapshot { files: &Disk, shown: &shown(), earlier: None, masker: &masker };
    check_actions(set, snapshot.files, snapshot.shown, policy)
}

fn open() -> Policy {
    Policy { allow_delete: true, ..Policy::default() }
}

/// Runs actions through the gates and returns the refusal as it is printed, after its action.
fn refusal(version: Version, actions: &Value, policy: &Policy) -> String {
    match run(version, &json!({"actions": actions}), policy) {
        Err(refusal) => {
            let action = refusal.action.map_or_else(|| "-".to_owned(), |index| index.to_string());
            format!("{action} {refusal}")
        }
        Ok(checked) => format!("passed: {checked:?}"),
    }
}

fn create(path: &str) -> Value {
    json!({"kind": "CREATE_FILE", "path": path, "content": "x\n"})
}

fn dir(path: &str) -> Value {
    json!({"kind": "CREATE_DIR", "path": path})
}

fn delete(path: &str) -> Value {
    json!({"kind": "DELETE_FILE", "path": path})
}

fn delete_dir(path: &str) -> Value {
    json!({"kind": "DELETE_DIR", "path": path})
}

fn update(path: &str) -> Value {
    json!({"kind": "UPDATE_FILE", "path": path, "content": "y\n"})
}

fn patch_of(path: &str, base: &str, diff: &str) -> Value {
    json!({"kind": "PATCH_FILE", "path": path, "base_sha256": base, "patch": diff})
}

fn patch(path: &str) -> Value {
    patch_of(path, &Sha256::of(bytes(path)).to_string(), "@@ -1 +1 @@\n-a\n+b\n")
}

#[test]
fn actions_come_out_in_order_with_links_followed_and_bytes_attached() {
    let base = Sha256::of(bytes("src/a.rs")).to_string();
    let reply = json!({"actions": [
        delete_dir("old"),
        delete("old/sub/x.rs"),
        delete("src/unseen.rs"),
        json!({"kind": "REPLACE_RANGE", "path": "link/a.rs", "base_sha256": base.to_uppercase(),
               "start_line": 1, "end_line": 1, "content": "z\n"}),
        create("new/deep/b.rs"),
        create("tests/new.rs"),
        update("src/c.rs"),
        dir("src"),
        dir("made"),
        dir("made"),
    ]});
    let action = |index, kind, at: &str, op| TreeAction { index, kind, path: path(at), op };
    let written = |missing: &[&str], content: &str| TreeOp::CreateFile {
        missing_parents: paths(missing),
        content: content.to_owned(),
    };
    let before = |name| bytes(name).to_vec();
    let actions = vec![
        action(8, ActionKind::CreateDir, "made", TreeOp::CreateDir { missing_parents: vec![] }),
        action(
            3,
            ActionKind::ReplaceRange,
            "src/a.rs",
            TreeOp::ReplaceRange {
                before: before("src/a.rs"),
                start_line: 1,
                end_line: 1,
                content: "z\n".to_owned(),
            },
        ),
        action(4, ActionKind::CreateFile, "new/deep/b.rs", written(&["new", "new/deep"], "x\n")),
        action(5, ActionKind::CreateFile, "tests/new.rs", written(&[], "x\n")),
        action(6, ActionKind::UpdateFile, "src/c.rs", written(&[], "y\n")),
        action(
            2,
            ActionKind::DeleteFile,
            "src/unseen.rs",
            TreeOp::DeleteFile { before: before("src/unseen.rs") },
        ),
        action(
            0,
            ActionKind::DeleteDir,
            "old",
            TreeOp::DeleteDir {
                files: vec![(path("old/sub/x.rs"), before("old/sub/x.rs"))],
                dirs: paths(&["old/sub"]),
            },
        ),
    ];
    let expected = actions;
    assert_eq!(run(Version::V2, &reply, &open()), Ok(expected));
}

#[test]
fn v1_rewrites_what_was_read() {
    let write = |index, kind, content: &str| {
        let before = bytes("src/a.rs").to_vec();
        let op = TreeOp::WriteFile { before, content: content.to_owned() };
        let actions = vec![TreeAction { index, kind, path: path("src/a.rs"), op }];
        Ok(actions)
    };
    let run = |action| run(Version::V1, &json!([action]), &open());
    assert_eq!(run(update("src/a.rs")), write(0, ActionKind::UpdateFile, "y\n"));
    assert_eq!(run(create("src/a.rs")), write(0, ActionKind::CreateFile, "x\n"));
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, in the order of the gates")]
fn every_gate_refuses_its_hostile_cases() {
    let long = "a".repeat(241);
    let wide = format!("{}/{}", "d".repeat(120), "я".repeat(60));
    let odd = "\u{1}".repeat(2) + &"a".repeat(17);
    let many: Vec<_> = (0..10_000).map(|index| dir(&format!("d{index}"))).collect();
    let big = "a".repeat(1024 * 1024 + 1);
    let five = (0..6).map(|index| {
        json!({"kind": "CREATE_FILE", "path": format!("f{index}"), "content": "a".repeat(1024 * 1024)})
    });
    let digest = Sha256::of(bytes("src/a.rs")).to_string();
    let other = Sha256::of(b"other").to_string();
    let then = Sha256::of(b"as it was").to_string();
    let stale = Sha256::of(bytes("src/stale.rs"));
    for (actions, expected) in [
        // path
        (json!([dir("ok"), create("../x")]), "1 ERR_INVALID_PATH: `../x` has a `..` segment".to_owned()),
        (json!([create("/etc/passwd")]), "0 ERR_INVALID_PATH: `/etc/passwd` is absolute; paths are relative to the repository".into()),
        (json!([create("a\u{1b}[2J")]), "0 ERR_INVALID_PATH: `a\\u{1b}[2J` has a control character".into()),
        (json!([create(&long)]), format!("0 ERR_PATH_TOO_LONG: `{}` is longer than 240 bytes", "a".repeat(80))),
        (json!([create(&wide)]), format!("0 ERR_PATH_TOO_LONG: `{}` is longer than 240 bytes", "d".repeat(80))),
        (json!([create("outside/x")]), "0 ERR_INVALID_PATH: `outside/x` leaves the repository".into()),
        (json!([create("SRC/A.rs")]), "0 ERR_INVALID_PATH: `SRC/A.rs` is spelled `src/a.rs` in the repository".into()),
        (json!([delete("link/a.rs")]), "0 ERR_INVALID_PATH: `link/a.rs` is reached through a link; its own name is `src/a.rs`".into()),
        // count
        (json!(many), "- ERR_TOO_MANY_ACTIONS: 10000 actions; a reply has at most 200".into()),
        // size
        (json!([{"kind": "CREATE_FILE", "path": "a", "content": big}]), "0 ERR_CONTENT_TOO_LARGE: `a` brings 1048577 bytes; at most 1048576 are allowed".into()),
        (json!([patch_of("src/a.rs", &digest, &big)]), "0 ERR_CONTENT_TOO_LARGE: `src/a.rs` brings 1048577 bytes; at most 1048576 are allowed".into()),
        (five.collect(), "- ERR_CONTENT_TOO_LARGE: the actions bring 6291456 bytes; at most 5242880 are allowed".into()),
        // content
        (json!([{"kind": "CREATE_FILE", "path": "a"}]), "0 ERR_CONTENT_REQUIRED: `a` has no `content`, which CREATE_FILE requires".into()),
        (json!([{"kind": "UPDATE_FILE", "path": "a", "content": null}]), "0 ERR_CONTENT_REQUIRED: `a` has no `content`, which UPDATE_FILE requires".into()),
        (json!([{"kind": "REPLACE_RANGE", "path": "a", "start_line": 1, "end_line": 1}]), "0 ERR_CONTENT_REQUIRED: `a` has no `content`, which REPLACE_RANGE requires".into()),
        (json!([{"kind": "CREATE_FILE", "path": "a", "content": "a\0"}]), "0 ERR_PSEUDO_BINARY: `a` has a NUL character in its content".into()),
        (json!([{"kind": "CREATE_FILE", "path": "a", "content": odd}]), "0 ERR_PSEUDO_BINARY: `a` is not text: over a tenth of its characters cannot be printed".into()),
        (json!([patch_of("src/a.rs", &digest, "@@\0")]), "0 ERR_PSEUDO_BINARY: `src/a.rs` has a NUL character in its content".into()),
        // conflict, among the actions
        (json!([create("a"), update("a")]), "1 ERR_ACTION_CONFLICT: `a` UPDATE_FILE cannot go with CREATE_FILE of `a` (action 0)".into()),
        (json!([create("a.txt"), create("A.TXT")]), "1 ERR_ACTION_CONFLICT: `A.TXT` CREATE_FILE cannot go with CREATE_FILE of `a.txt` (action 0)".into()),
        (json!([create("cafe\u{301}"), create("caf\u{e9}")]), "1 ERR_ACTION_CONFLICT: `café` CREATE_FILE cannot go with CREATE_FILE of `cafe\u{301}` (action 0)".into()),
        (json!([patch("src/a.rs"), patch("src/a.rs")]), "1 ERR_ACTION_CONFLICT: `src/a.rs` PATCH_FILE cannot go with PATCH_FILE of `src/a.rs` (action 0)".into()),
        (json!([delete("src/a.rs"), delete("src/a.rs")]), "1 ERR_ACTION_CONFLICT: `src/a.rs` DELETE_FILE cannot go with DELETE_FILE of `src/a.rs` (action 0)".into()),
        (json!([create("old/y"), delete_dir("old")]), "0 ERR_ACTION_CONFLICT: `old/y` CREATE_FILE cannot go with DELETE_DIR of `old` (action 1)".into()),
        (json!([create("a"), create("a/b")]), "1 ERR_ACTION_CONFLICT: `a/b` CREATE_FILE cannot go with CREATE_FILE of `a` (action 0)".into()),
        (json!([create("Lib/a"), create("lib/b")]), "1 ERR_ACTION_CONFLICT: `lib/b` CREATE_FILE cannot go with CREATE_FILE of `Lib/a` (action 0)".into()),
        (json!([patch("src/a.rs"), create("link/a.rs")]), "1 ERR_ACTION_CONFLICT: `link/a.rs` CREATE_FILE cannot go with PATCH_FILE of `src/a.rs` (action 0)".into()),
        // conflict, with the disk
        (json!([dir("src/a.rs")]), "0 ERR_ACTION_CONFLICT: `src/a.rs` is a file, not a folder".into()),
        (json!([delete_dir("src/a.rs")]), "0 ERR_ACTION_CONFLICT: `src/a.rs` is a file, not a folder".into()),
        (json!([create("src")]), "0 ERR_ACTION_CONFLICT: `src` is a folder, not a file".into()),
        (json!([delete("src")]), "0 ERR_ACTION_CONFLICT: `src` is a folder, not a file".into()),
        (json!([patch("src")]), "0 ERR_ACTION_CONFLICT: `src` is a folder, not a file".into()),
        (json!([delete("gone")]), "0 ERR_ACTION_CONFLICT: `gone` does not exist".into()),
        (json!([delete_dir("gone")]), "0 ERR_ACTION_CONFLICT: `gone` does not exist".into()),
        (json!([create("src/a.rs/b")]), "0 ERR_ACTION_CONFLICT: `src/a.rs/b` lies below `src/a.rs`, which is a file".into()),
        // protected
        (json!([create(".git/hooks/pre-commit")]), "0 FORBIDDEN_PATH: `.git/hooks/pre-commit` is protected".into()),
        (json!([delete_dir("deploy")]), "0 FORBIDDEN_PATH: `deploy` means `deploy/server.key`, which is protected".into()),
        // base
        (json!([{"kind": "PATCH_FILE", "path": "src/a.rs", "patch": "@@"}]), "0 ERR_BASE_SHA256_INVALID: `src/a.rs` has no `base_sha256` of 64 hex digits".into()),
        (json!([patch_of("src/a.rs", "<64 hex>", "@@")]), "0 ERR_BASE_SHA256_INVALID: `src/a.rs` has no `base_sha256` of 64 hex digits".into()),
        (json!([patch_of("src/a.rs", &other, "@@")]), format!("0 ERR_BASE_SHA256_NOT_FROM_CONTEXT: `src/a.rs` has the base {other}, but its FILE block says {digest}")),
        (json!([patch("src/unseen.rs")]), "0 ERR_BASE_SHA256_NOT_FROM_CONTEXT: `src/unseen.rs` was not shown in a FILE block of this run".into()),
        (json!([patch_of("nowhere", &digest, "@@")]), "0 ERR_BASE_SHA256_NOT_FROM_CONTEXT: `nowhere` was not shown in a FILE block of this run".into()),
        // update
        (json!([update("src/a.rs")]), "0 ERR_V2_UPDATE_EXISTING_FORBIDDEN: `src/a.rs` exists: change it with PATCH_FILE, not as a whole".into()),
        (json!([create("link/a.rs")]), "0 ERR_V2_UPDATE_EXISTING_FORBIDDEN: `link/a.rs` exists: change it with PATCH_FILE, not as a whole".into()),
        // form
        (json!([{"kind": "PATCH_FILE", "path": "src/a.rs", "base_sha256": digest}]), "0 ERR_PATCH_REQUIRED: `src/a.rs` has no `patch`, which PATCH_FILE requires".into()),
        (json!([patch_of("src/a.rs", &digest, " \n")]), "0 ERR_PATCH_REQUIRED: `src/a.rs` has no `patch`, which PATCH_FILE requires".into()),
        (json!([patch_of("src/a.rs", &digest, "s/a/b/")]), "0 ERR_PATCH_NOT_UNIFIED: `src/a.rs` has a patch without `@@` lines: a unified diff is expected".into()),
        // text
        (json!([patch("src/data.bin")]), "0 ERR_NON_UTF8_FILE: `src/data.bin` is binary: it contains NUL, so it cannot be patched".into()),
        // freshness
        (json!([patch_of("src/stale.rs", &then, "@@")]), format!("0 ERR_BASE_MISMATCH: `src/stale.rs` changed since it was read: {then} then, {stale} now")),
        (json!([patch_of("src/gone.rs", &then, "@@")]), "0 ERR_BASE_MISMATCH: `src/gone.rs` was removed since it was read".into()),
    ] {
        assert_eq!(refusal(Version::V2, &actions, &open()), expected);
    }
}

#[test]
fn the_gates_of_v1_refuse_their_hostile_cases() {
    let then = Sha256::of(b"as it was");
    let stale = Sha256::of(bytes("src/stale.rs"));
    for (actions, expected) in [
        (json!([update("src/unseen.rs")]), "0 ERR_UPDATE_WITHOUT_BASE: `src/unseen.rs` would be rewritten without having been read in PLAN".to_owned()),
        (json!([create("src/unseen.rs")]), "0 ERR_UPDATE_WITHOUT_BASE: `src/unseen.rs` would be rewritten without having been read in PLAN".into()),
        (json!([update("src/new.rs")]), "0 ERR_UPDATE_WITHOUT_BASE: `src/new.rs` would be rewritten without having been read in PLAN".into()),
        (json!([update("src/stale.rs")]), format!("0 ERR_BASE_MISMATCH: `src/stale.rs` changed since it was read: {then} then, {stale} now")),
        (json!([update("src/gone.rs")]), "0 ERR_BASE_MISMATCH: `src/gone.rs` was removed since it was read".into()),
    ] {
        assert_eq!(refusal(Version::V1, &actions, &open()), expected);
    }
}

fn edits_of(path: &str, base: &str, edits: &Value) -> Value {
    json!({"kind": "EDIT_FILE", "path": path, "base_sha256": base, "edits": edits})
}

fn edit(path: &str) -> Value {
    let base = Sha256::of(bytes(path)).to_string();
    edits_of(path, &base, &json!([{"op": "delete", "before": "x"}]))
}

#[test]
fn every_gate_judges_edits_as_it_judges_patches() {
    let digest = Sha256::of(bytes("src/a.rs")).to_string();
    let other = Sha256::of(b"other").to_string();
    let then = Sha256::of(b"as it was").to_string();
    let stale = Sha256::of(bytes("src/stale.rs"));
    let one =
        |before: &str, after: &str| json!([{"op": "replace", "before": before, "after": after}]);
    let many = |count: usize| json!(vec![json!({"op": "delete", "before": "x"}); count]);
    let half = "a".repeat(512 * 1024);
    let files: Vec<_> = (0..6).map(|n| edits_of(&format!("f{n}"), &digest, &many(200))).collect();
    for (actions, expected) in [
        // count and size
        (json!([edits_of("src/a.rs", &digest, &many(201))]), "0 ERR_TOO_MANY_ACTIONS: `src/a.rs` has 201 edits; one action has at most 200".to_owned()),
        (json!(files), "- ERR_TOO_MANY_ACTIONS: 1200 edits; a reply has at most 1000".into()),
        (json!([edits_of("src/a.rs", &digest, &one(&half, &format!("{half}a")))]), "0 ERR_CONTENT_TOO_LARGE: `src/a.rs` brings 1048577 bytes; at most 1048576 are allowed".into()),
        // content
        (json!([edits_of("src/a.rs", &digest, &one("a", "\0"))]), "0 ERR_PSEUDO_BINARY: `src/a.rs` has a NUL character in its content".into()),
        (json!([edits_of("src/a.rs", &digest, &one("a", "\u{1}b"))]), "0 ERR_PSEUDO_BINARY: `src/a.rs` is not text: over a tenth of its characters cannot be printed".into()),
        // conflict
        (json!([edit("src/a.rs"), edit("src/a.rs")]), "1 ERR_ACTION_CONFLICT: `src/a.rs` EDIT_FILE cannot go with EDIT_FILE of `src/a.rs` (action 0)".into()),
        (json!([edit("src/a.rs"), patch("link/a.rs")]), "1 ERR_ACTION_CONFLICT: `link/a.rs` PATCH_FILE cannot go with EDIT_FILE of `src/a.rs` (action 0)".into()),
        (json!([edit("old/sub/x.rs"), delete_dir("old")]), "0 ERR_ACTION_CONFLICT: `old/sub/x.rs` EDIT_FILE cannot go with DELETE_DIR of `old` (action 1)".into()),
        (json!([edit("src")]), "0 ERR_ACTION_CONFLICT: `src` is a folder, not a file".into()),
        // path and protected
        (json!([edit("../x")]), "0 ERR_INVALID_PATH: `../x` has a `..` segment".into()),
        (json!([edit(".git/config")]), "0 FORBIDDEN_PATH: `.git/config` is protected".into()),
        (json!([edit(".github/workflows/ci.yml")]), "0 FORBIDDEN_PATH: `.github/workflows/ci.yml` is run or obeyed by GitHub without being asked; `--allow-ci-files` would allow it".into()),
        // base
        (json!([edits_of("src/a.rs", "abc", &many(1))]), "0 ERR_BASE_SHA256_INVALID: `src/a.rs` has no `base_sha256` of 64 hex digits".into()),
        (json!([{"kind": "EDIT_FILE", "path": "src/a.rs", "edits": many(1)}]), "0 ERR_BASE_SHA256_INVALID: `src/a.rs` has no `base_sha256` of 64 hex digits".into()),
        (json!([edits_of("src/a.rs", &other, &many(1))]), format!("0 ERR_BASE_SHA256_NOT_FROM_CONTEXT: `src/a.rs` has the base {other}, but its FILE block says {digest}")),
        (json!([edit("src/unseen.rs")]), "0 ERR_BASE_SHA256_NOT_FROM_CONTEXT: `src/unseen.rs` was not shown in a FILE block of this run".into()),
        // update, text, freshness
        (json!([update("src/a.rs")]), "0 ERR_V2_UPDATE_EXISTING_FORBIDDEN: `src/a.rs` exists: change it with EDIT_FILE, not as a whole".into()),
        (json!([edit("src/data.bin")]), "0 ERR_NON_UTF8_FILE: `src/data.bin` is binary: it contains NUL, so it cannot be patched".into()),
        (json!([edits_of("src/stale.rs", &then, &many(1))]), format!("0 ERR_EDIT_BASE_MISMATCH: `src/stale.rs` changed since it was read: {then} then, {stale} now")),
        (json!([edits_of("src/gone.rs", &then, &many(1))]), "0 ERR_EDIT_BASE_MISMATCH: `src/gone.rs` was removed since it was read".into()),
        (json!([patch_of("src/stale.rs", &then, "@@")]), format!("0 ERR_BASE_MISMATCH: `src/stale.rs` changed since it was read: {then} then, {stale} now")),
    ] {
        assert_eq!(refusal(Version::V3, &actions, &open()), expected);
    }
}

#[test]
fn checked_edits_carry_the_bytes_they_are_made_for() {
    let before = bytes("src/a.rs").to_vec();
    let edits = vec![Edit {
        op: EditOp::Delete,
        anchor: String::new(),
        before: "x".to_owned(),
        after: String::new(),
    }];
    let op = TreeOp::EditFile { before, edits };
    let actions = vec![TreeAction { index: 0, kind: ActionKind::EditFile, path: path("src/a.rs"), op }];
    let reply = json!({"actions": [edit("src/a.rs")]});
    let expected = Ok(actions);
    assert_eq!(run(Version::V3, &reply, &open()), expected);
}

#[test]
fn one_gate_sees_every_action_before_the_next_sees_any() {
    let two = json!([{"kind": "PATCH_FILE", "path": "src/a.rs"}, create(".env"), create("../x")]);
    assert_eq!(
        refusal(Version::V2, &two, &open()),
        "2 ERR_INVALID_PATH: `../x` has a `..` segment"
    );
    let two = json!([{"kind": "PATCH_FILE", "path": "src/a.rs"}, create(".env")]);
    assert_eq!(refusal(Version::V2, &two, &open()), "1 FORBIDDEN_PATH: `.env` is protected");
}

#[test]
fn the_policy_opens_what_may_be_opened() {
    let passes = |action: Value, policy: &Policy| {
        run(Version::V2, &json!({"actions": [action]}), policy)
            .map(|_| ())
            .map_err(|r| r.to_string())
    };
    let strict = Policy::default();
    let not_deleted = "would be deleted; this run does not allow deletions";
    for action in [delete("src/a.rs"), delete_dir("old")] {
        let at = action["path"].as_str().expect("a path").to_owned();
        let expected = Err(format!("ERR_DELETE_NOT_ALLOWED: `{at}` {not_deleted}"));
        assert_eq!(passes(action.clone(), &strict), expected);
        assert_eq!(passes(action, &open()), Ok(()));
    }
    // Deletions alone would not be enough.
    let expected = "TEST_EDIT_NOT_ALLOWED: `tests/test_a.py` is an existing test and would be deleted; only `--allow tests` with `--allow-delete` allows that";
    let removed = passes(delete("tests/test_a.py"), &strict).unwrap_err();
    assert!(removed.ends_with(expected), "{removed}");
    let tests = Policy { allowances: [Allowance::Tests].into(), ..strict.clone() };
    let removed = passes(delete("tests/test_a.py"), &tests).unwrap_err();
    assert!(removed.ends_with(not_deleted), "{removed}");
    let ci = create(".github/workflows/ci.yml");
    assert!(passes(ci.clone(), &strict).is_err());
    assert_eq!(passes(ci, &Policy { allowances: [Allowance::Ci].into(), ..strict.clone() }), Ok(()));
    let globs = Globs::parse(&["infra/"]).expect("legal patterns");
    let extra = Policy { protected: globs, ..strict.clone() };
    let expected = "FORBIDDEN_PATH: `Infra/x.tf` is protected by the settings";
    assert_eq!(passes(create("Infra/x.tf"), &extra), Err(expected.to_owned()));
    let allowed = vec![".rs".to_owned(), "Makefile".to_owned()];
    let listed = Policy { allowed, allowances: [Allowance::Ci].into(), ..strict };
    let expected = "FORBIDDEN_PATH: `a.sh` has a name that the settings do not allow";
    assert_eq!(passes(create("a.sh"), &listed), Err(expected.to_owned()));
    for action in [create("a.rs"), create("x/Makefile"), dir("x.sh")] {
        assert_eq!(passes(action, &listed), Ok(()));
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("actions"),
        Just("kind"),
        Just("path"),
        Just("content"),
        Just("summary"),
        Just("type"),
        Just("proposed_changes"),
        Just("context_requests"),
        Just("edits"),
        Just("op"),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(key.clone(), inner, 0..6).prop_map(|members| {
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            }),
        ]
    })
}

fn any_path() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[a-zA-Z.~: ]{0,6}",
        Just("..".to_owned()),
        Just(".git".to_owned()),
        Just(".GiT".to_owned()),
        Just(".g\u{200d}it".to_owned()),
        Just("．git".to_owned()),
        Just(".env".to_owned()),
        Just(".ENV.local".to_owned()),
        Just("a.PEM".to_owned()),
        Just("secrets".to_owned()),
        Just("src".to_owned()),
        Just("git~1".to_owned()),
        "\\PC{0,4}",
    ];
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.join("/"))
}

fn any_action() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        Just("CREATE_FILE"),
        Just("CREATE_DIR"),
        Just("UPDATE_FILE"),
        Just("DELETE_FILE"),
        Just("DELETE_DIR"),
    ];
    (kind, any_path(), "\\PC{0,8}").prop_map(|(kind, path, content)| match kind {
        "CREATE_FILE" | "UPDATE_FILE" => json!({"kind": kind, "path": path, "content": content}),
        _ => json!({"kind": kind, "path": path}),
    })
}

proptest! {
    #[test]
    fn any_json_is_answered(value in any_json()) {
        for version in Version::ALL {
            let _ = run(version, &value, &open());
            let plan = decode_plan(version, &value.to_string());
            if let Ok((plan, _)) = plan {
                prop_assert!(!plan.summary.trim().is_empty());
                let _: Vec<ContextRequest> = plan.context_requests;
            }
        }
    }

    #[test]
    fn nothing_checked_is_illegal_or_protected(actions in prop::collection::vec(any_action(), 1..4)) {
        let Ok(checked) = run(Version::V2, &json!({"actions": actions}), &open()) else { return Ok(()) };
        for action in checked {
            let text = action.path.as_str();
            prop_assert_eq!(RepoPath::parse(text), Ok(action.path.clone()));
            prop_assert!(!protected::is_protected(&action.path.identity()), "{}", text);
            let lower = text.to_lowercase();
            prop_assert!(!lower.split('/').any(|part| [".git", ".env", "secrets", "git~1"].contains(&part)), "{}", text);
        }
    }
}
