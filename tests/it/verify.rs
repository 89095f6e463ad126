//! Commands on this machine: limits, process groups, output, environment.
#![expect(clippy::disallowed_methods, reason = "the tests look at processes and files themselves")]
#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use papayu_batch::verify::{self, Ran, RunnerOptions, VerifyConfig, VerifyError};
use papayu_system::os::{OsClock, OsDisk, OsProcess};
use papayu_system::{End, Http, HttpError, HttpRequest, HttpResponse, NetworkMode, System};

struct NoHttp;

impl Http for NoHttp {
    fn send(&self, _: &HttpRequest) -> Result<HttpResponse, HttpError> {
        Err(HttpError::Interrupted)
    }
}

/// A machine with a few secrets in its environment.
struct Machine {
    folder: tempfile::TempDir,
    interrupted: Arc<AtomicBool>,
    config: VerifyConfig,
}

impl Machine {
    fn new() -> Self {
        Self {
            folder: tempfile::Builder::new().prefix("каталог с пробелом ").tempdir().unwrap(),
            interrupted: Arc::default(),
            config: VerifyConfig {
                timeout: Duration::from_mins(1),
                max_output: 1 << 20,
                keep_env: Vec::new(),
                network: NetworkMode::On,
                runner_options: RunnerOptions::default(),
                variables: Vec::new(),
            },
        }
    }

    fn try_run(&self, command: &str) -> Result<(Ran, String), VerifyError> {
        self.try_run_on(&std::env::var("PATH").unwrap(), command)
    }

    fn try_run_on(&self, path: &str, command: &str) -> Result<(Ran, String), VerifyError> {
        let mut environment: Vec<_> = std::env::vars().filter(|(name, _)| name == "HOME").collect();
        environment.push(("PATH".to_owned(), path.to_owned()));
        let secrets = ["GITHUB_TOKEN", "DEPLOY_KEY", "NPM_TOKEN", "PAPAYU_LLM_MODEL"];
        environment.extend(secrets.map(|name| (name.to_owned(), "hush".to_owned())));
        environment.push(("CI".to_owned(), "true".to_owned()));
        let process = OsProcess::new(Arc::clone(&self.interrupted), environment);
        let clock = OsClock::new(Arc::clone(&self.interrupted));
        let system = System { disk: &OsDisk, process: &process, http: &NoHttp, clock: &clock };
        let mut output = Vec::new();
        let ran =
            verify::run_command(system, self.folder.path(), command, &self.config, &mut |bytes| {
                output.extend_from_slice(bytes);
            })?;
        Ok((ran, String::from_utf8(output).unwrap()))
    }

    fn run(&self, command: &str) -> (End, String) {
        let (ran, output) = self.try_run(command).unwrap();
        (ran.end, output)
    }

    /// The process id that a command left in a file.
    fn left(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap().trim().to_owned()
    }
}

/// A zombie that its parent has not reaped yet is dead as well.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or("").trim_start().starts_with('Z'))
}

fn within(limit: Duration, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    assert!(start.elapsed() < limit, "took {:?}", start.elapsed());
}

