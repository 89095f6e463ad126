//! Commands that try to leave the sandbox, and ordinary ones that must not notice it.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "the tests look at files and processes themselves")]
#![expect(clippy::print_stdout, reason = "the counts are printed with `--nocapture`")]

mod git;
mod levels;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{TestEnv, project_file, project_path};

const CANARY: &str = "canary-7f3a";

/// Files with a canary, below the home and beside it.
const SECRETS: [&str; 31] = [
    "home/.ssh/id_ed25519",
    "home/.aws/credentials",
    "home/.netrc",
    "home/.config/gh/hosts.yml",
    "home/.local/share/papayu-batch/notes/x",
    "home/.local/state/papayu-batch/journal.key",
    "temp/_runner_file_commands/set_env",
    "home/.npmrc",
    "home/.docker/config.json",
    "home/.kube/config",
    "home/.gnupg/private.key",
    "home/.git-credentials",
    "home/.pypirc",
    "home/.azure/token",
    "home/.config/gcloud/credentials.db",
    "home/.config/git/credentials",
    "home/.config/hub",
    "home/.config/papayu/papayu.toml",
    "home/.config/containers/auth.json",
    "home/.cargo/credentials.toml",
    "home/.gem/credentials",
    "home/.gradle/gradle.properties",
    "home/.m2/settings.xml",
    "home/.pgpass",
    "home/.my.cnf",
    "home/.vault-token",
    "home/.bash_history",
    "home/.terraform.d/credentials.tfrc.json",
    "home/.cache/papayu-batch/index/x",
    "temp/token",
    "temp/step.sh",
];

/// A machine around the repository: credentials, other processes, servers.
struct Machine {
    env: TestEnv,
    victim: Child,
    neighbour: Neighbour,
}

/// A process that shares memory, queues, terminals and sockets with whoever finds them.
struct Neighbour {
    child: Child,
    output: BufReader<ChildStdout>,
    /// Its description of them.
    places: Value,
}

impl Neighbour {
    fn start(folder: &Path) -> Self {
        let mut child = std::process::Command::new("python3")
            .arg(project_path("tests/attacks/sandbox/neighbour.py"))
            .arg(CANARY)
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        Self { child, output, places: serde_json::from_str(&line).unwrap() }
    }

    /// Ends it and returns the datagrams that it received.
    fn end(&mut self) -> String {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        let _ = self.output.read_to_string(&mut rest);
        let _ = self.child.wait();
        rest
    }
}

impl Machine {
    fn new(network: bool) -> Self {
        let env = TestEnv::new();
        let folder = env.repo().parent().unwrap().to_owned();
        let machine = Self { victim: sleeper(), neighbour: Neighbour::start(&folder), env };
        for path in SECRETS {
            put(&machine.at(path), &format!("password token _auth {CANARY} <password>"));
        }
        for path in [
            "home/.bashrc", "home/.cargo/bin/cargo", "home/.config/git/config", "other/src/main.rs",
        ] {
            put(&machine.at(path), "own");
        }
        let servers = serve_everywhere(&machine.at("docker.sock"));
        let paths = |names: &[&str]| names.iter().map(|name| machine.at(name)).collect::<Vec<_>>();
        let writes = [
            paths(&[
                "home/.bashrc", "home/.cargo/bin/cargo", "home/.config/git/config",
                "other/src/main.rs",
            ]),
            paths(&[
                "home/new",
                "temp/_runner_file_commands/set_env",
                "temp/new",
                "new",
                "home/.config/new",
            ]),
            ["/tmp/papayu-evil", "/var/tmp/papayu-evil"].map(PathBuf::from).to_vec(),
            ["/etc/cron.d/papayu-evil", "/usr/local/bin/papayu-evil"].map(PathBuf::from).to_vec(),
        ]
        .concat();
        let targets = json!({
            "canary": CANARY,
            "secrets": paths(&SECRETS),
            "writes": writes,
            "victim": machine.victim.id(),
            "variables": VARIABLES,
            "network": network,
            "abstract": [servers.name],
            "sockets": [machine.at("docker.sock")],
            "tcp": servers.tcp,
            "udp": servers.udp,
            "neighbour": machine.neighbour.places,
        });
        machine.env.write("targets.json", &targets.to_string());
        machine.env.write("escapes.py", &project_file("tests/attacks/sandbox/escapes.py"));
        machine
    }

    fn at(&self, path: &str) -> PathBuf {
        self.env.repo().parent().unwrap().join(path)
    }

