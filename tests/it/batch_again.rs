//! A batch gone on with: after kills, with other shards, with other flags.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::batch::{batch, ends, pairs, summary};
use crate::support::{TestEnv, project_path, ran};

#[test]
fn a_batch_killed_at_hostile_instants_leaves_one_branch_and_one_pull_request_a_task() {
    let mut script = assert_cmd::Command::new("python3");
    let script = script
        .arg(project_path("benches/batch_kills.py"))
        .arg(assert_cmd::cargo::cargo_bin!("papayu-batch"))
        .args(["--tasks", "20", "--kills", "3", "--hostile", "2"]);
    let ran = ran(script.output().unwrap());
    // It says what is missing, stands twice or was done twice, and the seed to see it again.
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn shards_done_one_after_the_other_in_one_folder_are_one_batch() {
    let env = TestEnv::new();
    let names: Vec<String> = (0..8).map(|number| format!("r{number}")).collect();
    for name in &names {
        env.write(&format!("{name}/x"), "");
    }
    env.write("m.txt", &names.join("\n"));
    let run = |arguments: &[&str]| {
        let ran = batch(&env, &[&["m.txt", "--run", "true"], arguments].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        ends(&summary(&env)).into_keys().collect::<Vec<_>>()
    };
    let one = run(&["--shard", "1/2"]);
    let all = run(&["--shard", "2/2"]);
    assert!(!one.is_empty() && one.len() < 8, "{one:?}");
    assert_eq!(all, names);
    // The same shard again is the next night's batch, and so is all of it.
    assert_eq!(run(&["--shard", "1/2"]), one);
    assert_eq!(run(&[]), names);
    let ran = batch(&env, &["m.txt", "--run", "true", "--dry-run"]);
    assert!(ran.stdout.ends_with("8 of 8 tasks would be done\n"), "{ran:?}");
    // A shard with other flags is another batch's.
    assert_eq!(run(&["--restart", "--shard", "1/2"]), one);
    let ran = batch(&env, &["m.txt", "--run", "false", "--shard", "2/2"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("was not started with this `--run`"), "{ran:?}");
    assert_eq!(ends(&summary(&env)).len(), one.len(), "what was there stays");
}

#[test]
fn a_batch_is_gone_on_with_under_the_flags_it_was_begun_with() {
    let env = TestEnv::new();
    env.write("a/x", "");
    env.write("m.txt", "a\n");
    let ran = batch(&env, &["m.txt", "--run", "test tin7violet9 = another", "--max-time", "0"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    for other in [
        &["--resume"][..],
        &["--resume", "--run", "true"],
        &["--resume", "--run", "test tin7violet9 = another", "--provider", "suggestions"],
    ] {
        let ran = batch(&env, &[&["m.txt"], other].concat());
        let flag = if other.contains(&"--provider") { "`--provider`\n" } else { "`--run`\n" };
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(&format!("was not started with this {flag}")), "{ran:?}");
        assert!(!ran.stderr.contains("tin7violet9"), "{ran:?}");
    }
    let same = ["m.txt", "--resume", "--run", "test tin7violet9 = another", "--jobs", "1"];
    assert_eq!(batch(&env, &same).code, 1);
    // Those of the last call that may change them hold from then on.
    assert_eq!(batch(&env, &["m.txt", "--failed", "--run", "true"]).code, 0);
    assert_eq!(batch(&env, &["m.txt", "--resume", "--run", "true"]).code, 0);
    assert_eq!(batch(&env, &same).code, 2);
    // Rows have reasons, which name the command; the flags themselves are kept as digests.
    let journal = env.read("out/journal.jsonl");
    let heads = journal.lines().filter(|line| line.contains("\"flags\""));
    assert!(heads.clone().count() > 0 && heads.clone().all(|line| !line.contains("tin7violet9")));
}

#[test]
fn one_folder_under_several_names_is_worked_on_by_one_task_after_the_other() {
    let env = TestEnv::new();
    env.write("a/x", "");
    symlink("a", env.repo().join("link")).unwrap();
    env.write("m.txt", "a\na/\n./a/../a\nlink\n");
    let run = "sh -c 'mkdir ../busy && sleep 0.2 && rmdir ../busy'";
    let ran = batch(&env, &["m.txt", "--jobs", "4", "--run", run, "--sandbox", "off"]);
    assert_eq!(
        (ran.code, &summary(&env)["counts"]),
        (0, &json!({ "nothing_to_fix": 4 })),
        "{ran:?}"
    );
}

#[test]
fn what_would_stay_in_a_clone_is_refused_before_anything_runs() {
    let env = TestEnv::new();
    crate::batch::red(&env, "origin");
    env.write("origin/papayu.toml", "[run]\nemit = \"branch\"\n");
    env.write("plain/x", "");
    let git = "-c user.name=A -c user.email=a@example.org";
    let made = env.shell(&format!(
        "cd origin && git add -A && git {git} commit -q -m Settings && cd .. && \
         git clone -q origin other && cd other && git rm -q papayu.toml && git {git} commit -q -m None"
    ));
    assert_eq!(made.code, 0, "{made:?}");
    let address = |name: &str| format!("file://{}", env.repo().join(name).display());
    env.write("m.txt", &format!("{}\n{}\nplain\n", address("origin"), address("other")));
    let run = format!("touch {}; false", env.repo().join("begun").display());
    let arguments = ["m.txt", "--run", &run, "--cache", "cache", "--emit", "patch,worktree"];
    let ran = batch(&env, &arguments);
    assert_eq!((ran.code, env.repo().join("out/journal.jsonl").exists()), (2, false), "{ran:?}");
    assert!(ran.stderr.contains("`--emit worktree` would stay in the clone of `"), "{ran:?}");
    assert!(ran.stderr.contains("for an address use `pr`, `patch` or `bundle`"), "{ran:?}");
    // The repository's own settings want it, and those of the user.
    let trust = "--trust-repository-settings";
    let all = [&["batch"], &arguments[..5], &["--out", "out", trust]].concat();
    let ran = env.run_with(&all, &[("PAPAYU_SANDBOX", "off")]);
    let said = summary(&env);
    let name = |name: &str| format!("repo-{name}");
    let expected =
        [(&*name("origin"), "usage_error"), (&*name("other"), "not_fixed"), ("plain", "not_fixed")];
    assert_eq!(ends(&said), pairs(&expected), "{ran:?}");
    assert_eq!(
        said["tasks"][0]["reason"],
        "`emit = branch` would stay in a clone that is deleted after the run"
    );
    std::fs::remove_file(env.repo().join("begun")).unwrap();
    let all = [&all[..], &["--restart", "--filter", "repo-*"]].concat();
    let ran = env.run_with(&all, &[("PAPAYU_EMIT", "worktree")]);
    let expected = [(&*name("origin"), "usage_error"), (&*name("other"), "usage_error")];
    assert_eq!(ends(&summary(&env)), pairs(&expected), "{ran:?}");
    assert!(!env.repo().join("begun").exists(), "nothing was run");
}

#[test]
fn a_journal_that_somebody_empties_meanwhile_is_told_and_never_a_success() {
    let env = TestEnv::new();
    for name in ["a", "b"] {
        env.write(&format!("{name}/x"), "");
    }
    env.write(
        "m.toml",
        "[[repositories]]\nrepo = \"a\"\nrun = \"false\"\n\
         [[repositories]]\nrepo = \"b\"\nrun = \"sh -c ': > ../out/journal.jsonl'\"\n",
    );
    let one = ["m.toml", "--jobs", "1", "--provider", "suggestions", "--sandbox", "off"];
    let first = batch(&env, &[&one[..], &["--fail-fast"]].concat());
    assert_eq!(ends(&summary(&env)), pairs(&[("a", "not_fixed")]), "{first:?}");
    let again = batch(&env, &[&one[..], &["--resume"]].concat());
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.stderr.contains("somebody changed its rows"), "{again:?}");
    assert_eq!(ends(&summary(&env)), pairs(&[("a", "not_fixed")]), "the summary is the old one");
    let last = batch(&env, &[&one[..], &["--restart"]].concat());
    assert_eq!(last.code, 1, "{last:?}");
    // One that a task empties before it has ended itself has that task's row.
    assert!(last.stderr.contains("meanwhile; `--resume` believes"), "{last:?}");
    let forge =
        r#"sed -n 's/"name":"a"/"name":"evil"/p' ../out/journal.jsonl >> ../out/journal.jsonl"#;
    env.write("forge.sh", forge);
    env.write(
        "m.json",
        "[{\"repo\": \"a\", \"run\": \"false\"}, {\"repo\": \"b\", \"run\": \"sh ../forge.sh\"}]",
    );
    let one =
        ["m.json", "--jobs", "1", "--provider", "suggestions", "--restart", "--sandbox", "off"];
    let forged = batch(&env, &one);
    assert_eq!(forged.code, 1, "{forged:?}");
    assert!(forged.stderr.contains("somebody changed its rows"), "{forged:?}");
}
