//! Rules that a folder, a test's output or an early error must not get around.

use papayu_base::domain::Sha256;
use papayu_batch::settings::KEYS;
use serde_json::json;

use crate::support::TestEnv;

#[test]
fn words_that_a_command_declares_secret_stay_readable() {
    let env = TestEnv::new();
    env.write("a.py", "a = 1\n");
    for order in
        ["::add-mask::", "##[add-mask]", "##vso[task.setvariable variable=x;issecret=true]"]
    {
        let check =
            format!("echo '{order}violet-harbour'; echo 'the violet-harbour is closed'; exit 1");
        let words = ["fix", "--provider", "suggestions", "--run", &check];
        let outcome = env.outcome(&words, &[]);
        assert!(
            outcome["reason"].as_str().unwrap().contains("the violet-harbour is closed"),
            "{outcome}"
        );
    }
    // The log of a job is one that the CI system wrote.
    env.write("job.in", "::add-mask::violet-harbour\nError: the violet-harbour is closed\n");
    let words = ["fix", "--provider", "suggestions", "--log", "job.in", "--run", "exit 1"];
    let outcome = env.outcome(&words, &[]).to_string();
    assert!(!outcome.contains("violet-harbour"), "{outcome}");
}

#[test]
fn many_values_that_a_log_declares_secret_cost_no_more_than_a_few() {
    let env = TestEnv::new();
    env.write("a.py", "a = 1\n");
    let orders = (0..3_000).map(|number| format!("::add-mask::{}{number}\n", "ab".repeat(40)));
    let text = orders.collect::<String>() + "error: " + &"ab".repeat(500_000) + "\n";
    env.write("job.in", &text);
    // It prints the most memory that the program had, in kB; the values alone once took 2.3 GB.
    let measured = "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); \
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
    let ran = env.shell(&format!(
        "python3 -c '{measured}' \"$BIN\" fix --provider suggestions --log job.in --run 'exit 1' --timeout 60",
    ));
    let most: u64 = ran.stdout.lines().last().unwrap_or_default().parse().unwrap();
    assert!(most < 1_000_000, "{most} kB");
}

#[test]
fn an_error_before_the_settings_are_read_shows_no_secret_setting() {
    for (key, number) in KEYS.iter().filter(|key| key.secret).zip(100..) {
        let env = TestEnv::new();
        let value = format!("orchard-{number}-lantern");
        let name = key.env.first().unwrap();
        let arguments = ["fix", "--repo", &value, "--run", "true", "--out", "../home/out"];
        let ran = env.run_with(&arguments, &[(name, &value)]);
        assert_ne!(ran.code, 0, "{ran:?}");
        let outcome = std::fs::read_to_string(env.home().join("out/outcome.json")).unwrap();
        for text in [&ran.stderr, &ran.stdout, &outcome] {
            assert!(!text.contains(&value), "{name}: {text}");
        }
    }
}

#[test]
fn protected_paths_of_the_repository_hold_in_each_of_its_folders() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.repo().join(".git")).unwrap();
    env.write("papayu.toml", "[paths]\nprotected = [\"app/secret.py\", \"app/deep/\"]\n");
    env.write("app/deep/papayu.toml", "[paths]\nprotected = [\"own.py\"]\n");
    let change = |path: &str| {
        let action = json!({ "kind": "PATCH_FILE", "path": path,
            "patch": format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"),
            "base_sha256": Sha256::of(b"a = 1\n").to_string() });
        env.write("../home/plan.json", &json!({ "actions": [action], "summary": "s" }).to_string());
    };
    let plan = env.home().join("plan.json");
    let plan = plan.to_str().unwrap();
    for (folder, path, is_refused) in [
        ("app", "secret.py", true),
        ("app", "deep/a.py", true),
        ("app/deep", "a.py", true),
        ("app/deep", "own.py", true),
        ("app", "free.py", false),
        ("app", "papayu.toml", true),
    ] {
        env.write(&format!("{folder}/{path}"), "a = 1\n");
        if path == "papayu.toml" {
            env.write("app/papayu.toml", "");
        }
        change(path);
        let words = ["apply", "--plan", plan, "--run", "grep -q 2 *.py", "--no-control-run"];
        let ran = env.run(&[&["--repo", folder], &words[..]].concat());
        let inside = env
            .shell(&format!("cd {folder} && \"$BIN\" apply --plan {plan} --run 'grep -q 2 *.py'"));
        for ran in [ran, inside] {
            let is_named = ran.stderr.contains("is protected");
            let ends = (is_named, ran.code == 0);
            assert_eq!(ends, (is_refused, !is_refused), "{folder}/{path}: {ran:?}");
        }
        std::fs::remove_file(env.repo().join(folder).join(path)).unwrap();
    }
}