    /// Runs the program with a command in the sandbox.
    fn outcome(&self, command: &str, arguments: &[&str]) -> Value {
        let temp = self.at("temp");
        let set_env = self.at("temp/_runner_file_commands/set_env");
        let mut variables = vec![
            ("RUNNER_TEMP", temp.to_str().unwrap()),
            ("GITHUB_ENV", set_env.to_str().unwrap()),
            ("PAPAYU_SANDBOX", "auto"),
        ];
        let known =
            VARIABLES.iter().filter(|name| !variables.iter().any(|(known, _)| known == *name));
        variables.extend(known.map(|name| (*name, CANARY)).collect::<Vec<_>>());
        let words = ["fix", "--provider", "suggestions", "--run", command];
        self.env.outcome(&[&words[..], arguments].concat(), &variables)
    }

    /// Returns all files outside the repository, except for those of the program.
    fn outside(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.at("home"), self.at("temp"), self.at("other")];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).unwrap().flatten() {
                if entry.file_name() == "papayu-batch" {
                    continue;
                }
                if entry.file_type().unwrap().is_dir() {
                    open.push(entry.path());
                } else {
                    found.insert(entry.path(), fs::read(entry.path()).unwrap());
                }
            }
        }
        found
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        self.neighbour.end();
    }
}

/// Variables that no command sees.
const VARIABLES: [&str; 12] = [
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "ACTIONS_RUNTIME_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "DATABASE_URL",
    "GH_TOKEN",
    "GITHUB_ENV",
    "GITHUB_TOKEN",
    "PGPASSWORD",
    "PIP_INDEX_SECRET",
    "SENTRY_DSN",
    "MY_OWN_VARIABLE",
];

