//! Logs of every unkind sort, and what of them reaches the model.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use super::model::Model;
use super::run;
use crate::support::TestEnv;

const NO_CHANGES: &str = r#"{"actions": [], "summary": "NO_CHANGES: nothing to do"}"#;

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.write("a.py", "a = 1\n");
    env.write(".env", "PASSWORD=hunter2-in-dotenv\n");
    env
}

#[test]
fn a_log_that_cannot_be_read_is_a_usage_error() {
    let env = env();
    for (log, says) in [
        ("../home", "directory"),
        ("../home/none.log", "No such file"),
        ("a.py/x", "Not a directory"),
    ] {
        let before = env.tree();
        let model = Model::saying(&[NO_CHANGES]);
        let run = run(&env, &["fix", "--log", log, "--run", "false"], &model.variables());
        assert_eq!(run.end(), (2, "usage_error", ""), "{run:?}");
        assert!(run.ran.stderr.contains(&format!("cannot read `{log}`")), "{run:?}");
        assert!(run.ran.stderr.contains(says), "{run:?}");
        assert!(model.asked().is_empty() && before == env.tree());
    }
}

#[test]
fn input_that_is_none_leaves_an_outcome() {
    let env = env();
    for (arguments, says) in [
        (&["fix"][..], "no input: no goal"),
        (&["fix", "--goal", " "], "the goal is empty"),
        (&["plan", "--goal-file", "none.txt"], "cannot read `none.txt`"),
        (&["fix", "--goal-file", "../home"], "cannot read `../home`"),
    ] {
        let run = run(&env, arguments, &[]);
        assert_eq!(run.end(), (2, "usage_error", ""), "{run:?}");
        assert!(run.ran.stderr.contains(says), "{run:?}");
    }
}

#[test]
fn any_bytes_are_a_log() {
    let long = "x".repeat(30_000_000);
    let storm = "\u{1b}[31m\u{1b}[2J\u{1b}]0;title\u{7}\u{1b}[999;999H\u{1b}P".repeat(100_000);
    for (name, log) in [
        ("nothing", Vec::new()),
        ("NULs", vec![0; 5_000_000]),
        ("no UTF-8", b"\xff\xfe error: \xc3\x28 a.py:1: \xed\xa0\x80\n".repeat(1000)),
        ("one long line", long.into_bytes()),
        ("colours", storm.into_bytes()),
        ("carriage returns", b"a.py:1: error\r".repeat(300_000)),
        (
            "absurd places",
            b"a.py:99999999999999999999:1: error: x\na.py:0: error: y\na.py:4294967295: error: z\n"
                .to_vec(),
        ),
    ] {
        let env = env();
        fs::write(env.home().join("log"), log).unwrap();
        let before = env.tree();
        let model = Model::saying(&[NO_CHANGES]);
        let start = Instant::now();
        let run = run(&env, &["fix", "--log", "../home/log", "--run", "false"], &model.variables());
        // A loaded machine with a debug build takes half a minute; quadratic work would take far longer.
        assert!(start.elapsed() < Duration::from_mins(2), "{name}: {:?}", start.elapsed());
        assert_eq!(run.end(), (1, "not_fixed", ""), "{name}: {run:?}");
        assert!(before == env.tree(), "{name}");
        let asked = model.asked();
        assert!(asked.iter().all(|request| request.len() < 200_000), "{name}");
        assert!(asked.iter().all(|request| !request.contains(['\u{1b}', '\0', '\u{7}'])), "{name}");
    }
}

