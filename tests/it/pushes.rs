//! Pushes to git's own HTTP server: who is let in, what is refused, and whose work is kept.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::forge_rig::{COMMAND, Rig, TOKEN};

/// Sets the address of the remote.
fn set_remote(rig: &Rig, address: &str) {
    rig.git(&["remote", "set-url", "origin", address]);
}

#[test]
fn each_form_of_credentials_pushes() {
    let rig = Rig::new();
    let bare = format!("{}/o/r.git", rig.git.url);
    let host = bare.strip_prefix("http://").unwrap().to_owned();
    // The API of this server is elsewhere, so that its token is not for the remote: the user's own
    // credentials are.
    let other = ("GITHUB_API_URL", rig.api_url.replace("127.0.0.1", "localhost"));
    let own = [("PAPAYU_GITHUB_TOKEN", TOKEN), (other.0, other.1.as_str())];
    let askpass = rig.at("askpass");
    fs::write(&askpass, "#!/bin/sh\necho \"$SECRET_FOR_GIT\"\n").unwrap();
    fs::set_permissions(&askpass, fs::Permissions::from_mode(0o755)).unwrap();
    let askpass = askpass.to_str().unwrap().to_owned();
    let check = |name: &str, variables: &[(&str, &str)]| {
        let run = rig.fix_with(&["--emit", "pr", "--max-attempts-total", "0"], variables);
        assert_eq!(run.end(), (0, "fixed", None), "{name}: {run:?}");
    };
    check("a token", &[("GITHUB_TOKEN", TOKEN)]);
    check(
        "a token of ours",
        &[("PAPAYU_GITHUB_TOKEN", TOKEN), ("GITHUB_TOKEN", "wrong-token-of-a-stranger")],
    );
    let asked = [("GIT_ASKPASS", askpass.as_str()), ("SECRET_FOR_GIT", TOKEN)];
    check("askpass", &[&own[..], &asked[..]].concat());
    rig.git(&[
        "config",
        "credential.helper",
        "!f() { echo username=u; echo password=$SECRET_FOR_GIT; }; f",
    ]);
    check("a credential helper", &[&own[..], &asked[1..]].concat());
    rig.git(&["config", "--unset", "credential.helper"]);
    set_remote(&rig, &format!("http://somebody:{TOKEN}@{host}"));
    check("a password in the address", &own);
    set_remote(&rig, &bare);
    // As actions/checkout leaves it; the token beside it must not make two headers of it.
    let pair = "eC1hY2Nlc3MtdG9rZW46Z2hzX3Rpbjd2aW9sZXQ5aGFyYm91cjRjYW55b24yYW1iZXI=";
    let key = format!("http.{}/.extraheader", rig.git.url);
    rig.git(&["config", &key, &format!("AUTHORIZATION: basic {pair}")]);
    check("a header that a checkout left", &own);
    check("the same and a token", &[("GITHUB_TOKEN", TOKEN)]);
    rig.git(&["config", &key, "AUTHORIZATION: basic d3Jvbmc6d3Jvbmc="]);
    check("a header that has run out, and a token", &[("GITHUB_TOKEN", TOKEN)]);
    let requests = fs::read_to_string(rig.at("remote/requests.log")).unwrap();
    assert!(requests.contains("git-receive-pack authorization=yes known=True"), "{requests}");
}

#[test]
fn a_wrong_token_is_told_and_leaks_nowhere() {
    let rig = Rig::new();
    let run = rig.fix_with(&["--emit", "pr"], &[("GITHUB_TOKEN", "wrong-token-of-a-stranger")]);
    assert_eq!(run.end(), (6, "publish_failed", Some("ERR_GIT_AUTHENTICATION")), "{run:?}");
    assert!(!run.text("patch_path").is_empty(), "the change is not lost");
    assert_eq!(rig.branches(), Vec::<String>::new());
    let run = rig.fix_with(&["--emit", "pr"], &[]);
    assert_eq!(run.end(), (6, "publish_failed", Some("ERR_FORGE_AUTHENTICATION")), "{run:?}");
    assert!(
        !rig.at("repo/.papa-yu/traces").exists() || run.outcome["requests"] == 0,
        "nothing was spent"
    );
}

#[test]
fn a_token_goes_to_no_other_server() {
    let rig = Rig::new();
    let elsewhere = rig.api_url.replace("127.0.0.1", "localhost");
    let variables = [("GITHUB_TOKEN", TOKEN), ("GITHUB_API_URL", elsewhere.as_str())];
    let run = rig.fix_with(&["--emit", "pr"], &variables);
    assert_eq!(run.end(), (6, "publish_failed", Some("ERR_GIT_AUTHENTICATION")), "{run:?}");
    let requests = fs::read_to_string(rig.at("remote/requests.log")).unwrap();
    assert!(!requests.contains("authorization=yes"), "{requests}");
}