fn sleeper() -> Child {
    std::process::Command::new("sleep").arg("600").spawn().unwrap()
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Servers that answer with the canary.
struct Servers {
    name: String,
    tcp: u16,
    udp: u16,
}

fn serve_everywhere(path: &Path) -> Servers {
    let name = format!("papayu-{}", path.display());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    for listener in [UnixListener::bind(path).unwrap(), UnixListener::bind_addr(&address).unwrap()]
    {
        thread::spawn(move || {
            listener.incoming().flatten().for_each(|mut it| drop(it.write_all(CANARY.as_bytes())));
        });
    }
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let ports = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    thread::spawn(move || {
        tcp.incoming().flatten().for_each(|mut it| drop(it.write_all(CANARY.as_bytes())));
    });
    thread::spawn(move || {
        while let Ok((_, from)) = udp.recv_from(&mut [0; 100]) {
            let _ = udp.send_to(CANARY.as_bytes(), from);
        }
    });
    Servers { name, tcp: ports.0, udp: ports.1 }
}

fn assert_no_escape(network: &str, least: usize) {
    let mut machine = Machine::new(network == "on");
    let before = machine.outside();
    let outcome = machine.outcome("python3 -B escapes.py > tries.txt", &["--network", network]);
    let tries = machine.env.read("tries.txt");
    let sandbox = &outcome["sandbox"];
    if sandbox["level"] != "full" {
        // This kernel lacks parts, which must be named.
        assert!(sandbox["missing"].as_array().is_some_and(|parts| !parts.is_empty()), "{outcome}");
        return;
    }
    assert_eq!(*sandbox, json!({ "level": "full", "missing": [], "network": network }));
    let broke: Vec<_> = tries.lines().filter(|line| line.starts_with("BROKE")).collect();
    assert_eq!(broke, Vec::<&str>::new());
    let held = tries.lines().filter(|line| line.starts_with("held")).count();
    println!("{held} tries with the network {network}");
    assert!(held >= least && tries.contains("broken 0"), "{held} tries: {tries}");
    assert_eq!(machine.neighbour.end(), "", "no datagram arrives");
    // The daemons would write after two seconds.
    thread::sleep(Duration::from_secs(3));
    let daemons = fs::read_dir(machine.env.repo()).unwrap().flatten();
    let daemons = daemons.filter(|it| it.file_name().to_string_lossy().starts_with("daemon-"));
    assert_eq!(daemons.count(), 0, "no process outlives the run");
    assert!(
        machine
            .outside()
            .into_iter()
            .filter(|(path, _)| !path.starts_with(machine.at("home/.cache/papayu-batch")))
            .eq(before
                .into_iter()
                .filter(|(path, _)| !path.starts_with(machine.at("home/.cache/papayu-batch"))))
    );
}

#[test]
fn no_try_without_a_network_gets_out_of_the_sandbox() {
    assert_no_escape("off", 1_000);
}

#[test]
fn no_try_with_registries_gets_out_of_the_sandbox() {
    assert_no_escape("deps", 1_000);
}

#[test]
fn registries_are_reached_through_the_proxy_and_nothing_else_is() {
    let machine = Machine::new(false);
    // No test needs the network: a listed name that does not exist gets another answer than one that is not listed.
    let script = "import os, socket, sys\n\
        host, port = os.environ['HTTPS_PROXY'].removeprefix('http://').split(':')\n\
        with socket.create_connection((host, int(port))) as s:\n    \
            s.sendall(f'CONNECT {sys.argv[1]} HTTP/1.1\\r\\n\\r\\n'.encode()); print(s.recv(500).decode().split('\\r')[0])\n";
    machine.env.write("ask.py", script);
    let asked = "for t in registry.invalid:443 registry.invalid:80 evil.invalid:443 127.0.0.1:443; do python3 ask.py $t; done > answers; \
        python3 -c \"import socket; socket.create_connection(('192.0.2.1', 443), 2)\" 2>> answers; true";
    let temp = machine.at("temp");
    let variables =
        [("PAPAYU_REGISTRIES", "Registry.invalid"), ("RUNNER_TEMP", temp.to_str().unwrap())];
    let words = ["fix", "--provider", "suggestions", "--network", "deps", "--run", asked];
    let outcome = machine.env.outcome(&words, &variables);
    if outcome["sandbox"]["level"] == "none" || outcome["outcome"] == "usage_error" {
        return;
    }
    assert_eq!(outcome["sandbox"]["network"], "deps", "{outcome}");
    let answers = machine.env.read("answers");
    let lines: Vec<_> = answers.lines().collect();
    assert!(lines[0].starts_with("HTTP/1.1 502 registry.invalid: "), "{answers}");
    assert!(lines[1..4].iter().all(|line| line.starts_with("HTTP/1.1 403 ")), "{answers}");
    assert!(answers.contains("OSError: [Errno 101]"), "{answers}");
}

#[test]
fn no_try_with_the_network_gets_out_of_the_sandbox() {
    assert_no_escape("on", 800);
}

#[test]
fn the_end_of_a_command_is_that_of_the_command_itself() {
    let machine = Machine::new(true);
    let ended = |command: &str| {
        let outcome = machine.outcome(command, &["--no-control-run"]);
        (outcome["outcome"].clone(), outcome["verify"]["before"]["exit_code"].clone())
    };
    assert_eq!(ended("exit 0"), (json!("nothing_to_fix"), json!(0)));
    assert_eq!(ended("exit 77"), (json!("not_fixed"), json!(77)));
    assert_eq!(ended("kill -s SEGV $$"), (json!("not_fixed"), Value::Null));
    let outcome = machine.outcome("no-such-program --x", &[]);
    assert_eq!(outcome["outcome"], "usage_error");
    assert!(
        outcome["reason"].as_str().unwrap().contains("cannot run `no-such-program`"),
        "{outcome}"
    );
}

#[test]
fn a_command_gives_no_program_the_rights_of_its_owner() {
    let env = TestEnv::new();
    let line = "cp /bin/true own; chmod 4755 own && echo set >>log; chmod u+s own && echo set >>log; \
        python3 -c 'import os; os.setxattr(\"own\", \"security.capability\", bytes.fromhex(\"0100000200000020000000000000000000000000\"))' \
        && echo set >>log; chmod 755 own && echo kept >>log; exit 1";
    let ran = env.run_with(&["fix", "--run", line], &[("PAPAYU_SANDBOX", "required")]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let log = env.read("log");
    assert!(!log.is_empty() && log.lines().all(|line| line == "kept"), "{log}");
}

#[test]
fn a_command_at_its_time_limit_leaves_no_process() {
    let machine = Machine::new(true);
    let command = "trap '' TERM; (setsid sleep 600 & echo $! > pid); while :; do sleep 0.1; done";
    let outcome = machine.outcome(command, &["--verify-timeout", "1"]);
    assert_eq!(outcome["verify"]["before"]["timed_out"], true, "{outcome}");
    let pid = machine.env.read("pid");
    assert!(!Path::new("/proc").join(pid.trim()).exists());
}

#[test]
fn tools_find_their_caches_a_home_and_a_folder_for_temporary_files() {
    let machine = Machine::new(true);
    for folder in ["home/.cargo/registry", "home/.npm", "home/.cache/pip", "home/.rustup"] {
        fs::create_dir_all(machine.at(folder)).unwrap();
    }
    put(&machine.at("home/.gitconfig"), "[user]\nname = me\n");
    let outcome = machine.outcome(
        "set -e; touch $CARGO_HOME/registry/new ~/.npm/new ~/.cache/pip/new ~/new $TMPDIR/new a; \
         mkdir -p ~/.cache/other ~/.config/other target; test $(git config user.name) = me; \
         test $RUSTUP_HOME != ~/.rustup; ! (echo x >> ~/.bashrc) 2>&1; ! test -e ~/.ssh; test -e ~/.bashrc",
        &[],
    );
    assert_eq!(outcome["outcome"], "nothing_to_fix", "{outcome}");
    assert!(
        machine.at("home/.cargo/registry/new").exists() && machine.at("home/.npm/new").exists()
    );
    assert!(!machine.at("home/new").exists() && machine.env.repo().join("a").exists());
}

#[test]
fn the_repository_may_narrow_the_sandbox_and_never_widen_it() {
    let machine = Machine::new(true);
    let ended = |text: &str| {
        machine.env.write("papayu.toml", text);
        machine.outcome("exit 0", &[])["outcome"].clone()
    };
    assert_eq!(ended("[run]\nnetwork = \"off\"\n"), "nothing_to_fix");
    for line in ["sandbox = \"off\"", "network = \"on\"", "writable = [\"/\"]"] {
        machine.env.write("papayu.toml", &format!("[run]\n{line}\n"));
        let ran = machine.env.run(&["fix", "--run", "exit 0"]);
        assert!(ran.code == 2 && ran.stderr.contains("papayu.toml:2"), "{line}: {ran:?}");
    }
}

#[test]
fn a_required_sandbox_that_lacks_a_part_runs_nothing() {
    let machine = Machine::new(true);
    put(
        &machine.env.repo().join(".git/config"),
        "[http \"x\"]\nextraheader = AUTHORIZATION: basic x\n",
    );
    let outcome = machine.outcome("touch ran", &["--sandbox", "required"]);
    assert_eq!(outcome["outcome"], "usage_error", "{outcome}");
    assert!(
        outcome["reason"].as_str().unwrap().contains("the credential in `.git/config`"),
        "{outcome}"
    );
    assert!(!machine.env.repo().join("ran").exists());
    let outcome = machine.outcome("touch ran", &[]);
    assert_eq!(outcome["sandbox"]["level"], "partial", "{outcome}");
    assert_eq!(machine.outcome("true", &["--sandbox", "off"])["sandbox"]["level"], "none");
}

#[test]
fn a_refused_write_names_the_sandbox_and_the_setting_that_allows_it() {
    let machine = Machine::new(true);
    let outside = machine.at("other/modules");
    fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, machine.env.repo().join("node_modules")).unwrap();
    let linked = machine.env.repo().join("node_modules/.cache/prettier");
    let notices = |command: &str, arguments: &[&str]| {
        let all = [&["--no-control-run"], arguments].concat();
        machine.outcome(command, &all)["notices"].to_string()
    };
    let home = machine.at("home/new");
    for (command, path) in [
        (
            format!("python3 -c \"import os; os.makedirs('{}')\"", linked.display()),
            // The first folder that cannot be made.
            linked.parent().unwrap().display(),
        ),
        (format!("touch {}", home.display()), home.display()),
    ] {
        let found = notices(&command, &[]);
        assert!(found.contains("PAPAYU_WRITABLE"), "{found}");
        assert!(found.contains(&format!("may have refused `{path}`")), "{found}");
    }
    // With the permission, without a sandbox, after a success, and for a file of the working tree there is no such notice.
    let script = "touch script; ./script; echo \"sh: 1: ./a/script: Permission denied\"; exit 1";
    let swallowed = format!("touch {} || true", home.display());
    for (command, arguments) in [
        (script, &[][..]),
        (&swallowed, &[]),
        ("echo 'EACCES: permission denied, mkdir /elsewhere/x'; exit 1", &["--sandbox", "off"]),
    ] {
        let found = notices(command, arguments);
        assert!(!found.contains("PAPAYU_WRITABLE"), "{command}: {found}");
    }
}
