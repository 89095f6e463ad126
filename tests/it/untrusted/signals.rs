//! SIGINT and SIGTERM in every phase: exit code 130, an outcome that says so, and the old tree.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::model::{Answer, Model};
use super::{judged, patch, reply};
use crate::support::{TestEnv, ran, signal};

/// Waits for something, a minute at most.
fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_there() {
        assert!(start.elapsed() < Duration::from_mins(1), "waited for {what} in vain");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Interrupts a run once `ready` holds, and holds it to the promise.
fn interrupt(name: &str, arguments: &[&str], model: &Model, ready: &dyn Fn(&Path, u32) -> bool) {
    for sign in ["-INT", "-TERM"] {
        let env = TestEnv::new();
        env.write("a.py", "a = 1\n");
        env.write("../home/plan.json", &reply(&json!([patch("a.py", "a = 1\n")])));
        assert_eq!(env.shell("mkfifo ../home/pipe").code, 0);
        let marks = env.writable_folder();
        let before = env.tree();
        let arguments = [arguments, &["--out", "../home/out"]].concat();
        let asked = model.asked().len();
        let child = env.start(&arguments, &model.variables());
        if name == "model" {
            wait_for(name, || model.asked().len() > asked);
        } else {
            wait_for(name, || ready(&marks, child.id()));
        }
        signal(child.id(), sign);
        let start = Instant::now();
        let ended = ran(child.wait_with_output().unwrap());
        assert!(start.elapsed() < Duration::from_secs(10), "{name}: {:?}", start.elapsed());
        let run = judged(&env, ended);
        assert_eq!(run.end(), (130, "interrupted", ""), "{name} {sign}: {run:?}");
        assert!(before == env.tree(), "{name} {sign}: the tree changed");
        assert_eq!(env.run(&["undo"]).code, 1, "{name} {sign}: nothing is left to undo");
    }
}

#[test]
fn while_a_log_is_awaited() {
    let model = Model::new(vec![Answer::Silence]);
    // Nobody ever writes into the pipe.
    let is_open = |id: u32| {
        let files = std::fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
        files
            .filter_map(|file| std::fs::read_link(file.path()).ok())
            .any(|path| path.ends_with("pipe"))
    };
    let arguments = ["fix", "--log", "../home/pipe", "--run", "false"];
    interrupt("log", &arguments, &model, &|_, id| is_open(id));
}

#[test]
fn while_the_command_runs_before() {
    let model = Model::new(vec![Answer::Silence]);
    let arguments = ["fix", "--run", "touch ../marks/before; sleep 60; false"];
    interrupt("before", &arguments, &model, &|home, _| home.join("before").exists());
}

#[test]
fn while_the_model_thinks() {
    let model = Model::new(vec![Answer::Silence]);
    let arguments = ["fix", "--goal", "apply: mend a.py", "--run", "false"];
    interrupt("model", &arguments, &model, &|_, _| true);
}

#[test]
fn while_the_command_runs_after() {
    let model = Model::new(vec![Answer::Silence]);
    let command = "grep -q 'a = 1' a.py || { touch ../marks/after; sleep 60; }";
    let given = ["apply", "--plan", "../home/plan.json", "--run", command, "--emit", "worktree"];
    interrupt("after", &given, &model, &|home, _| home.join("after").exists());
    let deaf = "grep -q 'a = 1' a.py || { trap '' INT TERM; touch ../marks/after; sleep 60; }";
    let given = ["apply", "--plan", "../home/plan.json", "--run", deaf];
    interrupt("after, deaf", &given, &model, &|home, _| home.join("after").exists());
}