#[test]
fn exit_codes_signals_and_output_come_through_in_order() {
    let machine = Machine::new();
    assert_eq!(machine.run("true"), (End::Code(0), String::new()));
    assert_eq!(machine.run("exit 7"), (End::Code(7), String::new()));
    assert_eq!(machine.run("kill -9 $$").0, End::Signal(9));
    let mixed = machine.run("for i in 1 2 3; do echo out $i; echo err $i >&2; done");
    assert_eq!(mixed.1, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
    let (end, place) = machine.run("pwd");
    let root = std::fs::canonicalize(machine.folder.path()).unwrap();
    assert_eq!((end, place.trim_end()), (End::Code(0), root.to_str().unwrap()));
    assert_eq!(machine.run("cat"), (End::Code(0), String::new()), "standard input is empty");
}

#[test]
fn a_program_that_does_not_exist_is_named() {
    let machine = Machine::new();
    let error = machine.try_run("no-such-program --flag").unwrap_err().to_string();
    assert!(error.contains("cannot run `no-such-program`"), "{error}");
    assert!(matches!(machine.try_run(" "), Err(VerifyError::Empty)));
}

#[test]
fn a_bare_name_is_searched_for_as_a_shell_does() {
    let machine = Machine::new();
    let put = |path: &str, text: &str, mode: u32| {
        let path = machine.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    };
    std::fs::create_dir_all(machine.folder.path().join("one/tool")).unwrap();
    put("two/tool", "#!/bin/sh\necho not executable\n", 0o644);
    put("three/tool", "#!/bin/sh\necho \"${0##*/} $1\"\n", 0o755);
    put("three/bare", "echo no first line $1\n", 0o755);
    put("near/tool", "#!/bin/sh\necho near\n", 0o755);
    let folder = machine.folder.path().display();
    let path = format!("{folder}/none:{folder}/one:{folder}/two:{folder}/three:/bin:/usr/bin");
    for (path, command, said) in [
        (path.clone(), "tool a", "tool a\n"),
        (path.clone(), "bare b", "no first line b\n"),
        (format!("near:{path}"), "tool", "near\n"),
    ] {
        let (ran, output) = machine.try_run_on(&path, command).unwrap();
        assert_eq!((ran.end, output.as_str()), (End::Code(0), said), "{command}");
    }
    let error = machine.try_run_on(&format!("{folder}/two"), "tool").unwrap_err().to_string();
    assert!(error.contains("cannot run `tool`"), "{error}");
}

#[test]
fn the_time_limit_ends_grandchildren_too_even_those_that_will_not_listen() {
    let mut machine = Machine::new();
    machine.config.timeout = Duration::from_millis(300);
    let command = "trap '' TERM; (trap '' TERM; sleep 50 & echo $! > grandchild; wait) & \
                   echo started; sleep 60; sleep 60";
    within(Duration::from_secs(10), || {
        assert_eq!(machine.run(command), (End::TimedOut, "started\n".to_owned()));
    });
    assert!(!is_alive(&machine.left("grandchild")));
}

#[test]
fn a_command_that_listens_has_time_to_say_goodbye() {
    let mut machine = Machine::new();
    machine.config.timeout = Duration::from_millis(300);
    let command = "trap 'echo bye; exit 0' TERM; sleep 60 & wait";
    within(Duration::from_millis(1800), || {
        assert_eq!(machine.run(command), (End::TimedOut, "bye\n".to_owned()));
    });
}

#[test]
fn output_stops_at_its_limit() {
    let mut machine = Machine::new();
    machine.config.max_output = 100_000;
    within(Duration::from_secs(10), || {
        let (end, output) = machine.run("yes");
        assert_eq!((end, output.len()), (End::TooMuchOutput, 100_000));
    });
    machine.config.max_output = 2;
    assert_eq!(machine.run("echo a"), (End::Code(0), "a\n".to_owned()), "the limit itself is fine");
    assert_eq!(machine.run("echo ab"), (End::TooMuchOutput, "ab".to_owned()));
}

#[test]
fn all_output_of_a_command_that_ended_is_handed_over() {
    let machine = Machine::new();
    let (end, output) = machine.run("seq 1 100000");
    assert_eq!((end, output.lines().count()), (End::Code(0), 100_000));
}

#[test]
fn what_stays_in_the_background_is_ended_and_does_not_hold_us_up() {
    let machine = Machine::new();
    within(Duration::from_secs(5), || {
        assert_eq!(machine.run("sleep 60 & echo $! > child; echo done").1, "done\n");
    });
    assert!(!is_alive(&machine.left("child")));
}

#[test]
fn an_orphan_that_left_the_group_and_holds_the_pipe_does_not_hang_us() {
    let machine = Machine::new();
    within(Duration::from_secs(5), || {
        let command = "setsid sh -c 'echo $$ > orphan; exec sleep 20' & \
                       while [ ! -s orphan ]; do sleep 0.01; done; echo done";
        assert_eq!(machine.run(command), (End::Code(0), "done\n".to_owned()));
    });
    let orphan = machine.left("orphan");
    assert!(is_alive(&orphan), "it is not ours to find");
    std::process::Command::new("kill").arg(orphan).status().unwrap();
}

#[test]
fn secrets_are_out_of_the_environment_unless_asked_for() {
    let mut machine = Machine::new();
    machine.config.keep_env = vec!["NPM_TOKEN".to_owned()];
    let (_, output) = machine.run("env");
    let mut names: Vec<_> = output.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    assert_eq!(names, ["CI", "HOME", "NPM_TOKEN", "PATH", "PWD", "PYTHONDONTWRITEBYTECODE"]);
}

#[test]
fn an_interruption_ends_the_command_and_keeps_the_next_from_starting() {
    let machine = Machine::new();
    let flag = Arc::clone(&machine.interrupted);
    let signal = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        flag.store(true, Ordering::Relaxed);
    });
    within(Duration::from_secs(5), || {
        let (end, _) = machine.run("sleep 60 & echo $! > child; wait");
        assert_eq!(end, End::Interrupted);
    });
    signal.join().unwrap();
    assert!(!is_alive(&machine.left("child")));
    assert_eq!(machine.run("echo again"), (End::Interrupted, String::new()));
}

#[test]
fn a_command_that_closes_its_output_and_works_on_is_waited_for() {
    let machine = Machine::new();
    assert_eq!(machine.run("exec >&- 2>&-; sleep 0.3; exit 5"), (End::Code(5), String::new()));
}
