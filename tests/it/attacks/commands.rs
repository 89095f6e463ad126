//! Commands that a log names, with words that would run or write something.

use std::fs;

use crate::support::{TestEnv, project_file};

/// Findings of each tool, for which its fixes run it again.
const FINDINGS: [(&str, &str); 10] = [
    ("go", "vet: ./a.go:1:1: undefined: x\na.go:1:1: undefined: x"),
    (
        "eslint",
        "a.js\n  1:5  error  'a' is never reassigned  prefer-const\n\na.js:1:5: error: x prefer-const",
    ),
    ("ruff", "a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error."),
    ("tsc", "a.ts(1,5): error TS2304: Cannot find name 'x'."),
    (
        "cargo",
        "error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:1:1\n  |\nerror: could not compile `m`",
    ),
    (
        "prettier",
        "[warn] a.js\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.",
    ),
    (
        "biome",
        "a.js:1:1 lint/style/useConst FIXABLE ━━━━━\n\n  × This let declares a variable that is only assigned once.",
    ),
    ("gofmt", "diff a.go.orig a.go\n--- a.go.orig\n+++ a.go"),
    ("rustfmt", "Diff in src/lib.rs at line 1:"),
    ("black", "would reformat a.py\nOh no!"),
];

const FILES: [(&str, &str); 9] = [
    ("go.mod", "module m\n"),
    ("a.go", "package m\n"),
    ("a.js", "let a = 1;\n"),
    ("a.py", "import os\n"),
    ("a.ts", "x\n"),
    ("src/lib.rs", "fn a() {x}\n"),
    ("Cargo.toml", "[package]\nname = \"m\"\nversion = \"0.1.0\"\n"),
    ("package.json", "{}"),
    ("tsconfig.json", "{}"),
];

/// Makes a repository in which every tool, and the programs that start tools, only take down what they are started with.
fn repository() -> TestEnv {
    let env = TestEnv::new();
    for (path, text) in FILES {
        env.write(path, text);
    }
    let tools = FINDINGS.iter().map(|(tool, _)| *tool);
    let script = "#!/bin/sh\nenv >> asked; echo \"asked $0 $*\" >> asked\n";
    for tool in tools.chain(["npx", "node", "python", "yarn", "pnpm", "rustc"]) {
        for folder in ["bin", "node_modules/.bin", ".venv/bin"] {
            env.write(&format!("{folder}/{tool}"), script);
        }
    }
    assert_eq!(env.shell("chmod +x bin/* node_modules/.bin/* .venv/bin/*").code, 0);
    env
}

/// Returns what the tools were started with after a log named these words.
fn asked_after(words: &str, findings: &str) -> String {
    let env = repository();
    env.write("build.log", &format!("+ {words}\n{findings}\n"));
    let ran = env.shell(
        "PATH=$PWD/bin:$PATH; export PATH; \
         \"$BIN\" fix --log build.log --run \"sh -c 'cat build.log; exit 1'\" --provider suggestions",
    );
    assert_eq!(ran.code, 1, "{words}: {ran:?}");
    let left = env.shell("ls -a . .. | grep -e evil -e out.txt").stdout;
    assert_eq!(left, "", "{words}");
    fs::read_to_string(env.repo().join("asked")).unwrap_or_default()
}

#[test]
fn no_word_of_a_log_names_a_program_a_configuration_or_an_output() {
    let table = project_file("tests/attacks/log_commands.txt");
    let cases: Vec<_> = table.lines().filter_map(|line| line.split_once('\t')).collect();
    assert!(cases.len() > 130, "{}", cases.len());
    let mut started = 0;
    for (tool, words) in cases {
        let findings = FINDINGS.iter().find(|(known, _)| known == &tool).unwrap().1;
        let asked = asked_after(words, findings);
        started += usize::from(asked.contains("asked "));
        assert!(!asked.contains("evil") && !asked.contains("out.txt"), "{words}: {asked}");
    }
    assert!(started > 40, "the tools run in {started} cases");
}
