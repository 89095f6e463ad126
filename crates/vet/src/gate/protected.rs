//! Gates `protected` and `delete`: paths that no reply may touch, and removals the run does not
//! allow.

use std::sync::LazyLock;

use globset::GlobSet;

use super::unattended::{self, Touched};
use super::{LocatedAction, NamedAction};
use crate::{PathFact, Policy};
use papayu_base::domain::{ActionKind, Allowance, ErrorCode, RepoPath};
use papayu_lang::compile_globs;
use papayu_patch::protocol::Refusal;

/// Names protected at any depth, with all below them; matched against [`RepoPath::identity`], so in
/// lower case. `git~1` and `gitmod~1` are what Windows calls `.git` and `.gitmodules` for short; as any name of that form
/// may mean another file there, none is used.
///
/// `.gitmodules` is here because it decides which foreign code the next checkout fetches.
const NAMES: &str = ".git git~* .gitmodules gitmod~* .papa-yu .env .env.* .envrc *.pem *.key *.p12 *.pfx id_rsa* \
    id_dsa* id_ecdsa* id_ed25519* .netrc secrets node_modules __pycache__ .ssh *~[1-9] *~[1-9].*";

/// Names of examples, which by convention have no secrets.
const EXAMPLES: [&str; 4] = [".env.example", ".env.sample", ".env.template", ".env.dist"];

/// The name of our own settings, which would change what the next run may do; each folder can have them.
const SETTINGS: &str = "papayu.toml";

static PROTECTED_NAMES: LazyLock<Option<GlobSet>> =
    LazyLock::new(|| compile_globs(NAMES.split_whitespace()));

/// Compiles the patterns, so that the first run does not pay for it within its time.
pub(super) fn prepare() {
    LazyLock::force(&PROTECTED_NAMES);
    unattended::prepare();
}

/// Applies the rules to paths as written: built-in names, files of CI systems, and patterns and names of the
/// settings.
///
/// Fails with `ERR_FORBIDDEN_PATH` for the first path that breaks a rule.
pub(super) fn check_named(actions: &[NamedAction], policy: &Policy) -> Result<(), Refusal> {
    actions.iter().try_for_each(|action| {
        // The disk is not read here, so a path is taken as existing: the rule for new files
        // applies later.
        let touched = Touched { is_new: false, is_file: !action.is_of_dir() };
        check_path(action, &action.path, touched, policy)
    })
}

/// Applies them to paths with links followed, and to everything that a `DELETE_DIR` would remove.
///
/// Fails with `ERR_FORBIDDEN_PATH`; the message names the path that a link leads to.
pub(super) fn check_located(actions: &[LocatedAction], policy: &Policy) -> Result<(), Refusal> {
    for LocatedAction { named, resolved, fact } in actions {
        let is_new = matches!(fact, PathFact::Missing { .. });
        let touched = Touched { is_new, is_file: !named.is_of_dir() };
        check_path(named, resolved, touched, policy)?;
        let (file_in_it, folder_in_it) =
            (Touched { is_new: false, is_file: true }, Touched { is_new: false, is_file: false });
        // A removed folder takes all its content with it, so each entry is checked by name.
        if let (ActionKind::DeleteDir, PathFact::Dir { files, dirs, .. }) = (named.kind, fact) {
            files.iter().try_for_each(|(file, _)| check_path(named, file, file_in_it, policy))?;
            dirs.iter().try_for_each(|dir| check_path(named, dir, folder_in_it, policy))?;
        }
    }
    Ok(())
}

/// Refuses removals, unless `--allow-delete` is set (protocol section 2).
///
/// Fails for the first of them with `ERR_DELETE_NOT_ALLOWED`, or with `ERR_TEST_EDIT_NOT_ALLOWED` if it is a test that the run
/// may not change.
pub(super) fn check_deletions(actions: &[NamedAction], policy: &Policy) -> Result<(), Refusal> {
    match actions.iter().find(|action| action.deletes() && !policy.allow_delete) {
        // Deletions alone would not be enough.
        Some(action) if is_kept_test(&action.path, policy) => {
            let reason = "is an existing test and would be deleted; only `--allow tests` with `--allow-delete` allows that";
            Err(action.refuse(ErrorCode::TestEditNotAllowed, reason))
        }
        Some(action) => {
            let reason = "would be deleted; this run does not allow deletions";
            Err(action.refuse(ErrorCode::DeleteNotAllowed, reason))
        }
        None => Ok(()),
    }
}

/// Returns `true` for a test that the run may not change.
fn is_kept_test(path: &RepoPath, policy: &Policy) -> bool {
    papayu_lang::is_test(path.as_str()) && !policy.allowances.contains(&Allowance::Tests)
}

