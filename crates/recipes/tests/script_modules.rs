//! Modules of JavaScript and TypeScript: strings, defaults, `require`, and the modules of Node.js.

mod rig;

use rig::{Rig, rewrite, rule};

const MOVE: &str = "language: javascript\nmove: fetchIt from acme\nto: getIt from acme/net\n";

#[test]
fn a_move_changes_the_module_and_not_what_the_file_calls_it() {
    for (before, after) in [
        (
            "const acme = require(\"acme\");\nacme.fetchIt(1);\n",
            "const acme = require(\"acme/net\");\nacme.getIt(1);\n",
        ),
        (
            "import * as acme from 'acme';\nacme.fetchIt(1);\n",
            "import * as acme from 'acme/net';\nacme.getIt(1);\n",
        ),
        (
            "const { fetchIt } = require(\"acme\");\nfetchIt(1);\n",
            "const { getIt } = require(\"acme/net\");\ngetIt(1);\n",
        ),
        (
            "import def, { fetchIt } from \"acme\";\nfetchIt(def);\n",
            "import def from \"acme\";\nimport { getIt } from \"acme/net\";\ngetIt(def);\n",
        ),
        (
            "import def, { fetchIt, other } from \"acme\";\nfetchIt(def, other);\n",
            "import def, { other } from \"acme\";\nimport { getIt } from \"acme/net\";\ngetIt(def, other);\n",
        ),
        (
            "export * from \"acme\";\nimport { fetchIt as f } from \"acme\";\nf(1);\n",
            "export * from \"acme\";\nimport { getIt as f } from \"acme/net\";\nf(1);\n",
        ),
    ] {
        assert_eq!(rewrite(MOVE, "a.js", before), after);
    }
}

#[test]
fn a_file_with_a_use_that_cannot_be_changed_is_left_alone_as_a_whole() {
    let import = "import { fetchIt } from 'acme';\nfetchIt(1);\n";
    for hidden in [
        "require('acme').fetchIt(2);\n",
        "import * as acme from 'acme';\nacme?.fetchIt(2);\n",
        "import * as acme from 'acme';\nacme['fetchIt'](2);\n",
        "const { fetchIt: f } = await import('acme');\n",
        "const load = () => import(\"acme\");\n",
    ] {
        let rig = Rig::of("a.mjs", &format!("{hidden}{import}"));
        assert!(rig.apply(MOVE).is_empty(), "{hidden}");
        assert_eq!(rig.left.borrow().len(), 1, "{hidden}");
    }
    for own in ["other?.fetchIt(2);\n", "require('other').load(2);\n", "import('other');\n"] {
        let rig = Rig::of("a.mjs", &format!("{import}{own}"));
        assert_eq!(rig.apply(MOVE).len(), 1, "{own}");
    }
    let passed_on = "module.exports = require('acme');\n";
    assert_eq!(rewrite(MOVE, "a.js", passed_on), passed_on);
}

#[test]
fn a_module_of_node_has_two_names() {
    let rename = "language: javascript\nmove: inspect from util\nto: show from util\n";
    for module in ["util", "node:util"] {
        for form in [
            "import { NAME } from 'MODULE';\nNAME(1);\n",
            "const { NAME } = require('MODULE');\nNAME(1);\n",
        ] {
            let text = |name: &str| form.replace("NAME", name).replace("MODULE", module);
            assert_eq!(rewrite(rename, "a.js", &text("inspect")), text("show"));
        }
    }
    let away = "language: javascript\nmove: inspect from node:util\nto: show from acme\n";
    for module in ["util", "node:util"] {
        let text = format!("import {{ inspect }} from '{module}';\ninspect(1);\n");
        assert_eq!(rewrite(away, "a.ts", &text), "import { show } from 'acme';\nshow(1);\n");
    }
    // The test runner of Node.js is not the package `test`.
    let test = "language: javascript\nmove: test from test\nto: check from test\n";
    let text = "import { test } from 'node:test';\ntest(1);\n";
    assert_eq!(rewrite(test, "a.js", text), text);
}

#[test]
fn a_rule_leaves_no_empty_list_of_names() {
    let rule = rule(
        "typescript",
        "fetchIt($X)",
        "getIt($X)",
        ["fetchIt from acme", "getIt from acme/net"],
    );
    let made = rewrite(&rule, "a.ts", "import def, { fetchIt } from 'acme';\nfetchIt(def);\n");
    assert_eq!(made, "import def from 'acme';\nimport { getIt } from 'acme/net';\ngetIt(def);\n");
}

#[test]
fn a_moved_name_stays_exported_and_a_type_stays_one() {
    for (before, after) in [
        (
            "export { fetchIt, parse } from 'acme';\n",
            "export { parse } from 'acme';\nexport { getIt as fetchIt } from 'acme/net';\n",
        ),
        (
            "export { fetchIt as f, parse } from 'acme';\n",
            "export { parse } from 'acme';\nexport { getIt as f } from 'acme/net';\n",
        ),
        (
            "import { type fetchIt, log, parse } from 'acme';\nlet a: fetchIt = log(parse);\n",
            "import { log, parse } from 'acme';\nimport type { getIt } from 'acme/net';\nlet a: getIt = log(parse);\n",
        ),
        (
            "import type { fetchIt, User } from 'acme';\nlet a: fetchIt | User;\n",
            "import type { User } from 'acme';\nimport type { getIt } from 'acme/net';\nlet a: getIt | User;\n",
        ),
        (
            "import { type fetchIt as F } from 'acme';\nlet a: F;\n",
            "import { type getIt as F } from 'acme/net';\nlet a: F;\n",
        ),
    ] {
        let yaml = MOVE.replace("javascript", "typescript");
        assert_eq!(rewrite(&yaml, "a.ts", before), after);
    }
}