#[test]
fn files_outside_and_files_with_secrets_are_never_shown() {
    let env = env();
    let ran = env.shell("echo top-secret-neighbour > ../home/neighbour.py; ln -s /etc/passwd passwd;
        ln -s ../home/neighbour.py link.py; ln -s .env dotenv.py; ln -s /etc etc;
        mkdir secrets; echo hunter2-in-secrets > secrets/token.py; ln ../home/neighbour.py hard.py; rm hard.py");
    assert_eq!(ran.code, 0, "{ran:?}");
    let named = [
        "/etc/passwd", "../../../../../../etc/passwd", "etc/passwd", "passwd",
        "../home/neighbour.py", "link.py", ".env", "./.env", "dotenv.py", "secrets/token.py",
        "/proc/self/environ", "a.py/../.env",
    ];
    let absolute = env.home().join("neighbour.py");
    let mut log: String = named
        .iter()
        .map(|path| format!("{path}:1: error: look here\n  File \"{path}\", line 1\n"))
        .collect();
    log +=
        &format!("{}:1: error: x\n{}/.env:1: error: y\n", absolute.display(), env.repo().display());
    env.write("../home/log", &log);
    let requests: Vec<_> =
        named.iter().map(|path| json!({"type": "read_file", "path": path})).collect();
    let searches = [
        json!({"type": "search", "query": "hunter2"}),
        json!({"type": "search", "query": "root:x", "glob": "/etc/*"}),
        json!({"type": "search", "query": "neighbour", "glob": "../**"}),
        json!({"type": "search", "query": "", "glob": "[[["}),
    ];
    let requests = [requests, searches.to_vec()].concat();
    let model = Model::saying(&[
        &json!({"actions": [], "summary": "x", "context_requests": requests}).to_string(),
    ]);
    let run = run(&env, &["plan", "--log", "../home/log"], &model.variables());
    assert_eq!(run.end(), (0, "planned", ""), "{run:?}");
    assert!(model.asked().len() > 1, "the requests were answered");
    for request in model.asked() {
        for secret in [
            "root:x:0", "top-secret-neighbour", "hunter2-in-dotenv", "hunter2-in-secrets",
            "sk-test-key",
        ] {
            assert!(!request.contains(secret), "{secret}: {request}");
        }
    }
    let shown = env.run(&["context", "--log", "../home/log"]);
    assert!(!shown.stdout.contains("hunter2") && !shown.stdout.contains("root:x:0"), "{shown:?}");
}

#[test]
fn secrets_in_a_log_are_masked_before_they_leave() {
    let env = env();
    env.write("../home/log", "error: token ghp_abcdefghijklmnopqrstuvwxyz0123456789 at a.py:1\nerror: from-the-environment\n");
    let model = Model::saying(&[NO_CHANGES]);
    let variables = [&model.variables()[..], &[("DEPLOY_TOKEN", "from-the-environment")]].concat();
    let run =
        run(&env, &["fix", "--log", "../home/log", "--run", "cat ../home/log; false"], &variables);
    assert_eq!(run.end().0, 1, "{run:?}");
    let left = env.shell("cat ../home/out/* .papa-yu/traces/*");
    for text in [model.asked().concat(), run.ran.stderr, run.ran.stdout, left.stdout] {
        assert!(!text.contains("ghp_abcdef") && !text.contains("from-the-environment"), "{text}");
    }
}

#[test]
fn a_pipe_is_a_log() {
    let env = env();
    let line = "mkfifo ../home/pipe; (printf 'a.py:1: error: x\\n'; sleep 0.3; printf 'end\\n') > ../home/pipe &
        \"$BIN\" context --log ../home/pipe; (echo 'a.py:1: error: y'; sleep 0.2; echo end) | \"$BIN\" context --log -";
    let ran = env.shell(line);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.stdout.matches("FILE[a.py]").count(), 2, "{ran:?}");
}

#[test]
fn a_log_chooses_no_program_and_no_variable_of_the_tools_it_names() {
    for words in [
        "go vet -toolexec ./evil.sh ./...",
        "go vet -toolexec=./evil.sh ./...",
        "GOFLAGS=-toolexec=./evil.sh go vet ./...",
        "go vet -vettool=./evil.sh ./...",
        "go vet -overlay evil.json -modfile evil.mod ./...",
        "NODE_OPTIONS=--require=./evil.js npx eslint .",
        "npx eslint --resolve-plugins-relative-to .. --plugin evil --rulesdir .. -o out.txt .",
        "npx eslint --config ../evil.config.js .",
        "npx eslint --parser ./evil.js --load ./evil.js .",
    ] {
        let env = TestEnv::new();
        env.write("go.mod", "module m\n");
        env.write("a.go", "package m\n");
        env.write("a.js", "let a = 1;\n");
        // Takes down what it is started with.
        let script = "#!/bin/sh\nenv >> asked; echo \"$*\" >> asked\n";
        env.write("bin/go", script);
        env.write("node_modules/.bin/eslint", script);
        let log =
            format!("+ {words}\n# m\nvet: ./a.go:1:1: undefined: x\na.go:1:1: undefined: x\n");
        env.write("build.log", &log);
        let run = "sh -c 'cat build.log; exit 1'";
        let made = env.shell(&format!(
            "chmod +x bin/go node_modules/.bin/eslint; PATH=$PWD/bin:$PATH; export PATH; \
             \"$BIN\" fix --log build.log --run \"{run}\" --provider suggestions"
        ));
        let asked = fs::read_to_string(env.repo().join("asked")).unwrap_or_default();
        assert!(asked.contains("vet") || asked.contains("json"), "{words}: {asked}: {made:?}");
        assert!(!asked.contains("evil") && !asked.contains("out.txt"), "{words}: {asked}");
    }
}
