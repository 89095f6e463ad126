//! A red repository, its remote behind git's own HTTP server, a stand-in for GitHub, and the built program between.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the disk and the processes themselves"
)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use papayu_base::domain::Sha256;
use papayu_forge::ForgeKind;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The token that both servers know.
pub(crate) const TOKEN: &str = "ghs_tin7violet9harbour4canyon2amber";

/// A token that both servers let read and not write.
pub(crate) const READER: &str = "ghs_reader6stone7copper8lantern9field";

/// The command that fails.
pub(crate) const COMMAND: &str = "python3 -m unittest -v";

const VALUE: &str = "def two():\n    return 3\n";
const TEST: &str = "import unittest\n\nfrom value import two\n\n\nclass ValueTest(unittest.TestCase):\n    def test_two_is_two(self):\n        self.assertEqual(two(), 2)\n";

/// A server in a process of its own; it ends when this is dropped.
pub(crate) struct Server {
    pub(crate) process: Child,
    /// Where it listens.
    pub(crate) url: String,
}

impl Server {
    /// Starts a program that prints `ready URL` when it listens.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = lines.next().expect("the server ended before it listened").unwrap();
        let url = line.strip_prefix("ready ").expect(&line).to_owned();
        Self { process, url }
    }

    /// Sends one request and returns the answer's body.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let address = self.url.strip_prefix("http://").unwrap();
        let host = address.split('/').next().unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        let body = body.to_string();
        // HTTP/1.0: the answer's end is the end of the connection.
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nhost: {host}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already; there is nobody to tell.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
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
}

impl Run {
    /// Returns how it ended: the exit code, the word for it, and the typed code.
    pub(crate) fn end(&self) -> (i32, &str, Option<&str>) {
        (self.code, self.outcome["outcome"].as_str().unwrap(), self.outcome["error_code"].as_str())
    }

    /// Returns a text of the outcome.
    pub(crate) fn text(&self, field: &str) -> &str {
        self.outcome[field].as_str().unwrap_or_default()
    }
}

/// The whole scene in a temporary folder.
pub(crate) struct Rig {
    pub(crate) root: TempDir,
    /// Git's own server.
    pub(crate) git: Server,
    /// The stand-in for GitHub.
    pub(crate) github: Server,
    /// Where the program is told that GitHub's API is.
    pub(crate) api_url: String,
    /// The server that a proxy in front of the API redirects job logs to, as `HOST:PORT`.
    pub(crate) log_hosts: String,
    /// The forge that the program is told of; empty where it has to find out.
    pub(crate) forge: &'static str,
}

impl Rig {
    /// Makes the scene, both servers knowing [`TOKEN`].
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// The same with more arguments for the stand-in.
    pub(crate) fn with(arguments: &[&str]) -> Self {
        Self::start("github", arguments)
    }

    /// The same with a stand-in for another forge, by its word in `forge.kind`.
    pub(crate) fn at_forge(forge: &'static str) -> Self {
        Self::start(forge, &["--page", "1"])
    }

    fn start(forge: &'static str, arguments: &[&str]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for folder in ["home", "remote/o", "repo"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        let bare = at("remote/o/r.git");
        plain(&at("remote"), &["init", "-q", "--bare", "-b", "main", bare.to_str().unwrap()]);
        plain(&bare, &["config", "http.receivepack", "true"]);
        plain(&bare, &["config", "uploadpack.allowFilter", "true"]);
        let script = |name: &str| {
            let mut python = Command::new("python3");
            python
                .env("TOKEN", TOKEN)
                .env("READER", READER)
                .env("APP_KEY", at("app.pem"))
                .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/forge").join(name));
            python
        };
        let git = Server::start(script("git_http.py").arg(at("remote")));
        let mut stand_in = match forge {
            "github" => script("github.py"),
            _ => script("forges.py"),
        };
        if forge != "github" {
            stand_in.arg(forge);
        }
        let github = Server::start(stand_in.arg(&bare).args(arguments));
        let api_url = github.url.clone();
        let rig = Self { root, git, github, api_url, log_hosts: String::new(), forge };
        rig.write(".gitignore", "__pycache__/\n.papa-yu/\n");
        rig.write("value.py", VALUE);
        rig.write("test_value.py", TEST);
        rig.git(&["init", "-q", "-b", "main"]);
        rig.commit("Begin");
        rig.git(&["push", "-q", bare.to_str().unwrap(), "main"]);
        rig.git(&["remote", "add", "origin", &format!("{}/o/r.git", rig.git.url)]);
        rig.reply("return 2");
        rig
    }

    /// Returns a path in the scene.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// Writes a file of the repository.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.at("repo").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Sets what the change makes of the faulty line.
    pub(crate) fn reply(&self, line: &str) {
        let digest = Sha256::of(VALUE.as_bytes()).to_string();
        let action = json!({
            "kind": "REPLACE_RANGE", "path": "value.py", "base_sha256": digest,
            "start_line": 2, "end_line": 2, "content": format!("    {line}\n"),
        });
        let reply = json!({ "actions": [action], "summary": "two() must return two" });
        fs::write(self.at("reply.json"), reply.to_string()).unwrap();
    }

