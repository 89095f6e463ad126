//! A rule is right in the whole file, or it is not applied.

#[path = "rig/groups.rs"]
mod groups;
mod rig;

use groups::{Group, find_faults, same};

const RULES: &[Group] = &[
    Group {
        recipe: "language: python\nrule:\n  pattern: fetch($A)\nfix: fetch($A, 1)\nimports:\n  fetch: fetch from acme\n",
        path: "a.py",
        files: &[
            (
                "from acme import fetch\n\nfetch(0)\nfetch(*a)\nfetch(**a)\nfetch(a=1)\nfetch(x for x in y)\nfetch()\nfetch(1, 2)\n",
                "from acme import fetch\n\nfetch(0, 1)\nfetch(*a)\nfetch(**a)\nfetch(a=1)\nfetch(x for x in y)\nfetch()\nfetch(1, 2)\n",
            ),
            ("from acme import fetch\n\nfetch(0,)\n", "from acme import fetch\n\nfetch(0, 1)\n"),
        ],
    },
    Group {
        recipe: "language: python\nrule:\n  pattern: fetch($A)\nconstraints:\n  A: {kind: keyword_argument}\nfix: fetch($A, b=1)\nimports:\n  fetch: fetch from acme\n",
        path: "a.py",
        files: &[(
            "from acme import fetch\n\nfetch(a=1)\nfetch(1)\n",
            "from acme import fetch\n\nfetch(a=1, b=1)\nfetch(1)\n",
        )],
    },
    Group {
        recipe: "language: typescript\nrule:\n  pattern: fetch($A)\nfix: get($A)\nimports:\n  fetch: fetch from acme\nbecomes:\n  get: get from acme\n",
        path: "a.ts",
        files: &[
            same("import { fetch } from 'acme';\n\nfetch<string>(1);\nfetch?.(1);\nfetch(...a);\n"),
            // The new name means something else at the place.
            same("import { fetch } from 'acme';\n\nconst f = (get: G) => fetch(get);\n"),
            (
                "import { fetch, get } from 'acme';\n\nconst f = (get: G) => fetch(get);\nfetch(1);\n",
                "import { fetch, get } from 'acme';\n\nconst f = (get: G) => fetch(get);\nget(1);\n",
            ),
            (
                "import { fetch as f } from 'acme';\n\nf(1);\n",
                "import { get as f } from 'acme';\n\nf(1);\n",
            ),
            (
                "import * as a from 'acme';\nimport { fetch } from 'acme';\n\na.fetch(1);\nfetch(1);\n",
                "import * as a from 'acme';\n\na.get(1);\na.get(1);\n",
            ),
        ],
    },
    Group {
        recipe: "language: javascript\nrule:\n  pattern: run(() => $A)\nfix: run($A)\nimports:\n  run: run from acme\n",
        path: "a.mjs",
        files: &[(
            "import { run } from 'acme';\n\nrun(() => 1);\nrun(async () => 1);\n",
            "import { run } from 'acme';\n\nrun(1);\nrun(async () => 1);\n",
        )],
    },
    Group {
        recipe: "language: java\nrule:\n  pattern: new Task($A)\nfix: Task.of($A)\nimports:\n  Task: Task from org.acme\n",
        path: "src/A.java",
        files: &[(
            "import org.acme.Task;\n\nclass A { Object a = new Task(1) { void run() {} }, b = new Task(1), c = new <T>Task(1); }\n",
            "import org.acme.Task;\n\nclass A { Object a = new Task(1) { void run() {} }, b = Task.of(1), c = new <T>Task(1); }\n",
        )],
    },
    Group {
        recipe: "language: go\nrule:\n  pattern: {context: 'var _ = acme.Fetch($A)', selector: call_expression}\nfix: acme.Get($A)\nimports:\n  acme.Fetch: Fetch from example.com/acme\nbecomes:\n  acme.Get: Get from example.com/acme\n",
        path: "a.go",
        files: &[(
            "package a\n\nimport \"example.com/acme\"\n\nvar a, b = acme.Fetch(1), acme.Fetch(c...)\n",
            "package a\n\nimport \"example.com/acme\"\n\nvar a, b = acme.Get(1), acme.Fetch(c...)\n",
        )],
    },
    Group {
        recipe: "language: python\nrule:\n  pattern: datetime.utcnow()\nfix: datetime.now(timezone.utc)\nimports:\n  datetime: datetime from datetime\nbecomes:\n  timezone: timezone from datetime\n",
        path: "a.py",
        files: &[
            (
                "from datetime import datetime as Clock\n\nNOW = Clock.utcnow()\n",
                "from datetime import datetime as Clock, timezone\n\nNOW = Clock.now(timezone.utc)\n",
            ),
            (
                "def one():\n    import datetime\n    return datetime.date.today()\n\n\ndef two():\n    from datetime import datetime\n    return datetime.utcnow()\n",
                "def one():\n    import datetime\n    return datetime.date.today()\n\n\ndef two():\n    from datetime import datetime, timezone\n    return datetime.now(timezone.utc)\n",
            ),
            same(
                "from datetime import datetime\n\n\ndef f(timezone):\n    return datetime.utcnow()\n",
            ),
        ],
    },
    Group {
        recipe: "language: python\nrule:\n  pattern: acme.old\nfix: acme.new\nimports:\n  acme: acme\n",
        path: "a.py",
        files: &[(
            "import acme\n\nacme.old = 1\nprint(acme.old)\n",
            "import acme\n\nacme.old = 1\nprint(acme.new)\n",
        )],
    },
    Group {
        recipe: "language: javascript\nrule:\n  pattern: new Buffer($A)\nfix: Buffer.from($A)\n",
        path: "a.mjs",
        files: &[
            ("const a = new Buffer('a');\n", "const a = Buffer.from('a');\n"),
            same("class Buffer {}\nconst a = new Buffer('a');\n"),
            same("import { Buffer } from './own.js';\nconst a = new Buffer('a');\n"),
            same("const { Buffer } = require('./own');\nconst a = new Buffer('a');\n"),
            same("const { Own: Buffer } = own;\nconst a = new Buffer('a');\n"),
            same("function f(Buffer) { return new Buffer('a'); }\n"),
            same("const Buffer = own();\nconst a = new Buffer('a');\n"),
        ],
    },
    Group {
        recipe: "language: python\nrule:\n  pattern: $F.pull($A)\nfix: $F.fetch($A)\ntyped:\n  F: acme\n",
        path: "a.py",
        files: &[
            (
                "import acme\n\na = acme.Client()\na.pull(1)\na.session.pull(1)\na.session().pull(1)\nacme.Client().pull(1)\n",
                "import acme\n\na = acme.Client()\na.fetch(1)\na.session.pull(1)\na.session().pull(1)\nacme.Client().fetch(1)\n",
            ),
            same("import acme\n\na = acme.Client().session\na.pull(1)\n"),
            same("import acme\n\na = acme.Client().session()\na.pull(1)\n"),
            same("import acme\n\na = acme.Client().rows[0]\na.pull(1)\n"),
            same("import acme\n\nfor a in acme.Client():\n    a.pull(1)\n"),
            same("import acme\n\na, b = acme.pair()\nb.pull(1)\n"),
            same("import acme\n\n\ndef f(a: list[acme.Client]):\n    a.pull(1)\n"),
            same(
                "import acme\n\n\ndef f(own, a: acme.Client):\n    x = lambda a: a.pull(1)\n    return [a.pull(1) for a in own]\n",
            ),
            (
                "import acme\n\n\ndef f(a: acme.Client | None):\n    a.pull(1)\n",
                "import acme\n\n\ndef f(a: acme.Client | None):\n    a.fetch(1)\n",
            ),
        ],
    },
    Group {
        recipe: "language: rust\nrule:\n  pattern: $F.pull($A)\nfix: $F.fetch($A)\ntyped:\n  F: acme\n",
        path: "src/a.rs",
        files: &[
            (
                "use acme::Client;\n\nfn f() { let a = Client::new().unwrap(); a.pull(1); }\n",
                "use acme::Client;\n\nfn f() { let a = Client::new().unwrap(); a.fetch(1); }\n",
            ),
            same("use acme::Client;\n\nfn f() { let a = Client::new().session(); a.pull(1); }\n"),
            same("use acme::Client;\n\nfn f(a: &[Client]) { a.pull(1); }\n"),
            same("use acme::Client;\n\nfn f(a: Vec<Client>) { a.pull(1); }\n"),
            same("use acme::Client;\n\nfn f(c: Client) { let Client { a, .. } = c; a.pull(1); }\n"),
        ],
    },
    Group {
        recipe: "language: typescript\nrule:\n  pattern: $F.pull($A)\nfix: $F.fetch($A)\ntyped:\n  F: acme\n",
        path: "a.ts",
        files: &[
            same("import { Client } from 'acme';\n\nconst { a } = new Client();\na.pull(1);\n"),
            same("import { Client } from 'acme';\n\nconst f = (a: Client[]) => a.pull(1);\n"),
            same("import { Client } from 'acme';\n\nconst a = new Client().session;\na.pull(1);\n"),
            same("import { Client } from 'acme';\n\nfor (const a of new Client()) a.pull(1);\n"),
            (
                "import { Client } from 'acme';\n\nconst f = async (a: Client | undefined) => { const b = await new Client(); b.pull(1); a!.pull(1); };\n",
                "import { Client } from 'acme';\n\nconst f = async (a: Client | undefined) => { const b = await new Client(); b.fetch(1); a!.fetch(1); };\n",
            ),
        ],
    },
];

#[test]
fn a_rule_is_right_in_the_whole_file_or_not_made() {
    let faults = find_faults(RULES);
    assert!(faults.is_empty(), "{faults}");
}
