//! Fixes from the messages of tools, real ones of Node.js and Python and recorded ones of the others.

use serde_json::Value;

use crate::support::TestEnv;

/// A repository, the command that fails in it, and the line that the fix writes.
struct Case {
    files: &'static [(&'static str, &'static str)],
    command: &'static str,
    path: &'static str,
    line: &'static str,
}

/// Fixes without a model in a repository of these files and returns the outcome.
fn fix(env: &TestEnv, files: &[(&str, &str)], command: &str) -> Value {
    for (path, text) in files {
        env.write(path, text);
    }
    let arguments = ["fix", "--run", command, "--provider", "suggestions", "--emit", "worktree"];
    env.outcome(&arguments, &[])
}

fn assert_fixed(cases: &[Case]) {
    for case in cases {
        let env = TestEnv::new();
        let outcome = fix(&env, case.files, case.command);
        assert_eq!(outcome["outcome"], "fixed", "{}: {outcome:#}", case.line);
        let text = env.read(case.path);
        assert!(text.lines().any(|line| line == case.line), "{}: {text}", case.line);
    }
}

/// Returns a command that prints the message as long as the file does not have this text.
fn recorded(env: &TestEnv, path: &str, right: &str, message: &str) -> String {
    env.write("message.txt", message);
    env.write(
        "check.sh",
        &format!("grep -qF '{right}' {path} && exit 0\ncat message.txt\nexit 1\n"),
    );
    "sh check.sh".to_owned()
}

const SLUG: (&str, &str) = (
    "slug.js",
    "function slugify(text) { return text.toLowerCase(); }\nmodule.exports = { slugify };\n",
);

#[test]
fn names_members_and_modules_that_node_did_not_find_are_corrected() {
    assert_fixed(&[
        Case {
            files: &[(
                "a.js",
                "function slugify(text) { return text; }\nconsole.log(slugfy(\"A\"));\n",
            )],
            command: "node a.js",
            path: "a.js",
            line: "console.log(slugify(\"A\"));",
        },
        Case {
            files: &[SLUG, ("a.js", "const s = require('./slug');\nconsole.log(s.slugfy('A'));\n")],
            command: "node a.js",
            path: "a.js",
            line: "console.log(s.slugify('A'));",
        },
        Case {
            files: &[("a.js", "const text = 'A';\nconsole.log(text.toLowercase());\n")],
            command: "node a.js",
            path: "a.js",
            line: "console.log(text.toLowerCase());",
        },
        Case {
            files: &[("lib/money.js", "exports.a = 1;\n"), ("a.js", "require('./lib/mony');\n")],
            command: "node a.js",
            path: "a.js",
            line: "require('./lib/money');",
        },
        Case {
            files: &[
                ("money.mjs", "export const sum = 1;\n"),
                ("a.mjs", "import { sum } from './mony.mjs';\nconsole.log(sum);\n"),
            ],
            command: "node a.mjs",
            path: "a.mjs",
            line: "import { sum } from './money.mjs';",
        },
        Case {
            files: &[
                ("money.mjs", "export const total = 1;\n"),
                ("a.mjs", "import { totl } from './money.mjs';\nconsole.log(totl);\n"),
            ],
            command: "node a.mjs",
            path: "a.mjs",
            line: "import { total } from './money.mjs';",
        },
    ]);
}

#[test]
fn a_name_that_two_others_resemble_is_left_as_it_is() {
    let env = TestEnv::new();
    let text = "const total = 1, totals = 2;\nconsole.log(totall, total, totals);\n";
    let files = [("a.js", text), ("lib/mony1.js", ""), ("lib/mony2.js", "")];
    let outcome = fix(&env, &files, "node a.js");
    assert_eq!((&outcome["outcome"], env.read("a.js").as_str()), (&"not_fixed".into(), text));
    let env = TestEnv::new();
    let text = "require('./lib/money');\n";
    let files = [("a.js", text), ("lib/mone.js", ""), ("lib/moneys.js", "")];
    let outcome = fix(&env, &files, "node a.js");
    assert_eq!((&outcome["outcome"], env.read("a.js").as_str()), (&"not_fixed".into(), text));
}

