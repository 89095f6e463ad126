//! A repository folder of its own, a cleared environment, and the built program run in it.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder with a repository and a home; removed when it is dropped.
pub(crate) struct TestEnv {
    root: TempDir,
}

/// What one call of the program printed and how it ended.
#[derive(Debug)]
#[must_use]
pub(crate) struct Ran {
    /// The exit code.
    pub(crate) code: i32,
    /// What it printed on stdout.
    pub(crate) stdout: String,
    /// What it printed on stderr.
    pub(crate) stderr: String,
}

impl Ran {
    /// Returns stdout read as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl TestEnv {
    /// Makes an empty repository folder.
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("repo")).unwrap();
        fs::create_dir(root.path().join("home")).unwrap();
        Self { root }
    }

    /// Returns the repository's folder.
    pub(crate) fn repo(&self) -> PathBuf {
        self.root.path().join("repo")
    }

    /// Returns the home folder.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// Writes a file of the repository, its folders too.
    pub(crate) fn write(&self, path: &str, text: &str) {
        write(&self.repo().join(path), text);
    }

    /// Returns the bytes of a file of the repository.
    pub(crate) fn read(&self, path: &str) -> String {
        let bytes =
            fs::read(self.repo().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        String::from_utf8(bytes).unwrap()
    }

    /// Copies an example of this project into the repository, without what runs left in it.
    pub(crate) fn copy_example(&self, name: &str) {
        copy(&project_path("examples").join(name), &self.repo());
    }

    /// Runs the program with `--format json` and returns the outcome it prints, which follows its
    /// schema and is what `outcome.json` says.
    pub(crate) fn outcome(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Value {
        let all = [arguments, &["--format", "json", "--out", "results"]].concat();
        let ran = self.run_with(&all, variables);
        let outcome = ran.json();
        let schema = serde_json::from_str(&project_file("schemas/outcome.schema.json")).unwrap();
        let wrong: Vec<_> = jsonschema::validator_for(&schema)
            .unwrap()
            .iter_errors(&outcome)
            .map(|error| error.to_string())
            .collect();
        assert_eq!(wrong, Vec::<String>::new(), "{ran:?}");
        let written: Value = serde_json::from_str(&self.read("results/outcome.json")).unwrap();
        assert_eq!(written, outcome);
        assert_eq!(outcome["exit_code"], ran.code, "{ran:?}");
        outcome
    }

    /// Writes the user's own settings file.
    pub(crate) fn write_user_settings(&self, text: &str) {
        write(&self.home().join("config/papayu/papayu.toml"), text);
    }

    /// Makes a folder next to the repository that the settings let commands write, and returns it.
    pub(crate) fn writable_folder(&self) -> PathBuf {
        let folder = self.root.path().join("marks");
        fs::create_dir_all(&folder).unwrap();
        let folder = folder.canonicalize().unwrap();
        self.write_user_settings(&format!("[run]\nwritable = [\"{}\"]\n", folder.display()));
        folder
    }

    /// Runs the program in the repository's folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[])
    }

    /// Runs the program in the repository's folder with these variables beside `PATH` and a home.
    pub(crate) fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.command(assert_cmd::cargo::cargo_bin!("papayu-batch"));
        finish(command.args(arguments).envs(variables.iter().copied()))
    }

    /// Starts the program as [`Self::run_with`] does and returns at once.
    pub(crate) fn start(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Child {
        self.start_with(arguments, variables, Stdio::null())
    }

    /// Starts the program with this standard input.
    pub(crate) fn start_with(
        &self,
        arguments: &[&str],
        variables: &[(&str, &str)],
        input: Stdio,
    ) -> Child {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("papayu-batch"));
        command
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("HOME", self.home())
            .env("XDG_CONFIG_HOME", self.home().join("config"))
            .current_dir(self.repo())
            .args(arguments)
            .envs(variables.iter().copied())
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Returns all that is in the repository but the program's own folder: what stands at each path,
    /// its mode and its bytes.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.repo()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let relative = path.strip_prefix(self.repo()).unwrap().to_owned();
                let known = fs::symlink_metadata(&path).unwrap();
                if relative == Path::new(".papa-yu") {
                    continue;
                }
                let bytes = if known.is_symlink() {
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                } else if known.is_file() {
                    fs::read(&path).unwrap()
                } else {
                    Vec::new()
                };
                if known.is_dir() {
                    open.push(path);
                }
                found.insert(relative, (known.permissions().mode(), bytes));
            }
        }
        found
    }

    /// Runs a shell line in the repository's folder; `$BIN` is the program.
    pub(crate) fn shell(&self, line: &str) -> Ran {
        let mut command = self.command(Path::new("sh"));
        finish(command.args(["-c", line]).env("BIN", assert_cmd::cargo::cargo_bin!("papayu-batch")))
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("HOME", self.home())
            .env("XDG_CONFIG_HOME", self.home().join("config"))
            .current_dir(self.repo())
            .timeout(Duration::from_mins(3));
        command
    }
}

/// Sends a process a signal, by its name with a minus before it.
pub(crate) fn signal(id: u32, name: &str) {
    let sent = std::process::Command::new("kill").args([name, &id.to_string()]).status();
    assert!(sent.unwrap().success());
}

fn finish(command: &mut Command) -> Ran {
    ran(command.output().unwrap())
}

/// Returns what a program that has ended printed and how it ended.
pub(crate) fn ran(output: std::process::Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let name = entry.file_name();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(name)).unwrap();
        } else if ![".papa-yu", "__pycache__", "recordings", "target"]
            .iter()
            .any(|left| name == *left)
        {
            copy(&entry.path(), &to.join(name));
        }
    }
}

/// Returns the pages of the documentation: the book, the README and other texts at the top, and those of the examples.
pub(crate) fn documentation_pages() -> Vec<PathBuf> {
    let top = ["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(project_path);
    let examples = ["parser-none", "rust-typo"];
    let examples = examples.map(|name| project_path("examples").join(name).join("README.md"));
    let book = fs::read_dir(project_path("docs")).unwrap().map(|entry| entry.unwrap().path());
    let book = book.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let mut pages: Vec<_> = top.into_iter().chain(examples).chain(book).collect();
    pages.sort();
    pages
}

/// Returns the text of a file of this project.
pub(crate) fn project_file(path: &str) -> String {
    fs::read_to_string(project_path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the absolute path of a file of this project.
pub(crate) fn project_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Holds a generated JSON file to the committed one; with `BLESS=1` it is written instead.
pub(crate) fn assert_committed(path: &str, generated: &Value) {
    if std::env::var("BLESS").is_ok() {
        fs::write(project_path(path), format!("{generated:#}\n")).unwrap();
    }
    // The order of keys is no part of it: it follows a feature that any dependency may turn on.
    let committed: Value = serde_json::from_str(&project_file(path)).unwrap();
    assert!(
        committed == *generated,
        "{path} is stale: run the tests once more with BLESS=1 and commit what changes"
    );
}

/// Compares a text with the committed one; with `BLESS=1` it is written instead.
pub(crate) fn assert_committed_text(path: &str, text: &str) {
    if std::env::var("BLESS").is_ok() {
        write(&project_path(path), text);
    }
    assert_eq!(text, project_file(path), "{path}: run with BLESS=1 to accept it");
}