#[test]
fn a_branch_rule_of_the_server_is_told_in_its_own_words() {
    let rig = Rig::new();
    let hook = rig.at("remote/o/r.git/hooks/pre-receive");
    fs::write(&hook, "#!/bin/sh\necho 'no pushes on Fridays' >&2\nexit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (6, "publish_failed", Some("ERR_GIT_REFUSED")), "{run:?}");
    assert!(run.text("reason").contains("no pushes on Fridays"), "{run:?}");
    assert_eq!(rig.state()["pulls"], serde_json::json!([]));
}

#[test]
fn a_persons_commit_on_our_branch_is_kept_whenever_it_came() {
    let rig = Rig::new();
    let first = rig.fix(&["--emit", "pr"]);
    let branch = first.text("branch").to_owned();
    // It comes while we push.
    rig.reply("return 1 + 1");
    let bare = rig.at("remote/o/r.git");
    let script = format!(
        "cd '{}' && git update-ref refs/heads/{branch} $(git -c user.name=H -c user.email=h@x commit-tree -m 'By hand' -p {branch} {branch}^{{tree}})",
        bare.display()
    );
    fs::write(rig.at("remote/meanwhile"), script).unwrap();
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (6, "publish_failed", Some("ERR_GIT_LEASE_LOST")), "{run:?}");
    assert_eq!(rig.remote(&["log", "-1", "--format=%s", &branch]), "By hand");
    // It was there before.
    let theirs = rig.human_commit(&branch);
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (1, "not_fixed", None), "{run:?}");
    assert!(run.text("reason").contains("commits of other people"), "{run:?}");
    assert_eq!(rig.remote(&["rev-parse", &branch]), theirs);
}

#[test]
fn a_connection_cut_during_the_push_is_made_up_for_and_nothing_is_pushed_twice() {
    let rig = Rig::new();
    fs::write(rig.at("remote/cut-before"), "").unwrap();
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert!(rig.at("remote/cut-before.used").exists());
    rig.reply("return 1 + 1");
    fs::write(rig.at("remote/cut-after"), "").unwrap();
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert!(rig.at("remote/cut-after.used").exists());
    assert_eq!(rig.remote(&["rev-list", "--count", &format!("main..{}", run.text("branch"))]), "1");
}

#[test]
fn shallow_and_partial_clones_push_and_stay_as_they_are() {
    let rig = Rig::new();
    rig.write("big.txt", "x\n");
    rig.commit("Grow");
    rig.git(&["push", "-q", rig.at("remote/o/r.git").to_str().unwrap(), "main"]);
    let address = format!("file://{}", rig.at("remote/o/r.git").display());
    for how in ["--depth=1", "--filter=blob:none"] {
        fs::remove_dir_all(rig.at("repo")).unwrap();
        let at = rig.at("repo");
        let clone = ["clone", "-q", how, &address, at.to_str().unwrap()];
        let ended = std::process::Command::new("git").args(clone).status().unwrap();
        assert!(ended.success());
        let shallow = rig.git(&["rev-parse", "--is-shallow-repository"]);
        set_remote(&rig, &format!("{}/o/r.git", rig.git.url));
        rig.reply(if how == "--depth=1" { "return 2" } else { "return 1 + 1" });
        let run = rig.fix(&["--emit", "pr"]);
        assert_eq!(run.end(), (0, "fixed", None), "{how}: {run:?}");
        assert_eq!(rig.git(&["rev-parse", "--is-shallow-repository"]), shallow);
        assert_eq!(rig.remote(&["diff", "--name-only", "main", run.text("branch")]), "value.py");
    }
}

#[test]
fn a_commit_is_signed_where_git_is_told_to_sign_and_no_hook_is_run() {
    let rig = Rig::new();
    let key = rig.at("key");
    let words = ["-q", "-t", "ed25519", "-N", "", "-C", "a", "-f", key.to_str().unwrap()];
    assert!(std::process::Command::new("ssh-keygen").args(words).status().unwrap().success());
    rig.git(&["config", "gpg.format", "ssh"]);
    rig.git(&["config", "user.signingKey", key.to_str().unwrap()]);
    rig.git(&["config", "commit.gpgSign", "true"]);
    for hook in
        ["pre-push", "pre-commit", "commit-msg", "reference-transaction", "post-index-change"]
    {
        let hook = rig.at("repo/.git/hooks").join(hook);
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, format!("#!/bin/sh\ntouch '{}'\n", rig.at("hooked").display())).unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let run = rig.fix(&["--emit", "pr,branch"]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    let commit = rig.remote(&["cat-file", "commit", run.text("branch")]);
    assert!(commit.contains("-----BEGIN SSH SIGNATURE-----"), "{commit}");
    assert!(!rig.at("hooked").exists());
}

#[test]
fn commits_that_nobody_pushed_are_not_pushed_along() {
    let rig = Rig::new();
    rig.write("secret-plan.txt", "not yet\n");
    rig.commit("Not yet");
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (6, "publish_failed", Some("ERR_BASE_NOT_PUSHED")), "{run:?}");
    assert!(run.text("reason").contains("1 commit below it is not on `main`"), "{run:?}");
    let run = rig.fix(&["--emit", "pr", "--base", "nowhere"]);
    assert_eq!(run.end(), (6, "publish_failed", Some("ERR_BASE_NOT_PUSHED")), "{run:?}");
    assert_eq!(rig.branches(), Vec::<String>::new());
}