#[test]
fn a_class_of_python_with_a_short_name_is_corrected() {
    assert_fixed(&[
        Case {
            files: &[("a.py", "class Item:\n    pass\n\n\nprint(Itm())\n")],
            command: "python3 a.py",
            path: "a.py",
            line: "print(Item())",
        },
        Case {
            files: &[
                ("shop.py", "class Item:\n    pass\n"),
                ("a.py", "from shop import Itm\n\nprint(Itm())\n"),
            ],
            command: "python3 a.py",
            path: "a.py",
            line: "from shop import Item",
        },
    ]);
}

#[test]
fn what_tsc_proposes_is_written_and_a_misspelt_module_is_found() {
    let env = TestEnv::new();
    let source = "const cart = { prices: [1] };\nconst price = cart.pricse[0];\nprint(price);\n";
    let message = "src/a.ts(2,20): error TS2551: Property 'pricse' does not exist on type '{ prices: number[]; }'. Did you mean 'prices'?\n";
    let command = recorded(&env, "src/a.ts", "cart.prices[0]", message);
    let outcome = fix(&env, &[("src/a.ts", source)], &command);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");

    let env = TestEnv::new();
    let source = "import { sum } from './mony';\nsum();\n";
    let message = "src/a.ts(1,21): error TS2307: Cannot find module './mony' or its corresponding type declarations.\n";
    let command = recorded(&env, "src/a.ts", "'./money'", message);
    let money = ("src/money.ts", "export function sum() {}\n");
    let outcome = fix(&env, &[("src/a.ts", source), money], &command);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
}

#[test]
fn a_package_of_go_is_not_taken_for_a_type_of_the_language() {
    for (package, call) in [
        ("strings", "ToUpper(name string) string { return strings.ToUpper(name) }"),
        ("errors", "Fail() error { return errors.New(\"no\") }"),
    ] {
        let env = TestEnv::new();
        let source = format!("package cart\n\nfunc {call}\n");
        let column = source.lines().nth(2).unwrap().find(&format!("{package}.")).unwrap() + 1;
        let message = format!("# shop/cart\ncart/cart.go:3:{column}: undefined: {package}\n");
        let command = recorded(&env, "cart/cart.go", &format!("import \"{package}\""), &message);
        let files = [("cart/cart.go", source.as_str()), ("go.mod", "module shop\n\ngo 1.22\n")];
        let outcome = fix(&env, &files, &command);
        assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    }
}

#[test]
fn a_package_that_is_not_there_is_a_failure_of_dependencies() {
    // The name may be misspelt, or that of another package, so no command installs it.
    let python = "check the name; the package of `not_a_package_at_all`";
    let npm = "if `not-a-package-at-all` is not one of them, check the name and add it";
    for (path, text, command, step) in [
        ("a.py", "import not_a_package_at_all\n", "python3 a.py", python),
        ("a.js", "require('not-a-package-at-all');\n", "node a.js", npm),
        ("a.mjs", "import 'not-a-package-at-all';\n", "node a.mjs", npm),
    ] {
        let env = TestEnv::new();
        let outcome = fix(&env, &[(path, text)], command);
        let facts = (&outcome["outcome"], &outcome["failure_class"]);
        assert_eq!(facts, (&"not_fixed".into(), &"dependency".into()), "{outcome:#}");
        assert!(outcome["hint"].as_str().unwrap().contains(step), "{outcome:#}");
        let reason = outcome["reason"].as_str().unwrap();
        assert!(reason.starts_with("a package is missing: ") && reason.contains(path), "{reason}");
    }
    // A module of the repository whose name is misspelt is the code's.
    let env = TestEnv::new();
    let files = [("lib/money.py", ""), ("a.py", "import mony\n")];
    let outcome = fix(&env, &files, "python3 a.py");
    assert_eq!(outcome["failure_class"], "code", "{outcome:#}");
}

#[test]
fn a_lockfile_that_cannot_be_parsed_is_explained() {
    for line in [
        "error: failed to parse lock file at: /work/Cargo.lock",
        "npm error The `npm ci` command can only install with an existing package-lock.json or",
        "go: malformed go.sum: /work/go.sum:3: wrong number of fields 2",
    ] {
        let env = TestEnv::new();
        let outcome = fix(&env, &[("log.txt", line)], "sh -c 'cat log.txt; exit 1'");
        assert_eq!(outcome["failure_class"], "dependency", "{outcome:#}");
        assert!(outcome["reason"].as_str().unwrap().contains(line), "{outcome:#}");
        assert!(outcome["hint"].as_str().unwrap().contains("cannot be parsed"), "{outcome:#}");
    }
}
