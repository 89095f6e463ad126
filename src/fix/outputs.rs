//! Checks the places in the repository that its own settings file chose for outputs.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::emit::junit;
use crate::settings::{
    FileOwner, KEYS, OutputForm, Setting, Settings, SettingsProblem, SettingsProblemKind, Trust,
    ValueOrigin, output_path,
};
use papayu_base::domain::RepoPath;
use papayu_system::{Entry, Tree};

/// The program's name in its reports.
const NAME: &str = "papayu-batch";

/// The longest report that is looked into, in bytes.
const MAX_REPORT: u64 = 256 * 1024 * 1024;

/// Returns a problem for each path of the repository's file that leads out of the repository, goes through a link,
/// or is taken by a file that is no earlier output.
pub(super) fn check_outputs(tree: &dyn Tree, settings: &Settings) -> Vec<SettingsProblem> {
    let places: [(&str, &Setting<Option<PathBuf>>); 4] = [
        ("trace.dir", &settings.trace_dir),
        ("out.dir", &settings.out_dir),
        ("out.junit", &settings.out_junit),
        ("out.sarif", &settings.out_sarif),
    ];
    let mut problems = Vec::new();
    for (name, setting) in places {
        let Some(key) = KEYS.iter().find(|key| key.name == name) else { continue };
        let Trust::Inside(output) = key.trust else { continue };
        let ValueOrigin::File { owner: FileOwner::Repository, .. } = &setting.origin else {
            continue;
        };
        let Some(text) = setting.value.as_deref().and_then(Path::to_str) else { continue };
        let checked = output_path(text, output).and_then(|path| check_output(tree, &path, output));
        if let Err(reason) = checked {
            let env = key.env.first().copied().unwrap_or_default();
            let kind = SettingsProblemKind::Outside { key: key.name, env, reason };
            problems.push(SettingsProblem { place: setting.origin.clone(), kind });
        }
    }
    problems
}

/// Returns why nothing may be written at the path.
fn check_output(tree: &dyn Tree, path: &RepoPath, output: OutputForm) -> Result<(), String> {
    let refuse = |path: &RepoPath, why: &str| Err(format!("`{path}` {why}"));
    let look = |path: &RepoPath| tree.entry(path).map_err(|error| format!("`{path}`: {error}"));
    let mut folder = path.parent();
    while let Some(above) = folder {
        match look(&above)? {
            Entry::Missing | Entry::Dir => folder = above.parent(),
            Entry::Link { .. } => return refuse(&above, "is a link"),
            _ => return refuse(&above, "is not a folder"),
        }
    }
    match (look(path)?, output) {
        (Entry::Missing, _) | (Entry::Dir, OutputForm::Folder) => Ok(()),
        (Entry::Dir, OutputForm::Results) if is_free(tree, path) => Ok(()),
        (Entry::Dir, OutputForm::Results) => refuse(path, "has files that are no results of a run"),
        (Entry::File { .. }, OutputForm::File(_)) if is_report(tree, path) => Ok(()),
        (Entry::File { .. }, OutputForm::File(_)) => {
            refuse(path, "exists and is no report of this program")
        }
        (Entry::Link { .. }, _) => refuse(path, "is a link"),
        (_, OutputForm::File(_)) => refuse(path, "is not a file"),
        _ => refuse(path, "is not a folder"),
    }
}

/// Returns `true` for a folder that is empty or has the results of a run.
fn is_free(tree: &dyn Tree, folder: &RepoPath) -> bool {
    let outcome = || {
        let path = folder.join("outcome.json").ok()?;
        let outcome: Value = serde_json::from_slice(&tree.read(&path, MAX_REPORT).ok()?).ok()?;
        outcome.get("run_id").and(outcome.get("exit_code")).map(|_| ())
    };
    tree.list(Some(folder)).is_ok_and(|names| names.is_empty()) || outcome().is_some()
}

/// Returns `true` for a report that this program wrote.
fn is_report(tree: &dyn Tree, path: &RepoPath) -> bool {
    let Ok(bytes) = tree.read(path, MAX_REPORT) else { return false };
    let is_sarif = || {
        let report: Value = serde_json::from_slice(&bytes).ok()?;
        let name = report.pointer("/runs/0/tool/driver/name")?.as_str()?;
        (name == NAME).then_some(())
    };
    bytes.starts_with(junit::HEAD.as_bytes()) || is_sarif().is_some()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the places are looked up on the real disk")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use papayu_system::Disk as _;
    use papayu_system::os::OsDisk;

    #[test]
    fn an_output_overwrites_nothing_but_an_earlier_output_and_goes_through_no_link() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("src/main.rs", "fn main() {}");
        put("pom.xml", "<project name=\"papayu-batch\"/>");
        put("old.xml", junit::HEAD);
        put("old.sarif", r#"{"runs":[{"tool":{"driver":{"name":"papayu-batch"}}}]}"#);
        put("package.json", "{}");
        put("results/outcome.json", r#"{"run_id":"r","exit_code":0}"#);
        symlink(elsewhere.path(), folder.path().join("link")).unwrap();
        symlink("src", folder.path().join("near")).unwrap();
        symlink("gone", folder.path().join("dangling.xml")).unwrap();
        let tree = OsDisk.open_tree(folder.path()).unwrap();
        let file = OutputForm::File(&[]);
        for (path, output, expected) in [
            ("new/junit.xml", file, true),
            ("old.xml", file, true),
            ("old.sarif", file, true),
            ("results", OutputForm::Results, true),
            ("new", OutputForm::Results, true),
            ("src", OutputForm::Folder, true),
            ("pom.xml", file, false),
            ("package.json", file, false),
            ("src/main.rs", file, false),
            ("src", file, false),
            ("src", OutputForm::Results, false),
            ("link/junit.xml", file, false),
            ("near/junit.xml", file, false),
            ("dangling.xml", file, false),
            ("link", OutputForm::Folder, false),
            ("src/main.rs/x", OutputForm::Results, false),
        ] {
            let checked = check_output(tree.as_ref(), &RepoPath::parse(path).unwrap(), output);
            assert_eq!(checked.is_ok(), expected, "{path}: {checked:?}");
        }
    }
}