    /// Commits everything in the repository.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        let author = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        self.git(&[&author[..], &["commit", "-q", "-m", message]].concat());
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs git in the repository.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        plain(&self.at("repo"), arguments)
    }

    /// Runs git in the remote.
    pub(crate) fn remote(&self, arguments: &[&str]) -> String {
        plain(&self.at("remote/o/r.git"), arguments)
    }

    /// Returns the remote's branches that are ours.
    pub(crate) fn branches(&self) -> Vec<String> {
        let names =
            self.remote(&["for-each-ref", "--format=%(refname:short)", "refs/heads/papayu"]);
        names.lines().map(str::to_owned).collect()
    }

    /// Commits to a branch of the remote as a person does.
    pub(crate) fn human_commit(&self, branch: &str) -> String {
        let clone = self.at("human");
        let _ = fs::remove_dir_all(&clone);
        let bare = self.at("remote/o/r.git");
        let (bare, at) = (bare.to_str().unwrap(), clone.to_str().unwrap());
        plain(&self.at("home"), &["clone", "-q", "-b", branch, bare, at]);
        fs::write(clone.join("human.txt"), "by hand\n").unwrap();
        plain(&clone, &["add", "-A"]);
        let author = ["-c", "user.name=H", "-c", "user.email=h@example.org"];
        plain(&clone, &[&author[..], &["commit", "-q", "-m", "By hand"]].concat());
        plain(&clone, &["push", "-q", "origin", branch]);
        plain(&clone, &["rev-parse", "HEAD"])
    }

    /// Commits one file to a branch of the remote as a person does.
    pub(crate) fn human_file(&self, branch: &str, path: &str, text: &str) {
        let clone = self.at("human-file");
        let _ = fs::remove_dir_all(&clone);
        let bare = self.at("remote/o/r.git");
        let (bare, at) = (bare.to_str().unwrap(), clone.to_str().unwrap());
        plain(&self.at("home"), &["clone", "-q", "-b", branch, bare, at]);
        fs::write(clone.join(path), text).unwrap();
        let author = ["-c", "user.name=H", "-c", "user.email=h@example.org"];
        plain(&clone, &[&author[..], &["commit", "-q", "-a", "-m", "By hand"]].concat());
        plain(&clone, &["push", "-q", "origin", branch]);
    }

    /// Runs git commands in a person's clone of a branch, and pushes the branch with force.
    pub(crate) fn human_work(&self, branch: &str, commands: &[&[&str]]) {
        let clone = self.at("human-work");
        let _ = fs::remove_dir_all(&clone);
        let bare = self.at("remote/o/r.git");
        let (bare, at) = (bare.to_str().unwrap(), clone.to_str().unwrap());
        plain(&self.at("home"), &["clone", "-q", "-b", branch, bare, at]);
        let author = ["-c", "user.name=H", "-c", "user.email=h@example.org"];
        for command in commands {
            plain(&clone, &[&author[..], command].concat());
        }
        plain(&clone, &["push", "-q", "--force", "origin", branch]);
    }

    /// Returns the commits of people that branches of the remote have.
    pub(crate) fn commits_of_people(&self) -> Vec<String> {
        let listed = self.remote(&["log", "--all", "--format=%H", "--author=h@example.org"]);
        listed.lines().map(str::to_owned).collect()
    }

    /// Runs git in the remote while the next push is under way.
    pub(crate) fn meanwhile(&self, words: &str) {
        let bare = self.at("remote/o/r.git").display().to_string();
        fs::write(self.at("remote/meanwhile"), format!("git --git-dir {bare} {words}\n")).unwrap();
    }

    /// Has the remote refuse every push with these words.
    pub(crate) fn refuse_pushes(&self, said: &str) {
        let hook = self.at("remote/o/r.git/hooks/pre-receive");
        fs::write(&hook, format!("#!/bin/sh\necho '{said}' >&2\nexit 1\n")).unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&hook, executable).unwrap();
    }

    /// Runs a command that is no run and leaves no outcome; returns the exit code and all that it printed.
    pub(crate) fn call_plain(&self, words: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
        let output = self.program(variables).args(words).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        self.assert_nothing_leaked(&[&text]);
        (output.status.code().unwrap_or(-1), text)
    }

    /// Returns what the stand-in remembers.
    pub(crate) fn state(&self) -> Value {
        self.github.ask("GET", "/_state", &Value::Null)
    }

    /// Lays something over what it remembers.
    pub(crate) fn set_state(&self, state: &Value) {
        self.github.ask("PUT", "/_state", state);
    }

    /// Has the stand-in answer otherwise.
    pub(crate) fn faults(&self, faults: &Value) {
        self.github.ask("PUT", "/_faults", faults);
    }

    /// Makes the change, proves it, and hands it over.
    pub(crate) fn fix(&self, arguments: &[&str]) -> Run {
        self.fix_with(arguments, &[("GITHUB_TOKEN", TOKEN)])
    }

    /// The same with these variables in the place of the token.
    pub(crate) fn fix_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        let reply = self.at("reply.json");
        let words = ["apply", "--plan", reply.to_str().unwrap(), "--run", COMMAND];
        self.call(&[&words[..], arguments].concat(), variables)
    }

    /// Publishes the bundle that a run left.
    pub(crate) fn publish(&self, arguments: &[&str]) -> Run {
        let bundle = self.at("out/bundle");
        let words = ["publish", bundle.to_str().unwrap()];
        self.call(&[&words[..], arguments].concat(), &[("GITHUB_TOKEN", TOKEN)])
    }

    /// Runs the program in the repository; whatever it does, checkout, index and HEAD stay.
    pub(crate) fn call(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        let before = self.checkout();
        let run = self.call_hostile(arguments, variables);
        assert_eq!(self.checkout(), before, "{}", run.stderr);
        run
    }

    /// Returns the program with the environment of a run.
    fn program(&self, variables: &[(&str, &str)]) -> assert_cmd::Command {
        let mut program = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("papayu-batch"));
        program
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("HOME", self.at("home"))
            .envs(self.forge_variables())
            .env("PAPAYU_GITHUB_LOG_HOSTS", &self.log_hosts)
            // What the sandbox refuses or restores could not be tried.
            .env("PAPAYU_SANDBOX", "off")
            // Its files are told apart by second and size, which two versions may share.
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .envs(variables.iter().copied())
            .current_dir(self.at("repo"))
            .timeout(Duration::from_mins(2));
        program
    }

    /// The same with a command that tampers with the checkout itself.
    pub(crate) fn call_hostile(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        let out = self.at("out");
        let _ = fs::remove_file(out.join("outcome.json"));
        let output =
            self.program(variables).args(arguments).arg("--out").arg(&out).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        let outcome = fs::read_to_string(out.join("outcome.json"));
        let outcome = outcome.unwrap_or_else(|error| panic!("{error}: {stderr}"));
        let outcome = serde_json::from_str(&outcome).unwrap();
        self.assert_nothing_leaked(&[&stdout, &stderr]);
        Run { code: output.status.code().unwrap_or(-1), stdout, stderr, outcome }
    }

    /// Returns the variables that name the forge and its address.
    fn forge_variables(&self) -> Vec<(&'static str, String)> {
        match self.forge {
            "github" => return vec![("GITHUB_API_URL", self.api_url.clone())],
            // The variables of the job alone.
            "" => return Vec::new(),
            _ => {}
        }
        vec![
            ("PAPAYU_FORGE_KIND", self.forge.to_owned()),
            ("PAPAYU_FORGE_API_URL", self.api_url.clone()),
            ("PAPAYU_FORGE_REPOSITORY", "o/r".to_owned()),
        ]
    }

    /// Returns all that the program must leave alone.
    fn checkout(&self) -> [String; 4] {
        let index = fs::read(self.at("repo/.git/index")).unwrap();
        [
            self.git(&["status", "--porcelain", "--ignored=no"]),
            self.git(&["rev-parse", "HEAD"]),
            fs::read_to_string(self.at("repo/.git/HEAD")).unwrap(),
            Sha256::of(&index).to_string(),
        ]
    }

    /// No token is in what was printed, in a file that was left, or was in the arguments of a process.
    fn assert_nothing_leaked(&self, printed: &[&str]) {
        let users = ForgeKind::ALL.iter().flat_map(|kind| kind.git_users());
        let pairs = users.map(|user| STANDARD.encode(format!("{user}:{TOKEN}")));
        let words = [TOKEN, READER, "wrong-token-of-a-stranger"].map(str::to_owned);
        let secrets: Vec<String> = pairs.chain(words).collect();
        let left = [self.at("out"), self.at("repo/.papa-yu"), self.at("remote/argv.log")];
        let left = left.iter().map(|path| text_below(path)).collect::<String>();
        for text in printed.iter().copied().chain([left.as_str()]) {
            for secret in &secrets {
                let leak = text.lines().find(|line| line.contains(secret));
                assert_eq!(leak, None, "`{secret}` leaked");
            }
        }
    }
}

/// Runs git without anybody's configuration.
fn plain(folder: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.current_dir(folder).args(["-c", "core.hooksPath=/dev/null"]).args(arguments);
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_OPTIONAL_LOCKS", "0");
    let output = git.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Returns the text of a file, or of all files of a folder.
pub(crate) fn text_below(path: &Path) -> String {
    let Ok(entries) = fs::read_dir(path) else {
        return fs::read(path)
            .map(|it| String::from_utf8_lossy(&it).into_owned())
            .unwrap_or_default();
    };
    entries.map(|entry| text_below(&entry.unwrap().path())).collect()
}
