//! A real git repository with a failing test, and the built program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::mock::{Mock, Route};

/// The command that fails.
pub(crate) const COMMAND: &str = "python3 -m unittest discover -s tests -t .";

/// The file that is broken.
pub(crate) const PARSER: &str = r#"from settings.defaults import DEFAULTS


def parse(text):
    # One setting a line.
    """Returns the settings in `text`; no text means the defaults."""
    found = dict(DEFAULTS)
    for line in text.splitlines():
        key, _, value = line.partition("=")
        found[key.strip()] = value.strip()
    return found
"#;

/// A file that the failure does not name.
pub(crate) const DEFAULTS: &str = "DEFAULTS = {\"colour\": \"auto\"}\n";

/// The test prints secrets of two kinds: one known by its form, one by the environment.
const TEST: &str = r#"import os
import unittest

from settings.parser import parse


class ParserTest(unittest.TestCase):
    def test_a_line_is_a_setting(self):
        self.assertEqual(parse("colour = red"), {"colour": "red"})

    def test_no_text_means_the_defaults(self):
        print("signed in with AKIAIOSFODNN7EXAMPLE and", os.environ.get("DEPLOY_TOKEN"))
        self.assertEqual(parse(None), {"colour": "auto"})
"#;

/// A secret by its form, printed by the test.
pub(crate) const SECRET_BY_FORM: &str = "AKIAIOSFODNN7EXAMPLE";
/// A secret by its variable's name, printed by the test.
pub(crate) const SECRET_BY_VALUE: &str = "violet harbour ninety";
/// The key of the API.
pub(crate) const KEY: &str = "amber-canyon-key";

/// A repository and a home in a temporary folder.
pub(crate) struct Project {
    root: TempDir,
}

/// How one call of the program ended.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit code.
    pub(crate) code: i32,
    /// What it printed on stdout.
    pub(crate) stdout: String,
    /// What it printed on stderr.
    pub(crate) stderr: String,
    /// `outcome.json`.
    pub(crate) outcome: Value,
    /// The traces, in the order in which they were written.
    pub(crate) traces: Vec<Value>,
}

impl Project {
    /// Makes and commits the repository.
    pub(crate) fn new() -> Self {
        let project = Self { root: tempfile::tempdir().unwrap() };
        fs::create_dir(project.root.path().join("home")).unwrap();
        for (path, text) in [
            (".gitignore", "__pycache__/\n"),
            ("settings/__init__.py", ""),
            ("settings/defaults.py", DEFAULTS),
            ("settings/parser.py", PARSER),
            ("tests/__init__.py", ""),
            ("tests/test_parser.py", TEST),
        ] {
            let path = project.repo().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        project.git(&["init", "--quiet"]);
        project.commit();
        project
    }

    /// Commits everything.
    pub(crate) fn commit(&self) {
        self.git(&["add", "."]);
        let author = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        self.git(&[&author[..], &["commit", "--quiet", "-m", "A parser"]].concat());
    }

    /// Returns the repository's folder.
    pub(crate) fn repo(&self) -> PathBuf {
        self.root.path().join("repo")
    }

    /// Runs git in the repository; it must succeed.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        let output = git.arg("-C").arg(self.repo()).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs `fix` with the model behind the mock.
    pub(crate) fn fix(&self, route: Route, mock: &Mock) -> Run {
        self.fix_with(route, mock, &[], &[])
    }

    /// The same with more arguments and variables.
    pub(crate) fn fix_with(
        &self,
        route: Route,
        mock: &Mock,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Run {
        let out = self.root.path().join("out");
        let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_papayu-batch"))
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("HOME", self.root.path().join("home"))
            .env("DEPLOY_TOKEN", SECRET_BY_VALUE)
            .env("PAPAYU_KEEP_ENV", "DEPLOY_TOKEN")
            .env("PAPAYU_LLM_PROVIDER", route.name())
            .env("PAPAYU_LLM_API_URL", mock.url())
            .env("PAPAYU_LLM_API_KEY", KEY)
            .env("PAPAYU_LLM_STRICT_JSON", "1")
            .env("PAPAYU_JUDGE", "off")
            .env("PAPAYU_TRACE_RAW", "1")
            .envs(variables.iter().copied())
            .current_dir(self.repo())
            .args(["fix", "--verbose", "--run", COMMAND, "--out"])
            .arg(&out)
            .args(arguments)
            .timeout(Duration::from_mins(2))
            .output()
            .unwrap();
        let outcome = json_file(&out.join("outcome.json"));
        let traces = outcome["trace_paths"].as_array().unwrap();
        let traces = traces.iter().map(|path| json_file(&self.repo().join(path.as_str().unwrap())));
        let run = Run {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            traces: traces.collect(),
            outcome,
        };
        self.assert_nothing_leaked(&run, mock);
        self.assert_untouched();
        run
    }

    /// What was asked for is a patch: whatever happened, the tree is as it was committed.
    fn assert_untouched(&self) {
        assert_eq!(self.git(&["status", "--porcelain"]), "");
    }

    /// No secret is in a prompt, on a terminal or in a file that is left.
    fn assert_nothing_leaked(&self, run: &Run, mock: &Mock) {
        let prompts = mock.sent().iter().map(|sent| sent.body.to_string()).collect::<String>();
        let left = [self.root.path().join("out"), self.repo().join(".papa-yu")];
        let left: String = left.iter().map(|folder| text_below(folder)).collect();
        for (place, text) in [
            ("a prompt", &prompts),
            ("stdout", &run.stdout),
            ("stderr", &run.stderr),
            ("a file", &left),
        ] {
            for secret in [SECRET_BY_FORM, SECRET_BY_VALUE, KEY] {
                assert!(!text.contains(secret), "`{secret}` is in {place}: {text}");
            }
        }
    }

    /// Checks that git takes the patch, applies it and runs the command: the proof without us.
    pub(crate) fn assert_patch_mends(&self, run: &Run) {
        let patch = run.outcome["patch_path"].as_str().expect("a patch");
        self.git(&["apply", "--check", patch]);
        self.git(&["apply", patch]);
        let words: Vec<_> = COMMAND.split(' ').collect();
        let mut command = Command::new(words[0]);
        let status = command.args(&words[1..]).current_dir(self.repo()).output().unwrap().status;
        assert!(status.success(), "{run:?}");
        self.git(&["checkout", "--quiet", "."]);
    }
}

impl Run {
    /// Returns the names of the events on stderr, in their order.
    pub(crate) fn events(&self) -> Vec<&str> {
        let lines = self.stderr.lines().filter_map(|line| line.strip_prefix("[trace] "));
        lines.map(|line| line.split(' ').next().unwrap()).collect()
    }

    /// Returns how it ended: the exit code and the word for it.
    pub(crate) fn end(&self) -> (i32, &str) {
        (self.code, self.outcome["outcome"].as_str().unwrap())
    }
}

fn json_file(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap()
}

fn text_below(folder: &Path) -> String {
    let mut all = String::new();
    let Ok(entries) = fs::read_dir(folder) else { return all };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all += &text_below(&path);
        } else {
            all += &String::from_utf8_lossy(&fs::read(&path).unwrap());
        }
    }
    all
}