/// Checks one path of an action.
fn check_path(
    action: &NamedAction,
    path: &RepoPath,
    touched: Touched,
    policy: &Policy,
) -> Result<(), Refusal> {
    let Some(reason) = find_broken_rule(path, touched, policy) else { return Ok(()) };
    let reason =
        if *path == action.path { reason } else { format!("means `{path}`, which {reason}") };
    Err(action.refuse(ErrorCode::ForbiddenPath, reason))
}

/// Returns the rule that a path breaks, as the end of a sentence.
fn find_broken_rule(path: &RepoPath, touched: Touched, policy: &Policy) -> Option<String> {
    // By identity: `.GIT` is `.git` on file systems that fold case.
    let identity = path.identity();
    if is_protected(&identity) {
        return Some("is protected".to_owned());
    }
    if !policy.allowances.contains(&Allowance::Ci)
        && let Some(reason) = unattended::describe_reader(&identity, touched)
    {
        return Some(reason);
    }
    // The user's own patterns come after the built-in ones, so their messages never hide those.
    if policy.protected.matches(&identity) {
        Some("is protected by the settings".to_owned())
    } else if touched.is_file && !has_allowed_name(path, policy) {
        Some("has a name that the settings do not allow".to_owned())
    } else {
        None
    }
}

/// Returns true for a match. A table that does not compile protects everything.
fn is_in_table(set: Option<&GlobSet>, text: &str) -> bool {
    set.is_none_or(|set| set.is_match(text))
}

/// Returns true for the identity of a path that is protected in every run.
pub(crate) fn is_protected(identity: &str) -> bool {
    identity.rsplit('/').next() == Some(SETTINGS)
        || identity.split('/').any(|segment| {
            // On NTFS, `.git::$INDEX_ALLOCATION` is `.git`.
            let name = segment.split(':').next().unwrap_or(segment);
            !EXAMPLES.contains(&segment) && is_in_table(PROTECTED_NAMES.as_ref(), name)
        })
}

/// Returns `true` if the setting of allowed names permits the file.
fn has_allowed_name(path: &RepoPath, policy: &Policy) -> bool {
    let name = path.file_name();
    // An entry that begins with a dot is an extension; any other is a whole name.
    policy.allowed.is_empty()
        || policy.allowed.iter().any(|entry| {
            name == entry || (entry.starts_with('.') && name.ends_with(entry.as_str()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Option<String> {
        let path = RepoPath::parse(text).expect("a legal path");
        find_broken_rule(&path, Touched { is_new: false, is_file: true }, &Policy::default())
    }

    #[test]
    fn the_tables_compile() {
        assert!(PROTECTED_NAMES.is_some());
    }

    #[test]
    fn protected_names_are_seen_in_every_disguise() {
        for text in [
            ".git",
            ".git/config",
            ".GIT/hooks/pre-commit",
            "sub/.git/config",
            ".g\u{200d}it/config",
            "．ｇｉｔ/config",
            ".g\u{131}t/config",
            ".G\u{130}T/config",
            ".gi\u{2060}t/config",
            ".git\u{feff}/config",
            "sub/.G\u{131}T/hooks/pre-commit",
            ".\u{17f}\u{17f}h/config",
            "GIT~1/config",
            ".git::$INDEX_ALLOCATION/config",
            ".gitmodules",
            "a/.GitModules",
            ".env",
            "api/.env",
            ".env.local",
            ".ENV.production",
            ".env/bin/activate",
            "server.pem",
            "tls/SERVER.KEY",
            "a.p12",
            "id_rsa",
            "keys/id_rsa.pub",
            "config/secrets/token.txt",
            "secrets/x",
            "node_modules/x/index.js",
            "web/node_modules/x.js",
            "pkg/__pycache__/a.pyc",
            ".papa-yu/project.json",
            "papayu.toml",
            "Papayu.toml",
            "web/papayu.toml",
        ] {
            assert_eq!(rule(text).as_deref(), Some("is protected"), "{text}");
        }
    }

    #[test]
    fn ordinary_files_are_left_alone() {
        for text in [
            "src/main.rs", ".env.example", "api/.env.sample", ".env.template", "src/secrets.py",
            "src/keys.rs", "keyboard.ts", ".gitignore", ".github/ISSUE_TEMPLATE.md",
            "pkg/action.yml", "docs/git.md", "src/environment.rs", "monkey.key.md", "src/envrc.rs",
        ] {
            assert_eq!(rule(text), None, "{text}");
        }
    }
}