#[test]
fn changes_of_the_users_own_are_never_committed() {
    let rig = Rig::new();
    // The file as the run finds it is not the one that is committed.
    rig.write("value.py", "def two():\n    return 4\n");
    rig.commit("Another value");
    rig.write("value.py", "def two():\n    return 3\n");
    let run = rig.fix(&["--emit", "branch"]);
    assert_eq!(run.end(), (6, "publish_failed", Some("ERR_GIT_DIRTY")), "{run:?}");
    assert_eq!(rig.git(&["branch", "--list", "papayu/*"]), "");
}

#[test]
fn a_token_is_not_used_under_a_configuration_that_the_tested_code_changed() {
    let rig = Rig::new();
    let run_with = |first: &str| {
        let command = format!("{first}; {COMMAND}");
        let reply = rig.at("reply.json");
        let words = ["apply", "--plan", reply.to_str().unwrap(), "--run", &command, "--emit", "pr"];
        rig.call(&words, &[("GITHUB_TOKEN", TOKEN)])
    };
    let pwned = rig.at("pwned");
    let config = rig.at("repo/.git/config");
    let before = fs::read(&config).unwrap();
    let local = format!(
        "git config credential.helper '!touch {}; false'; git config include.path evil; \
         printf '[core]\\n\\tsshCommand = x\\n[url \"http://127.0.0.1:9/\"]\\n\\tinsteadOf = http://127.0.0.1\\n' >.git/evil",
        pwned.display()
    );
    let global = "git config --global http.proxy http://127.0.0.1:9";
    for (first, keys) in [
        (
            local.as_str(),
            "core.sshcommand, credential.helper, include.path, url.http://127.0.0.1:9/.insteadof",
        ),
        (global, "http.proxy"),
    ] {
        let run = run_with(first);
        let code = Some("ERR_GIT_RECONFIGURED");
        assert_eq!(run.end(), (6, "publish_failed", code), "{first}: {run:?}");
        assert!(run.text("reason").ends_with(&format!("ran: {keys}")), "{first}: {run:?}");
        assert!(!run.text("patch_path").is_empty(), "the change is not lost");
        fs::write(&config, &before).unwrap();
        let _ = fs::remove_file(rig.at("home/.gitconfig"));
    }
    assert_eq!(rig.branches(), Vec::<String>::new());
    // What installers of hooks do in passing changes nothing for us.
    let hook = rig.at("hooks/pre-push");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, format!("#!/bin/sh\ntouch '{}'\n", pwned.display())).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let run = run_with(&format!("git config core.hooksPath {}", rig.at("hooks").display()));
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert!(!pwned.exists());
}

#[test]
fn a_remote_that_is_a_folder_is_not_asked_at_github() {
    let rig = Rig::new();
    for address in [rig.at("remote/o/r.git").display().to_string(), "../remote/o/r.git".to_owned()]
    {
        set_remote(&rig, &address);
        let run =
            rig.fix_with(&["--emit", "pr"], &[("GITHUB_TOKEN", TOKEN), ("GITHUB_API_URL", "")]);
        assert_eq!(run.end(), (6, "publish_failed", Some("ERR_FORGE_NOT_FOUND")), "{run:?}");
        assert!(
            run.text("reason").contains("the remote is a folder, which is on no forge"),
            "{run:?}"
        );
    }
}

#[test]
fn the_missing_token_is_that_of_the_forge_of_the_remote() {
    for (address, variable) in [
        ("https://gitlab.com/o/r.git", "GITLAB_TOKEN"),
        ("git@gitlab.com:o/r.git", "GITLAB_TOKEN"),
        ("https://bitbucket.org/o/r.git", "BITBUCKET_TOKEN"),
        ("https://dev.azure.com/o/p/_git/r", "AZURE_DEVOPS_EXT_PAT"),
        ("https://github.com/o/r.git", "GITHUB_TOKEN"),
    ] {
        let rig = Rig::new();
        set_remote(&rig, address);
        let run = rig.fix_with(&["--emit", "pr"], &[("GITHUB_API_URL", "")]);
        assert_eq!(run.end(), (6, "publish_failed", Some("ERR_FORGE_AUTHENTICATION")), "{run:?}");
        let hint = run.text("hint");
        assert!(hint.starts_with(&format!("set `{variable}` ")), "{address}: {hint}");
    }
}
