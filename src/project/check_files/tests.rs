//! Command lines with the files that are their check, in trees that are small enough to see.

use super::find_check_files;
use papayu_system::Tree as _;
use papayu_system::os::OsTree;

#[expect(clippy::disallowed_methods, reason = "the test makes the tree")]
fn found(command: &str, files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let tree = OsTree::open(folder.path()).unwrap();
    assert!(tree.list(None).is_ok());
    find_check_files(command, &tree).into_iter().collect()
}

#[test]
fn what_a_command_runs_and_compares_with_is_its_check() {
    let script =
        "#!/bin/sh\nset -e\npython3 calc.py < input.txt > out.txt\ndiff out.txt want.txt\n";
    let files = [
        ("check.sh", script),
        ("calc.py", "print(1)\n"),
        ("input.txt", "1\n"),
        ("want.txt", "2\n"),
    ];
    for command in [
        "sh check.sh", "./check.sh", "bash -e ./check.sh", "CI=1 sh check.sh | tee log",
        "sh -c 'cd . && sh check.sh'",
    ] {
        assert_eq!(found(command, &files), ["check.sh", "want.txt"], "{command}");
    }
    let nested = [
        ("ci/all.sh", "\"$(dirname \"$0\")/unit.sh\" && . ci/lib.sh\n"),
        ("ci/unit.sh", "cmp out.bin data/case.bin\n"),
        ("ci/lib.sh", "x=1\n"),
        ("ci/case.golden", "1\n"),
        ("data/case.bin", "1\n"),
        ("app.py", "x = 1\n"),
    ];
    let all = ["ci/all.sh", "ci/case.golden", "ci/lib.sh", "ci/unit.sh", "data/case.bin"];
    assert_eq!(found("bash ci/all.sh", &nested), all);
}

#[test]
fn scripts_of_packages_recipes_and_options_are_followed() {
    let package = "{\"scripts\": {\"test\": \"mocha -r ./setup.js && sh run.sh\", \"pretest\": \"node scripts/check.js\", \"start\": \"sh start.sh\"}}";
    let files = [
        ("web/package.json", package),
        ("web/setup.js", ""),
        ("web/run.sh", ""),
        ("web/start.sh", ""),
        ("web/scripts/check.js", ""),
        ("web/index.js", ""),
    ];
    let all = ["web/run.sh", "web/scripts/check.js", "web/setup.js"];
    for command in [
        "npm --prefix web test", "cd web && npm t", "npm --prefix=web run test",
        "yarn --cwd web test",
    ] {
        assert_eq!(found(command, &files), all, "{command}");
    }
    let files = [
        ("Makefile", "test: build\n\t@./compare.sh\nbuild:\n\tcc -c main.c\n"),
        ("compare.sh", "diff <(./app) expected.txt\n"),
        ("expected.txt", "1\n"),
        ("main.c", ""),
    ];
    assert_eq!(found("make test", &files), ["compare.sh", "expected.txt", "makefile"]);
    let files = [("rules/own.toml", ""), ("a.py", ""), ("pkg/b.py", "")];
    assert_eq!(
        found("ruff check --config rules/own.toml a.py pkg/b.py", &files),
        ["rules/own.toml"]
    );
}

#[test]
fn code_that_the_command_runs_or_reads_is_no_check() {
    let files = [
        ("app.py", "x = 1\n"),
        ("check.sh", "test \"$(sed -n 2p answer.py)\" = 42\n"),
        ("answer.py", ""),
    ];
    assert_eq!(found("python3 app.py --check", &files), Vec::<String>::new());
    assert_eq!(found("mypy app.py answer.py", &files), Vec::<String>::new());
    assert_eq!(found("sh check.sh", &files), ["check.sh"]);
    for command in [
        "", "'", "sh", "sh missing.sh", "make", "npm test", "cd .. && sh check.sh",
        "sh /etc/profile",
    ] {
        assert_eq!(found(command, &files), Vec::<String>::new(), "{command}");
    }
    let shell = [
        ("tests/run.sh", "got=$(sh total.sh 42)\n. ./lib.sh\ntest \"$got\" = 50\n"),
        ("total.sh", ""),
        ("lib.sh", ""),
    ];
    assert_eq!(found("sh tests/run.sh", &shell), ["tests/run.sh"]);
    let looping = [("ci/a.sh", "sh ci/b.sh\n"), ("ci/b.sh", "sh ci/a.sh\n")];
    assert_eq!(found("sh ci/a.sh", &looping), ["ci/a.sh", "ci/b.sh"]);
}
