//! The life of a pull request as a table: what happened before, what is run, and what must come of it.
//!
//! After every row: no failure has a second open pull request, and no commit of a person is lost.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;

use serde_json::{Value, json};

use crate::forge_rig::{READER, Rig, Run, TOKEN};

/// What happened before the command of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// A run opens the pull request of the failure.
    Open,
    /// A person commits another file to `main`.
    MainMoves,
    /// A person fixes the failure on `main`.
    MainFixed,
    /// A person makes the change of the fix on `main`, and breaks the test in another way.
    MainHasChange,
    /// A person changes the faulty line on `main` in another way.
    MainConflicts,
    /// A person commits to our branch.
    PersonOnOurs,
    /// A person deletes our branch.
    OursDeleted,
    /// A person closes the pull request.
    Closed,
    /// A person merges it.
    Merged,
    /// All checks of the newest commit of `main` pass.
    MainGreen,
    /// A check of `main` passes and another one waits.
    MainWaits,
    /// The forge sees a conflict.
    Conflict,
    /// The checks of our commit fail.
    OursRed,
    /// A sweep closes or updates what is out of date.
    Swept,
    /// A person commits to `main` once more.
    MainMovesAgain,
    /// A person merges `main` into our branch, and changes our lines in the merge.
    PersonMerges,
    /// A person merges another branch into ours.
    OtherBranchMerged,
    /// A person amends our commit, which keeps its message.
    PersonAmends,
    /// A person chooses another target for the pull request.
    Retargeted,
    /// A person makes a draft of it.
    Drafted,
    /// A person renames the branch `main`, and the forge moves the pull request to the new name.
    MainRenamed,
    /// The server limits requests for longer than a run waits.
    LongRateLimit,
    /// The server answers with a page in HTML.
    AnswersHtml,
    /// The token may not ask for the newest state of a pull request.
    OneCallForbidden,
    /// The repository is archived: every change is refused.
    Archived,
    /// A person rewrites the text of the pull request.
    TextReplaced,
    /// A fork has a pull request from a branch with our name and our text.
    ForkAsOurs,
    /// The server refuses requests for a while.
    RateLimit,
    /// The server fails once while the pull request is opened.
    ServerFails,
    /// The server opens the pull request, and its answer is lost.
    AnswerLost,
    /// Another run pushes its fix during our push.
    OtherRunner,
    /// A rule of the server refuses pushes to our branches.
    Protected,
    /// The clone has no history.
    Shallow,
    /// The token may only read.
    ReadOnly,
}

/// The command of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Command {
    /// `apply --emit pr` on the commit that was red.
    Fix,
    /// `publish` of a bundle that was made on that commit.
    Publish,
    /// `publish --sweep`.
    Sweep,
}

