//! The packages for pip and npm, installed from their files, and the hook for pre-commit, run by pre-commit itself.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::judges::home;

const BINARY: &str = env!("CARGO_BIN_EXE_papayu-batch");

/// Runs a program to its end and returns its standard output. Panics if it fails.
fn run(command: &mut Command) -> String {
    let output = finish(command);
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn finish(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Builds both packages of this machine's binary. Returns the wheel and the package of npm.
fn build_packages(folder: &Path) -> (PathBuf, PathBuf) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/build.py");
    let binary = format!("{}={BINARY}", std::env::consts::ARCH);
    let printed = run(Command::new("python3").arg(script).arg("--out").arg(folder).arg(binary));
    let mut paths = printed.lines().map(PathBuf::from);
    (paths.next().unwrap(), paths.next().unwrap())
}

#[test]
fn pip_and_npm_install_the_packages_and_the_program_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (wheel, archive) = build_packages(folder.path());
    let version = concat!("papayu-batch ", env!("CARGO_PKG_VERSION"));

    let venv = folder.path().join("venv");
    run(Command::new("python3").args(["-m", "venv"]).arg(&venv));
    run(Command::new(venv.join("bin/pip")).args(["install", "--quiet", "--no-index"]).arg(wheel));
    let printed = run(Command::new(venv.join("bin/papayu-batch")).arg("--version"));
    assert!(printed.starts_with(version), "{printed}");

    let project = folder.path().join("node");
    fs::create_dir(&project).unwrap();
    fs::write(project.join("package.json"), "{}").unwrap();
    let install = ["install", "--offline", "--no-audit", "--no-fund", "--silent"];
    run(Command::new("npm").args(install).arg(archive).current_dir(&project));
    let program = project.join("node_modules/.bin/papayu-batch");
    let printed = run(Command::new(&program).arg("--version"));
    assert!(printed.starts_with(version), "{printed}");
    // The wrapper hands on the exit code.
    let ended = finish(Command::new(&program).args(["fix", "--no-such-flag"]));
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
}

/// Runs git in a folder and returns its output.
fn git(folder: &Path, words: &[&str]) -> String {
    let user = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    run(Command::new("git").args(user).args(words).current_dir(folder))
}

/// Makes a repository of the files in a folder and returns its commit.
fn commit_all(folder: &Path) -> String {
    git(folder, &["init", "--quiet"]);
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", "one"]);
    git(folder, &["rev-parse", "HEAD"]).trim().to_owned()
}

#[test]
fn the_hook_fixes_what_the_tests_show_before_a_push() {
    let root = tempfile::tempdir().unwrap();
    let make = |name: &str| {
        let folder = root.path().join(name);
        fs::create_dir(&folder).unwrap();
        folder
    };
    let (hooks, repository, programs) = (make("hooks"), make("repository"), make("programs"));
    let definition = Path::new(env!("CARGO_MANIFEST_DIR")).join(".pre-commit-hooks.yaml");
    fs::copy(definition, hooks.join(".pre-commit-hooks.yaml")).unwrap();
    let revision = commit_all(&hooks);
    symlink(BINARY, programs.join("papayu-batch")).unwrap();
    let settings = format!(
        "repos:\n  - repo: {}\n    rev: {revision}\n    hooks:\n      - id: papayu-batch\n",
        hooks.display()
    );
    fs::write(repository.join(".pre-commit-config.yaml"), settings).unwrap();
    let shop = repository.join("shop.py");
    fs::write(&shop, "def total(prices):\n    return sum(pirces)\n").unwrap();
    let test = "import unittest\nimport shop\n\n\nclass T(unittest.TestCase):\n    \
                def test_total(self):\n        self.assertEqual(shop.total([1, 2]), 3)\n";
    fs::write(repository.join("test_shop.py"), test).unwrap();
    commit_all(&repository);
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let run_hook = || {
        let program = home().join("venv/bin/pre-commit");
        let words = ["run", "--all-files", "--hook-stage", "pre-push"];
        let mut command = Command::new(program);
        command.args(words).current_dir(&repository).env("PATH", &path).env("HOME", root.path());
        finish(&mut command)
    };
    let first = run_hook();
    assert_eq!(first.status.code(), Some(1), "{first:?}");
    let printed = String::from_utf8_lossy(&first.stdout);
    assert!(printed.contains("files were modified by this hook"), "{printed}");
    assert_eq!(fs::read_to_string(&shop).unwrap(), "def total(prices):\n    return sum(prices)\n");
    let second = run_hook();
    assert!(second.status.success(), "{second:?}");
}
