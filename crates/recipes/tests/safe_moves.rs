//! A move is right in the whole file, or it is not made.

#[path = "rig/groups.rs"]
mod groups;
mod rig;

use groups::{Group, find_faults, same};
use papayu_recipes::Recipe;

const MOVES: &[Group] = &[
    Group {
        recipe: "language: python\nmove: old from acme\nto: new from acme\n",
        path: "a.py",
        files: &[
            // The new name means something else in the file.
            (
                "from acme import old\n\na = new(1) or old(1)\n",
                "from acme import new as old\n\na = new(1) or old(1)\n",
            ),
            (
                "from acme import old\n\n\ndef f(new):\n    return old(new)\n",
                "from acme import new as old\n\n\ndef f(new):\n    return old(new)\n",
            ),
            (
                "from acme import old\nfrom other import new\n\na = old(new)\n",
                "from acme import new as old\nfrom other import new\n\na = old(new)\n",
            ),
            (
                "from acme import old\n\na = b.new(old(1), new=2)\n",
                "from acme import new\n\na = b.new(new(1), new=2)\n",
            ),
            ("import acme\n\na = new(acme.old(1))\n", "import acme\n\na = new(acme.new(1))\n"),
            same("from acme import *\n\na = new(old(1))\n"),
            // Another star may give the name.
            same("from acme import *\nfrom other import *\n\na = old(1)\n"),
            // The new name is there already.
            (
                "from acme import new, old\n\na = new(old(1))\n",
                "from acme import new\n\na = new(new(1))\n",
            ),
            (
                "from acme import new as n\nfrom acme import old as o\n\na = n(o(1))\n",
                "from acme import new as n\n\na = n(n(1))\n",
            ),
            // The file gives the old name a value.
            same("import acme\n\nacme.old = acme.new\n"),
            same(
                "import acme\n\nif not hasattr(acme, 'old'):\n    acme.old = acme.new\nacme.old(1)\n",
            ),
            same("import acme\n\ndel acme.old\n"),
            same("import acme as a\n\na.old, x = y\n"),
            same("try:\n    from acme import old\nexcept ImportError:\n    old = None\n\nold(1)\n"),
            same(
                "try:\n    from acme import old\nexcept ImportError:\n    from own import old\n\nold(1)\n",
            ),
            same(
                "try:\n    from acme import old\nexcept ImportError:\n    def old(x):\n        return x\n\nold(1)\n",
            ),
            ("import acme\n\nold = acme.old\nold(1)\n", "import acme\n\nold = acme.new\nold(1)\n"),
            // An import in a function is one of the function.
            (
                "def f():\n    from acme import old\n    return old(1)\n\n\ndef g():\n    from own import old\n    return old(1)\n\n\nold(1)\n",
                "def f():\n    from acme import new\n    return new(1)\n\n\ndef g():\n    from own import old\n    return old(1)\n\n\nold(1)\n",
            ),
        ],
    },
    Group {
        recipe: "language: python\nmove: old from acme\nto: old from acme.sub\n",
        path: "a.py",
        files: &[
            (
                "import acme\n\nacme.setup()\nacme.old(1)\n",
                "import acme\nimport acme.sub\n\nacme.setup()\nacme.sub.old(1)\n",
            ),
            (
                "def f():\n    import acme\n    acme.setup()\n    acme.old(1)\n",
                "def f():\n    import acme\n    import acme.sub\n    acme.setup()\n    acme.sub.old(1)\n",
            ),
        ],
    },
    Group {
        recipe: "language: python\nmove: pkg.ext.rest\nto: pkg_rest\n",
        path: "a.py",
        files: &[
            (
                "from pkg.ext import rest\n\na = rest.Api()\n",
                "import pkg_rest as rest\n\na = rest.Api()\n",
            ),
            (
                "from pkg.ext import rest as r, other\n\na = r.Api(other)\n",
                "from pkg.ext import other\nimport pkg_rest as r\n\na = r.Api(other)\n",
            ),
            (
                "import pkg.ext.rest\n\na = pkg.ext.rest.Api()\n",
                "import pkg_rest\n\na = pkg_rest.Api()\n",
            ),
        ],
    },
    Group {
        recipe: "language: javascript\nmove: pluck from lodash\nto: map from lodash\n",
        path: "a.mjs",
        files: &[
            (
                "import { map, pluck } from 'lodash';\n\nmap(pluck(a));\n",
                "import { map } from 'lodash';\n\nmap(map(a));\n",
            ),
            (
                "import { pluck } from 'lodash';\n\nmap(pluck(a));\n",
                "import { map as pluck } from 'lodash';\n\nmap(pluck(a));\n",
            ),
            (
                "import { pluck } from 'lodash';\n\nconst a = { pluck, map: 1 };\nexport { pluck };\n",
                "import { map } from 'lodash';\n\nconst a = { pluck: map, map: 1 };\nexport { map as pluck };\n",
            ),
            (
                "const { pluck } = require('lodash');\n\nconst f = (map) => pluck(map);\n",
                "const { map: pluck } = require('lodash');\n\nconst f = (map) => pluck(map);\n",
            ),
            same("import _ from 'lodash';\n\n_.pluck = _.map;\n"),
            same("import * as _ from 'lodash';\n\n_.pluck ||= _.map;\n"),
        ],
    },
    Group {
        recipe: "language: javascript\nmove: acme\nto: acme-next\n",
        path: "a.mjs",
        files: &[(
            "import acme from 'acme';\n\nacme.run();\n",
            "import acme from 'acme-next';\n\nacme.run();\n",
        )],
    },
    Group {
        recipe: "language: javascript\nmove: acme/old\nto: acme/new\n",
        path: "a.mjs",
        files: &[
            (
                "import * as old from 'acme/old';\nexport * from \"acme/old\";\nimport 'acme/old';\nconst x = await import('acme/old');\njest.mock('acme/old', () => 1);\n",
                "import * as old from 'acme/new';\nexport * from \"acme/new\";\nimport 'acme/new';\nconst x = await import('acme/new');\njest.mock('acme/new', () => 1);\n",
            ),
            (
                "const old = require('acme/old');\n\nold.run('acme/old', `acme/old`);\n",
                "const old = require('acme/new');\n\nold.run('acme/old', `acme/old`);\n",
            ),
            same(
                "import a from 'acme/older';\nimport b from 'my/acme/old';\nimport c from 'acme/old/sub';\n",
            ),
        ],
    },
    Group {
        recipe: "language: python\nmove: acme.old\nto: acme.new\n",
        path: "a.py",
        files: &[(
            "from acme.old import *\nfrom acme.old.sub import x\nfrom acme.older import y\n",
            "from acme.new import *\nfrom acme.new.sub import x\nfrom acme.older import y\n",
        )],
    },
    Group {
        recipe: "language: rust\nmove: acme::old\nto: acme::new\n",
        path: "src/a.rs",
        files: &[(
            "use acme::old::*;\nuse acme::old::sub::X;\n\nfn f(x: X) { g(x) }\n",
            "use acme::new::*;\nuse acme::new::sub::X;\n\nfn f(x: X) { g(x) }\n",
        )],
    },
    Group {
        recipe: "language: java\nmove: old.lib\nto: fresh.lib\n",
        path: "src/A.java",
        files: &[(
            "import old.lib.*;\nimport old.lib.sub.*;\nimport old.lib.Item;\n\nclass A { Item x; Other y; }\n",
            "import fresh.lib.*;\nimport fresh.lib.sub.*;\nimport fresh.lib.Item;\n\nclass A { Item x; Other y; }\n",
        )],
    },
    Group {
        recipe: "language: typescript\nmove: Old from acme\nto: New from acme\n",
        path: "a.ts",
        files: &[
            (
                "import { Old } from 'acme';\n\nlet a: other.Old, b: Old<Old>;\n",
                "import { New } from 'acme';\n\nlet a: other.Old, b: New<New>;\n",
            ),
            (
                "import type { Old } from 'acme';\n\ninterface New { Old: Old }\n",
                "import type { New as Old } from 'acme';\n\ninterface New { Old: Old }\n",
            ),
        ],
    },
    Group {
        recipe: "language: rust\nmove: old from acme\nto: new from acme\n",
        path: "src/a.rs",
        files: &[
            (
                "use acme::{new, old};\n\nfn f() { new(old(1)); }\n",
                "use acme::{new};\n\nfn f() { new(new(1)); }\n",
            ),
            (
                "use acme::old;\n\nfn f() { let new = 1; old(new); }\n",
                "use acme::new as old;\n\nfn f() { let new = 1; old(new); }\n",
            ),
            (
                "use acme::old;\n\nfn f() { println!(\"{}\", a.old(b::old, old(1))); S { old }; }\n",
                "use acme::new;\n\nfn f() { println!(\"{}\", a.old(b::old, new(1))); S { old: new }; }\n",
            ),
            (
                "use acme::old;\n\nfn f<'old>(a: &'old u8) { 'old: loop { old(1); break 'old; } }\n",
                "use acme::new;\n\nfn f<'old>(a: &'old u8) { 'old: loop { new(1); break 'old; } }\n",
            ),
            same("use own::acme;\n\nfn f() { acme::old(1); }\n"),
            same("mod acme;\n\nfn f() { acme::old(1); }\n"),
            ("fn f() { acme::old(1); }\n", "fn f() { acme::new(1); }\n"),
        ],
    },
    Group {
        recipe: "language: rust\nmove: OLD from acme\nto: NEW from acme\n",
        path: "src/a.rs",
        // A pattern compares with the constant.
        files: &[same("use acme::OLD;\n\nfn f(a: u8) -> u8 { match a { OLD => OLD, _ => 1 } }\n")],
    },
    Group {
        recipe: "language: go\nmove: ReadAll from io/ioutil\nto: ReadAll from io\n",
        path: "a.go",
        files: &[
            (
                "package a\n\nimport (\n\t\"io\"\n\t\"io/ioutil\"\n)\n\nfunc f(r io.Reader) { ioutil.ReadAll(r) }\n",
                "package a\n\nimport (\n\t\"io\"\n)\n\nfunc f(r io.Reader) { io.ReadAll(r) }\n",
            ),
            (
                "package a\n\nimport (\n\t\"io\"\n\t\"io/ioutil\"\n)\n\nfunc f(r io.Reader) { ioutil.ReadAll(ioutil.NopCloser(r)) }\n",
                "package a\n\nimport (\n\t\"io\"\n\t\"io/ioutil\"\n)\n\nfunc f(r io.Reader) { io.ReadAll(ioutil.NopCloser(r)) }\n",
            ),
            same("package a\n\nimport \"io/ioutil\"\n\nfunc f(io T) { ioutil.ReadAll(io) }\n"),
        ],
    },
    Group {
        recipe: "language: go\nmove: Client from example.com/acme\nto: HttpClient from example.com/acme\n",
        path: "a.go",
        files: &[
            // The field has the name of its type.
            same("package a\n\nimport \"example.com/acme\"\n\ntype T struct {\n\tacme.Client\n}\n"),
            (
                "package a\n\nimport \"example.com/acme\"\n\ntype T struct {\n\tc *acme.Client\n}\n",
                "package a\n\nimport \"example.com/acme\"\n\ntype T struct {\n\tc *acme.HttpClient\n}\n",
            ),
        ],
    },
    Group {
        recipe: "language: java\nmove: Old from a.b\nto: New from a.b\n",
        path: "src/A.java",
        files: &[
            (
                "import a.b.New;\nimport a.b.Old;\n\nclass A { Old x; New y; }\n",
                "import a.b.New;\n\nclass A { New x; New y; }\n",
            ),
            same("import a.b.Old;\nimport a.c.New;\n\nclass A { Old x; New y; }\n"),
            same("import a.b.Old;\n\nclass A { Old x; class New {} }\n"),
        ],
    },
    Group {
        recipe: "language: java\nmove: Tools.fetch from org.acme\nto: Tools.get from org.acme\n",
        path: "src/A.java",
        files: &[
            (
                "import static org.acme.Tools.fetch;\n\nclass A { Object x = fetch(), y = b.fetch(), z = B::fetch; }\n",
                "import static org.acme.Tools.get;\n\nclass A { Object x = get(), y = b.fetch(), z = B::fetch; }\n",
            ),
            same(
                "import static org.acme.Tools.fetch;\n\nclass A { Object x = fetch(); Object get() { return x; } }\n",
            ),
            same(
                "import static org.acme.Tools.fetch;\n\nclass A { Object x = fetch(); Object fetch() { return x; } }\n",
            ),
        ],
    },
];

#[test]
fn a_move_is_right_in_the_whole_file_or_not_made() {
    let faults = find_faults(MOVES);
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn a_move_between_a_module_and_a_name_is_refused() {
    for (from, to) in [("uuid/v4", "v4 from uuid"), ("v4 from uuid", "uuid/v4")] {
        let text = format!("language: javascript\nmove: {from}\nto: {to}\n");
        let error = Recipe::parse("a.yml", &text).unwrap_err().to_string();
        assert!(error.contains("a module and a name"), "{error}");
    }
    // They are the same in the paths of these.
    let text = "language: rust\nmove: old from acme\nto: acme::new\n";
    assert!(Recipe::parse("a.yml", text).is_ok());
}