/// A row.
struct Row {
    name: &'static str,
    before: &'static [Act],
    command: Command,
    /// Exit code and, for a run, the code of the error or the outcome.
    end: (i32, &'static str),
    /// A part of what is printed or of the reason.
    says: &'static str,
    /// Pull requests afterwards: open ones and closed ones.
    pulls: (usize, usize),
}

const fn row(
    name: &'static str,
    before: &'static [Act],
    command: Command,
    end: (i32, &'static str),
) -> Row {
    Row { name, before, command, end, says: "", pulls: (1, 0) }
}

impl Row {
    const fn says(self, says: &'static str) -> Self {
        Self { says, ..self }
    }

    const fn pulls(self, open: usize, closed: usize) -> Self {
        Self { pulls: (open, closed), ..self }
    }
}

use Act::*;
use Command::{Fix, Publish, Sweep};

const ROWS: &[Row] = &[
    row("nothing before", &[], Fix, (0, "fixed")),
    row("nothing before, by a bundle", &[], Publish, (0, "fixed")),
    row("main moved elsewhere", &[MainMoves], Fix, (0, "fixed")),
    row("main moved elsewhere, in a shallow clone", &[Shallow, MainMoves], Fix, (0, "fixed")),
    row("main moved, by a bundle", &[MainMoves], Publish, (6, "ERR_BASE_MOVED")).pulls(0, 0),
    row(
        "main moved and is green, by a bundle",
        &[MainMoves, MainGreen],
        Publish,
        (0, "nothing_to_fix"),
    )
    .says("all checks of `main` pass")
    .pulls(0, 0),
    row(
        "main moved and is green after ours, by a bundle",
        &[Open, MainMoves, MainGreen],
        Publish,
        (0, "nothing_to_fix"),
    )
    .pulls(0, 1),
    row(
        "main moved and waits, by a bundle",
        &[MainMoves, MainWaits],
        Publish,
        (6, "ERR_BASE_MOVED"),
    )
    .says("was proved on")
    .pulls(0, 0),
    row("main was fixed", &[MainFixed], Fix, (0, "nothing_to_fix"))
        .says("fixed on `main`")
        .pulls(0, 0),
    row("main was fixed, in a shallow clone", &[Shallow, MainFixed], Fix, (0, "nothing_to_fix"))
        .says("no pull request is opened")
        .pulls(0, 0),
    row("main was fixed after ours was opened", &[Open, MainFixed], Fix, (0, "nothing_to_fix"))
        .pulls(0, 1),
    row("main has the same change", &[MainHasChange], Fix, (0, "nothing_to_fix")).pulls(0, 0),
    row("main changed the same line", &[MainConflicts], Fix, (6, "ERR_BASE_MOVED"))
        .says("changed in another way")
        .pulls(0, 0),
    row(
        "main changed the same line after ours",
        &[Open, MainConflicts],
        Fix,
        (6, "ERR_BASE_MOVED"),
    ),
    row("ours is open already", &[Open], Fix, (0, "fixed")),
    row("a person works on our branch", &[Open, PersonOnOurs], Fix, (1, "not_fixed"))
        .says("other people"),
    row(
        "a person works on our branch, by a bundle",
        &[Open, PersonOnOurs],
        Publish,
        (6, "ERR_BRANCH_TAKEN"),
    ),
    row("our branch was deleted", &[Open, OursDeleted], Fix, (0, "fixed")),
    row("a person closed it", &[Open, Closed], Fix, (1, "not_fixed"))
        .says("is not reopened")
        .pulls(0, 1),
    row(
        "a person closed it, by a bundle",
        &[Open, Closed],
        Publish,
        (6, "ERR_PULL_REQUEST_CLOSED"),
    )
    .pulls(0, 1),
    row("it was merged and the failure is back", &[Open, Merged], Fix, (0, "fixed")).pulls(1, 1),
    row("a fork names its branch as ours", &[ForkAsOurs], Fix, (0, "fixed")).pulls(2, 0),
    row("two runners at once", &[OtherRunner], Fix, (6, "ERR_GIT_LEASE_LOST")).pulls(0, 0),
    row("the server limits requests", &[RateLimit], Fix, (0, "fixed")),
    row("the server fails once", &[ServerFails], Fix, (0, "fixed")),
    row("the answer to the opening is lost", &[AnswerLost], Fix, (0, "fixed")),
    row("the branch is protected", &[Protected], Fix, (6, "ERR_GIT_REFUSED")).pulls(0, 0),
    row("the token may only read", &[ReadOnly], Fix, (6, "ERR_GIT_AUTHENTICATION")).pulls(0, 0),
    row("sweep: nothing is open", &[], Sweep, (0, "")).pulls(0, 0),
    row("sweep: main has not moved", &[Open, MainGreen], Sweep, (0, "")).says("has not moved"),
    row("sweep: main is green", &[Open, MainMoves, MainGreen], Sweep, (0, ""))
        .says("all checks of `main` pass")
        .pulls(0, 1),
    row("sweep: main is not known to be green", &[Open, MainMoves, MainWaits], Sweep, (0, ""))
        .says("updated https://github.example/o/r/pull/1: its branch gets the commits of `main`"),
    row("sweep: main has no checks", &[Open, MainMoves], Sweep, (0, "")).says("updated "),
    row("sweep: it is a draft", &[Open, Drafted, MainMoves], Sweep, (0, "")).says("updated "),
    row("sweep: it was updated before", &[Open, MainMoves, Swept], Sweep, (0, ""))
        .says("has not moved"),
    row(
        "sweep: main moved again after an update",
        &[Open, MainMoves, Swept, MainMovesAgain],
        Sweep,
        (0, ""),
    )
    .says("updated "),
    row(
        "sweep: after two updates",
        &[Open, MainMoves, Swept, MainMovesAgain, Swept],
        Sweep,
        (0, ""),
    )
    .says("has not moved"),
    row(
        "sweep: main moved after an update and is green",
        &[Open, MainMoves, Swept, MainMovesAgain, MainGreen],
        Sweep,
        (0, ""),
    )
    .says("all checks of `main` pass")
    .pulls(0, 1),
    row("ours was updated by the forge", &[Open, MainMoves, Swept], Fix, (0, "fixed")),
    row(
        "ours was updated twice and main moved",
        &[Open, MainMoves, Swept, MainMovesAgain, Swept, MainConflicts],
        Fix,
        (6, "ERR_BASE_MOVED"),
    ),
    row(
        "main was fixed after ours was updated",
        &[Open, MainMoves, Swept, MainFixed],
        Fix,
        (0, "nothing_to_fix"),
    )
    .pulls(0, 1),
    row(
        "a person merges main with a change",
        &[Open, MainMoves, PersonMerges],
        Fix,
        (1, "not_fixed"),
    )
    .says("other people"),
    row(
        "sweep: a person merges main with a change",
        &[Open, MainMoves, PersonMerges],
        Sweep,
        (0, ""),
    )
    .says("commits of other people"),
    row(
        "a person changed ours after an update",
        &[Open, MainMoves, Swept, PersonAmends],
        Fix,
        (1, "not_fixed"),
    )
    .says("other people"),
    row("a person merges another branch", &[Open, OtherBranchMerged], Fix, (1, "not_fixed"))
        .says("other people"),
    row("a person amends our commit", &[Open, PersonAmends], Fix, (1, "not_fixed"))
        .says("other people"),
    row(
        "a person amends our commit, by a bundle",
        &[Open, PersonAmends],
        Publish,
        (6, "ERR_BRANCH_TAKEN"),
    ),
    row("sweep: a person amends our commit", &[Open, PersonAmends, MainMoves], Sweep, (0, ""))
        .says("commits of other people"),
    row("sweep: a person changed its target", &[Open, Retargeted, MainMoves], Sweep, (0, ""))
        .says("changed the branch that it goes into"),
    row("sweep: main was renamed", &[Open, MainMoves, MainRenamed], Sweep, (0, ""))
        .says("changed the branch that it goes into"),
    row("sweep: our branch was deleted", &[Open, OursDeleted, MainMoves], Sweep, (0, ""))
        .says("its branch was deleted"),
    row("sweep: the server limits requests", &[Open, MainMoves, LongRateLimit], Sweep, (6, ""))
        .says("failed  "),
    row("sweep: the server answers with a page", &[Open, MainMoves, AnswersHtml], Sweep, (6, ""))
        .says("cannot read pull request 1: expected value"),
    row("sweep: one call is forbidden", &[Open, MainMoves, OneCallForbidden], Sweep, (6, ""))
        .says("not accessible"),
    row("sweep: the repository is archived", &[Open, MainMoves, Archived], Sweep, (6, ""))
        .says("archived"),
    row("the repository is archived", &[Archived], Fix, (6, "ERR_FORGE_FORBIDDEN")).pulls(0, 0),
    row("sweep: it conflicts", &[Open, MainMoves, Conflict], Sweep, (0, ""))
        .says("conflicts with `main`")
        .pulls(0, 1),
    row("sweep: a person works on it", &[Open, MainMoves, MainGreen, PersonOnOurs], Sweep, (0, ""))
        .says("other people"),
    row(
        "sweep: its text was replaced",
        &[Open, MainMoves, MainGreen, TextReplaced],
        Sweep,
        (0, ""),
    )
    .says("other people"),
    row("sweep: a fork as ours", &[ForkAsOurs, MainMoves, MainGreen], Sweep, (0, "")),
    row(
        "the failure comes back after a sweep",
        &[Open, MainMoves, MainGreen, Swept],
        Fix,
        (0, "fixed"),
    )
    .pulls(1, 1),
    row("our checks failed, a second attempt", &[Open, OursRed], Fix, (0, "fixed")),
];

/// Changes the newest pull request in the stand-in.
fn change_pull(rig: &Rig, changes: &Value) {
    let mut pulls = rig.state()["pulls"].clone();
    let last = pulls.as_array_mut().unwrap().last_mut().unwrap().as_object_mut().unwrap();
    last.extend(changes.as_object().unwrap().clone());
    rig.set_state(&json!({ "pulls": pulls }));
}

pub(crate) fn set_checks(rig: &Rig, commit: &str, conclusions: &[Option<&str>]) {
    let checks: Vec<Value> = conclusions
        .iter()
        .enumerate()
        .map(|(id, conclusion)| json!({ "id": id, "name": format!("c{id}"), "conclusion": conclusion }))
        .collect();
    rig.set_state(&json!({ "commit_checks": { commit: checks } }));
}

#[expect(clippy::too_many_lines, reason = "one arm for each act")]
pub(crate) fn act(rig: &Rig, act: Act) {
    let main = || rig.remote(&["rev-parse", "main"]);
    match act {
        Open => assert_eq!(rig.fix(&["--emit", "pr"]).code, 0),
        MainMoves => drop(rig.human_commit("main")),
        MainFixed => rig.human_file("main", "value.py", "# two\ndef two():\n    return 2\n"),
        MainHasChange => rig.human_file("main", "value.py", "def two():\n    return 2\n"),
        MainConflicts => rig.human_file("main", "value.py", "def two():\n    return 1 + 0\n"),
        PersonOnOurs => drop(rig.human_commit(&rig.branches()[0])),
        OursDeleted => drop(rig.remote(&["branch", "-D", &rig.branches()[0]])),
        Closed => change_pull(rig, &json!({ "state": "closed" })),
        Merged => change_pull(rig, &json!({ "state": "closed", "merged_at": "2026-01-01T00:00:00Z" })),
        MainGreen => set_checks(rig, &main(), &[Some("success"), Some("skipped")]),
        MainWaits => set_checks(rig, &main(), &[Some("success"), None]),
        Conflict => change_pull(rig, &json!({ "mergeable": false })),
        OursRed => set_checks(rig, &rig.remote(&["rev-parse", &rig.branches()[0]]), &[Some("failure")]),
        Swept => assert_eq!(sweep(rig, TOKEN).0, 0),
        MainMovesAgain => rig.human_file("main", ".gitignore", "__pycache__/\n.papa-yu/\n*.log\n"),
        PersonMerges => rig.human_work(&rig.branches()[0], &[
            &["merge", "-q", "--no-commit", "--no-ff", "origin/main"],
            &["rm", "-q", "--cached", "human.txt"],
            &["commit", "-q", "-m", "Merge main"],
        ]),
        OtherBranchMerged => {
            rig.remote(&["branch", "feature", "main"]);
            rig.human_commit("feature");
            rig.human_work(&rig.branches()[0], &[&["merge", "-q", "--no-ff", "-m", "Merge", "origin/feature"]]);
        }
        PersonAmends => rig.human_work(&rig.branches()[0], &[
            &["rm", "-q", ".gitignore"],
            &["commit", "-q", "--amend", "--no-edit", "--author=H <h@example.org>"],
        ]),
        Retargeted => {
            rig.remote(&["branch", "release", "main"]);
            change_pull(rig, &json!({ "base": "release" }));
        }
        Drafted => change_pull(rig, &json!({ "draft": true })),
        MainRenamed => {
            rig.remote(&["branch", "trunk", "main"]);
            change_pull(rig, &json!({ "base": "trunk" }));
        }
        LongRateLimit => rig.faults(&json!([{ "method": "GET", "path": "/pulls/1", "status": 403, "times": 9,
            "headers": { "Retry-After": "7200" }, "body": { "message": "You have exceeded a secondary rate limit." } }])),
        AnswersHtml => rig.faults(&json!([{ "method": "GET", "path": "/pulls/1", "status": 200, "times": 9,
            "headers": { "Content-Type": "text/html" }, "raw": "<html>Maintenance</html>" }])),
        OneCallForbidden => rig.faults(&json!([{ "method": "PUT", "path": "/update-branch", "status": 403, "times": 9,
            "body": { "message": "Resource not accessible by integration" } }])),
        Archived => {
            let body = json!({ "message": "Repository was archived so is read-only." });
            let fault = |method: &str| json!({ "method": method, "path": "/pulls", "status": 403, "times": 9, "body": body });
            rig.faults(&json!([fault("POST"), fault("PUT"), fault("PATCH")]));
        }
        TextReplaced => change_pull(rig, &json!({ "body": "Mine now" })),
        ForkAsOurs => {
            let branch = "papayu/fix-119d35f75891";
            let body = "<!-- papayu-batch: {\"fingerprint\":\"119d35f75891\",\"attempts\":9,\"runs\":[]} -->\n";
            rig.set_state(&json!({ "pulls": [{
                "number": 1, "state": "open", "title": "x", "body": body, "draft": false,
                "head": branch, "base": "main", "owner": "mallory", "head_sha": "a".repeat(40),
            }] }));
        }
        RateLimit => rig.faults(&json!([{ "method": "POST", "path": "/pulls", "status": 403, "times": 2,
            "headers": { "Retry-After": "1" }, "body": { "message": "You have exceeded a secondary rate limit." } }])),
        ServerFails => rig.faults(&json!([{ "method": "POST", "path": "/pulls", "status": 502, "times": 1 }])),
        AnswerLost => rig.faults(&json!([{ "method": "POST", "path": "/pulls", "status": 502, "times": 1, "after": true }])),
        OtherRunner => rig.meanwhile("branch papayu/fix-119d35f75891 main"),
        Protected => rig.refuse_pushes("GH006: Protected branch update failed"),
        Shallow => {
            let bare = rig.at("remote/o/r.git").display().to_string();
            fs::remove_dir_all(rig.at("repo")).unwrap();
            let at = rig.at("repo").display().to_string();
            rig.remote(&["clone", "-q", "--depth=1", &format!("file://{bare}"), &at]);
            rig.git(&["remote", "set-url", "origin", &format!("{}/o/r.git", rig.git.url)]);
        }
        ReadOnly => {}
    }
}

pub(crate) fn sweep(rig: &Rig, token: &str) -> (i32, String) {
    let variables = [("GITHUB_TOKEN", token), ("GITHUB_REPOSITORY", "o/r")];
    rig.call_plain(&["publish", "--sweep", "--quiet"], &variables)
}

fn run(rig: &Rig, row: &Row) -> (i32, String, String) {
    let token = if row.before.iter().any(|it| matches!(it, ReadOnly)) { READER } else { TOKEN };
    if row.command == Sweep {
        let (code, printed) = sweep(rig, token);
        return (code, String::new(), printed);
    }
    let run: Run = if row.command == Publish {
        rig.publish(&[])
    } else {
        rig.reply("return 1 + 1");
        rig.fix_with(&["--emit", "pr"], &[("GITHUB_TOKEN", token)])
    };
    let code = run.outcome["error_code"].as_str().unwrap_or(run.text("outcome")).to_owned();
    (run.code, code, run.text("reason").to_owned() + &run.stderr)
}

#[test]
fn every_row_ends_as_the_table_says() {
    let quarters = ROWS.chunks(ROWS.len().div_ceil(4));
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = quarters
            .map(|rows| scope.spawn(|| rows.iter().filter_map(find_fault).collect::<Vec<_>>()))
            .collect();
        running.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    assert_eq!(wrong, Vec::<String>::new());
    assert!(ROWS.len() >= 30);
}

/// Plays a row, and returns what is not as the table says.
fn find_fault(row: &Row) -> Option<String> {
    let rig = Rig::new();
    if row.command == Publish {
        let run = rig.fix_with(&["--emit", "bundle"], &[]);
        assert_eq!(run.code, 0, "{}: {run:?}", row.name);
        fs::rename(rig.at("out/bundle"), rig.at("kept")).unwrap();
    }
    for it in row.before {
        act(&rig, *it);
    }
    if row.command == Publish {
        let _ = fs::remove_dir_all(rig.at("out/bundle"));
        fs::rename(rig.at("kept"), rig.at("out/bundle")).unwrap();
    }
    let people = rig.commits_of_people();
    let (code, word, said) = run(&rig, row);
    let pulls = rig.state()["pulls"].as_array().unwrap().clone();
    let (open, closed): (Vec<&Value>, Vec<&Value>) =
        pulls.iter().partition(|it| it["state"] == "open");
    let counted = (open.len(), closed.len());
    let kept = rig.commits_of_people();
    let lost: Vec<&String> = people.iter().filter(|it| !kept.contains(it)).collect();
    let ours = open.iter().filter(|it| it.get("owner").is_none()).count();
    let is_right = (code, word.as_str()) == row.end
        && said.contains(row.says)
        && counted == row.pulls
        && lost.is_empty()
        && ours <= 1;
    (!is_right).then(|| format!("{}: {code} {word} {counted:?} lost {lost:?}: {said}", row.name))
}