#[test]
fn no_tool_shows_a_file_with_secrets_as_a_log() {
    let env = TestEnv::new();
    let secret = "error: tin7violet9harbour";
    for path in [".env", "id_rsa", ".git/config", "keys/server.pem", "sub/.netrc"] {
        env.write(path, secret);
    }
    std::os::unix::fs::symlink(".env", env.repo().join("build.log")).unwrap();
    std::os::unix::fs::symlink("keys", env.repo().join("logs")).unwrap();
    env.write("real.log", "error: tin7violet9harbour\n");
    for path in [
        ".env", "./.env", "id_rsa", ".git/config", "keys/server.pem", "sub/.netrc", "build.log",
        "logs/server.pem", "../repo/.env",
    ] {
        let ran = env.run(&["tool", "failure_context", "--log-path", path]);
        assert!(!format!("{ran:?}").contains("violet9"), "{path}: {ran:?}");
        assert_ne!(ran.code, 0, "{path}: {ran:?}");
    }
    let ran = env.run(&["tool", "failure_context", "--log-path", "real.log"]);
    assert!(ran.stdout.contains("violet9"), "{ran:?}");
}

#[test]
fn a_remote_that_is_a_folder_names_no_repository_of_a_server() {
    let env = TestEnv::new();
    env.write("a.py", "a = 1\n");
    let made = env.shell(
        "git init -q -b main . && git remote add origin /srv/git/owner/name.git && git add a.py \
         && git -c user.name=a -c user.email=a@b commit -q -m a",
    );
    assert_eq!(made.code, 0, "{made:?}");
    for remote in ["/srv/git/owner/name.git", "../owner/name", "file:///srv/git/owner/name.git"] {
        assert_eq!(env.shell(&format!("git remote set-url origin {remote}")).code, 0);
        let variables =
            [("PAPAYU_GITHUB_TOKEN", "orchard-17-lantern"), ("HTTPS_PROXY", "http://127.0.0.1:9")];
        let words = ["fix", "--github-run", "1", "--provider", "suggestions", "--run", "true"];
        let ran = env.run_with(&words, &variables);
        assert!(ran.stderr.contains("repository"), "{remote}: {ran:?}");
        assert!(!ran.stderr.contains("127.0.0.1"), "a request was made: {ran:?}");
    }
}

#[test]
fn a_terminal_is_given_no_characters_that_it_obeys_or_that_reorder_text() {
    let env = TestEnv::new();
    env.write("a.py", "a = 1\n");
    let check = "printf 'a.py:1: error: x\\302\\233 2J \\342\\200\\256 y\\n'; exit 1";
    let ran = env.run(&["fix", "--provider", "suggestions", "--run", check]);
    for text in [&ran.stderr, &ran.stdout] {
        assert!(!text.contains(['\u{9b}', '\u{202e}']), "{text:?}");
    }
    let ran = env.run(&["fix", "--repo", "a\u{9b}b\u{202e}c", "--run", "true"]);
    assert!(!ran.stderr.contains(['\u{9b}', '\u{202e}']), "{ran:?}");
}
