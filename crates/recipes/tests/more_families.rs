//! Families of breaks with other differences than imports: methods, types, modules, linters, configuration.

mod rig;

use papayu_base::domain::{Failure, FailureKind, FailureReport, Location};
use papayu_recipes::{Recipe, RecipeReach};

/// A family: where its files are, what the tool says, a fix, and other files before and after it.
struct Family {
    name: &'static str,
    path: &'static str,
    kind: FailureKind,
    code: Option<&'static str>,
    message: &'static str,
    line: u32,
    fix: (&'static str, &'static str),
    others: &'static [(&'static str, &'static str)],
}

const FAMILIES: &[Family] = &[
    Family {
        name: "python method",
        path: "app.py",
        kind: FailureKind::Test,
        code: None,
        message: "AttributeError: 'Client' object has no attribute 'pull'",
        line: 7,
        fix: (
            "from acme import Client\n\nclient = Client()\n\n\ndef run(a):\n    return client.pull(a)\n",
            "from acme import Client\n\nclient = Client()\n\n\ndef run(a):\n    return client.fetch(a)\n",
        ),
        others: &[
            (
                "import acme as ac\n\n\ndef run(client: ac.Client, a, b):\n    return client.pull(a, b)\n",
                "import acme as ac\n\n\ndef run(client: ac.Client, a, b):\n    return client.fetch(a, b)\n",
            ),
            (
                "from acme import Client as C\n\n\nclass App:\n    def __init__(self):\n        self.client = C()\n\n    def run(self):\n        return [self.client.pull(x) for x in 'ab']\n",
                "from acme import Client as C\n\n\nclass App:\n    def __init__(self):\n        self.client = C()\n\n    def run(self):\n        return [self.client.fetch(x) for x in 'ab']\n",
            ),
            (
                "from acme import Client\nfrom own import Puller\n\n\ndef run(a):\n    with Client() as client:\n        Puller().pull(a)\n        return client.pull(client.pull(a))\n",
                "from acme import Client\nfrom own import Puller\n\n\ndef run(a):\n    with Client() as client:\n        Puller().pull(a)\n        return client.fetch(client.fetch(a))\n",
            ),
            // The value is somebody else's.
            (
                "import acme\nfrom own import make\n\nclient = make()\n\n\ndef run(a):\n    return client.pull(a)\n",
                "import acme\nfrom own import make\n\nclient = make()\n\n\ndef run(a):\n    return client.pull(a)\n",
            ),
        ],
    },
    Family {
        name: "typescript method",
        path: "src/app.ts",
        kind: FailureKind::Compile,
        code: Some("TS2339"),
        message: "Property 'pull' does not exist on type 'Client'.",
        line: 4,
        fix: (
            "import { Client } from 'acme';\n\nconst client = new Client();\nexport const run = (a: string) => client.pull(a);\n",
            "import { Client } from 'acme';\n\nconst client = new Client();\nexport const run = (a: string) => client.fetch(a);\n",
        ),
        others: &[
            (
                "import * as acme from 'acme';\n\nexport class App {\n  constructor(private own: Own) {}\n  run(client: acme.Client, own: Own) {\n    own.pull('x');\n    return client.pull('pull');\n  }\n}\n",
                "import * as acme from 'acme';\n\nexport class App {\n  constructor(private own: Own) {}\n  run(client: acme.Client, own: Own) {\n    own.pull('x');\n    return client.fetch('pull');\n  }\n}\n",
            ),
            (
                "import { Client as C } from 'acme';\n\nexport class App {\n  private client = new C();\n  run() {\n    return this.client.pull('a');\n  }\n}\n",
                "import { Client as C } from 'acme';\n\nexport class App {\n  private client = new C();\n  run() {\n    return this.client.fetch('a');\n  }\n}\n",
            ),
        ],
    },
    Family {
        name: "java method",
        path: "src/main/java/App.java",
        kind: FailureKind::Compile,
        code: None,
        message: "cannot find symbol: method pull(String)",
        line: 6,
        fix: (
            "import com.acme.Client;\n\nclass App {\n    String run(String a) {\n        Client client = new Client();\n        return client.pull(a);\n    }\n}\n",
            "import com.acme.Client;\n\nclass App {\n    String run(String a) {\n        Client client = new Client();\n        return client.fetch(a);\n    }\n}\n",
        ),
        others: &[(
            "import com.acme.Client;\n\nclass App {\n    private final Client client;\n\n    App(Client client) {\n        this.client = client;\n    }\n\n    String run(String a, Own own) {\n        own.pull(a);\n        return client.pull(a) + \"pull(a)\";\n    }\n}\n",
            "import com.acme.Client;\n\nclass App {\n    private final Client client;\n\n    App(Client client) {\n        this.client = client;\n    }\n\n    String run(String a, Own own) {\n        own.pull(a);\n        return client.fetch(a) + \"pull(a)\";\n    }\n}\n",
        )],
    },
    Family {
        name: "rust method",
        path: "src/lib.rs",
        kind: FailureKind::Compile,
        code: Some("E0599"),
        message: "no method named `pull` found for struct `acme::Client` in the current scope",
        line: 5,
        fix: (
            "use acme::Client;\n\npub fn run(a: &str) -> String {\n    let client = Client::new();\n    client.pull(a)\n}\n",
            "use acme::Client;\n\npub fn run(a: &str) -> String {\n    let client = Client::new();\n    client.fetch(a)\n}\n",
        ),
        others: &[(
            "pub fn run(client: &acme::Client, own: &Own, a: &str) -> String {\n    own.pull(a);\n    client.pull(&client.pull(a))\n}\n",
            "pub fn run(client: &acme::Client, own: &Own, a: &str) -> String {\n    own.pull(a);\n    client.fetch(&client.fetch(a))\n}\n",
        )],
    },
    Family {
        name: "go method",
        path: "app.go",
        kind: FailureKind::Compile,
        code: None,
        message: "client.Pull undefined (type *acme.Client has no field or method Pull)",
        line: 7,
        fix: (
            "package app\n\nimport \"example.com/acme\"\n\nfunc Run(a string) string {\n\tclient := acme.New()\n\treturn client.Pull(a)\n}\n",
            "package app\n\nimport \"example.com/acme\"\n\nfunc Run(a string) string {\n\tclient := acme.New()\n\treturn client.Fetch(a)\n}\n",
        ),
        others: &[(
            "package app\n\nimport ac \"example.com/acme\"\n\nfunc Run(client *ac.Client, own Own, a string) string {\n\town.Pull(a)\n\treturn client.Pull(a) + \"Pull(a)\"\n}\n",
            "package app\n\nimport ac \"example.com/acme\"\n\nfunc Run(client *ac.Client, own Own, a string) string {\n\town.Pull(a)\n\treturn client.Fetch(a) + \"Pull(a)\"\n}\n",
        )],
    },
    Family {
        name: "typescript type",
        path: "src/app.ts",
        kind: FailureKind::Compile,
        code: Some("TS2305"),
        message: "Module '\"acme\"' has no exported member 'Client'.",
        line: 1,
        fix: (
            "import { Client } from 'acme';\n\nexport const make = (): Client => new Client();\n",
            "import { HttpClient } from 'acme';\n\nexport const make = (): HttpClient => new HttpClient();\n",
        ),
        others: &[
            (
                "import * as acme from 'acme';\n\nexport function use(c: acme.Client): acme.Client[] {\n  return [c, new acme.Client()];\n}\n",
                "import * as acme from 'acme';\n\nexport function use(c: acme.HttpClient): acme.HttpClient[] {\n  return [c, new acme.HttpClient()];\n}\n",
            ),
            (
                "import type { Client } from 'acme';\n\nexport interface Holder {\n  Client: Client;\n}\n",
                "import type { HttpClient } from 'acme';\n\nexport interface Holder {\n  Client: HttpClient;\n}\n",
            ),
            ("export { Client } from 'acme';\n", "export { HttpClient as Client } from 'acme';\n"),
        ],
    },
    Family {
        name: "rust type",
        path: "src/lib.rs",
        kind: FailureKind::Compile,
        code: Some("E0432"),
        message: "unresolved import `acme::Client`",
        line: 1,
        fix: (
            "use acme::Client;\n\npub fn make() -> Client {\n    Client::new()\n}\n",
            "use acme::HttpClient;\n\npub fn make() -> HttpClient {\n    HttpClient::new()\n}\n",
        ),
        others: &[
            (
                "pub use acme::Client;\n\npub fn make(c: &acme::Client) -> Vec<acme::Client> {\n    vec![c.clone()]\n}\n",
                "pub use acme::HttpClient as Client;\n\npub fn make(c: &acme::HttpClient) -> Vec<acme::HttpClient> {\n    vec![c.clone()]\n}\n",
            ),
            (
                "use acme::{self, Client, Other};\n\npub fn make(o: Other) -> Client {\n    acme::Client::of(o)\n}\n",
                "use acme::{self, HttpClient, Other};\n\npub fn make(o: Other) -> HttpClient {\n    acme::HttpClient::of(o)\n}\n",
            ),
        ],
    },
    Family {
        name: "java class moved",
        path: "src/main/java/App.java",
        kind: FailureKind::Compile,
        code: None,
        message: "package com.old does not exist: class Client",
        line: 1,
        fix: (
            "import com.old.Client;\n\nclass App {\n    Client make() {\n        return new Client();\n    }\n}\n",
            "import com.fresh.Client;\n\nclass App {\n    Client make() {\n        return new Client();\n    }\n}\n",
        ),
        others: &[
            (
                "import com.old.Client;\nimport com.old.Other;\n\nclass App {\n    Object make(Client c) {\n        return new Other(c);\n    }\n}\n",
                "import com.fresh.Client;\nimport com.old.Other;\n\nclass App {\n    Object make(Client c) {\n        return new Other(c);\n    }\n}\n",
            ),
            (
                "class App {\n    com.old.Client make() {\n        return new com.old.Client();\n    }\n}\n",
                "class App {\n    com.fresh.Client make() {\n        return new com.fresh.Client();\n    }\n}\n",
            ),
        ],
    },
    Family {
        name: "python module moved",
        path: "app.py",
        kind: FailureKind::Import,
        code: None,
        message: "ModuleNotFoundError: No module named 'acme.old'",
        line: 1,
        fix: (
            "from acme.old import load\n\n\ndef run(a):\n    return load(a)\n",
            "from acme.fresh import load\n\n\ndef run(a):\n    return load(a)\n",
        ),
        others: &[
            (
                "from acme.old import load as l, save\n\n\ndef run(a):\n    return save(l(a))\n",
                "from acme.fresh import load as l, save\n\n\ndef run(a):\n    return save(l(a))\n",
            ),
            (
                "import acme.old\n\n\ndef run(a):\n    return acme.old.load(a)\n",
                "import acme.fresh\n\n\ndef run(a):\n    return acme.fresh.load(a)\n",
            ),
            (
                "import acme.old as o\nimport acme.older\n\n\ndef run(a):\n    return o.load(acme.older.x)\n",
                "import acme.fresh as o\nimport acme.older\n\n\ndef run(a):\n    return o.load(acme.older.x)\n",
            ),
        ],
    },
    Family {
        name: "javascript module moved",
        path: "src/app.js",
        kind: FailureKind::Import,
        code: None,
        message: "Cannot find module 'acme/old'",
        line: 1,
        fix: (
            "import { load } from 'acme/old';\n\nexport const run = (a) => load(a);\n",
            "import { load } from 'acme/fresh';\n\nexport const run = (a) => load(a);\n",
        ),
        others: &[
            (
                "const old = require('acme/old');\nconst other = 'acme/old';\n\nmodule.exports = (a) => old.load(a, other);\n",
                "const old = require('acme/fresh');\nconst other = 'acme/old';\n\nmodule.exports = (a) => old.load(a, other);\n",
            ),
            (
                "import * as o from \"acme/old\";\n\nexport const run = (a) => o.load(a);\n",
                "import * as o from \"acme/fresh\";\n\nexport const run = (a) => o.load(a);\n",
            ),
        ],
    },
    Family {
        name: "go module moved",
        path: "app.go",
        kind: FailureKind::Import,
        code: None,
        message: "no required module provides package example.com/acme",
        line: 3,
        fix: (
            "package app\n\nimport \"example.com/acme\"\n\nfunc Run(a string) string { return acme.Load(a) }\n",
            "package app\n\nimport \"example.com/fresh/acme\"\n\nfunc Run(a string) string { return acme.Load(a) }\n",
        ),
        others: &[(
            "package app\n\nimport (\n\t\"fmt\"\n\tac \"example.com/acme\"\n)\n\nfunc Run(a string) string { return fmt.Sprint(ac.Load(a)) }\n",
            "package app\n\nimport (\n\t\"fmt\"\n\tac \"example.com/fresh/acme\"\n)\n\nfunc Run(a string) string { return fmt.Sprint(ac.Load(a)) }\n",
        )],
    },
    Family {
        name: "python another shape with an import",
        path: "app.py",
        kind: FailureKind::Test,
        code: None,
        message: "DeprecationWarning: datetime.datetime.utcnow() is deprecated and scheduled for removal",
        line: 5,
        fix: (
            "from datetime import datetime\n\n\ndef now():\n    return datetime.utcnow()\n",
            "from datetime import datetime, timezone\n\n\ndef now():\n    return datetime.now(timezone.utc)\n",
        ),
        others: &[
            (
                "import datetime\n\n\ndef now():\n    return str(datetime.datetime.utcnow())\n",
                "import datetime\n\n\ndef now():\n    return str(datetime.datetime.now(datetime.timezone.utc))\n",
            ),
            (
                "from datetime import datetime as dt\n\n\ndef now():\n    return dt.utcnow().isoformat()\n",
                "from datetime import datetime as dt, timezone\n\n\ndef now():\n    return dt.now(timezone.utc).isoformat()\n",
            ),
            (
                "import datetime as d\n\n\ndef now(utcnow):\n    return utcnow() or d.datetime.utcnow()\n",
                "import datetime as d\n\n\ndef now(utcnow):\n    return utcnow() or d.datetime.now(d.timezone.utc)\n",
            ),
        ],
    },
    Family {
        name: "rust lint",
        path: "src/lib.rs",
        kind: FailureKind::Lint,
        code: Some("clippy::len_zero"),
        message: "length comparison to zero",
        line: 2,
        fix: (
            "pub fn none(list: &[u8]) -> bool {\n    list.len() == 0\n}\n",
            "pub fn none(list: &[u8]) -> bool {\n    list.is_empty()\n}\n",
        ),
        others: &[(
            "pub fn none(a: &Own, b: &[u8]) -> bool {\n    b.get(1..).unwrap().len() == 0\n        && a.len() == 0\n}\n",
            "pub fn none(a: &Own, b: &[u8]) -> bool {\n    b.get(1..).unwrap().is_empty()\n        && a.len() == 0\n}\n",
        )],
    },
    Family {
        name: "python lint",
        path: "app.py",
        kind: FailureKind::Lint,
        code: Some("E711"),
        message: "Comparison to `None` should be `cond is None`",
        line: 2,
        fix: ("def none(a):\n    return a == None\n", "def none(a):\n    return a is None\n"),
        others: &[(
            "def none(column, values):\n    if values[0] == None:\n        return 1\n    return column == None\n",
            "def none(column, values):\n    if values[0] is None:\n        return 1\n    return column == None\n",
        )],
    },
    Family {
        name: "toml key",
        path: "pyproject.toml",
        kind: FailureKind::Unknown,
        code: None,
        message: "unknown key `retries` in [tool.acme], did you mean `attempts`?",
        line: 3,
        fix: (
            "# retries\n[tool.acme]\nretries = 3\nname = \"retries\"\n",
            "# retries\n[tool.acme]\nattempts = 3\nname = \"retries\"\n",
        ),
        others: &[
            (
                "[tool]\nacme = { size = 1, retries = 9 }\n\n[tool.other]\nretries = 2\n",
                "[tool]\nacme = { size = 1, attempts = 9 }\n\n[tool.other]\nretries = 2\n",
            ),
            ("[tool.other]\nretries = 2\n", "[tool.other]\nretries = 2\n"),
        ],
    },
    Family {
        name: "json key removed",
        path: "acme.json",
        kind: FailureKind::Unknown,
        code: None,
        message: "acme.json: unexpected property \"legacy\"",
        line: 3,
        fix: ("{\n  \"name\": \"a\",\n  \"legacy\": true\n}\n", "{\n  \"name\": \"a\"\n}\n"),
        others: &[(
            "{\n  \"legacy\": {\n    \"a\": 1\n  },\n  \"list\": [\"legacy\"]\n}\n",
            "{\n  \"list\": [\"legacy\"]\n}\n",
        )],
    },
];

/// Fixes that belong to their repository: nothing may be learned of them.
const OWN: &[Family] = &[
    Family {
        name: "another value of an argument",
        path: "app.py",
        kind: FailureKind::Test,
        code: None,
        message: "AssertionError: 5 != 10",
        line: 5,
        fix: (
            "from acme import connect\n\n\ndef run():\n    return connect(timeout=5)\n",
            "from acme import connect\n\n\ndef run():\n    return connect(timeout=10)\n",
        ),
        others: &[],
    },
    Family {
        name: "another function of the same module",
        path: "app.py",
        kind: FailureKind::Test,
        code: None,
        message: "AssertionError: 2 != 3",
        line: 5,
        fix: (
            "import math\n\n\ndef pages(count):\n    return math.floor(count / 10)\n",
            "import math\n\n\ndef pages(count):\n    return math.ceil(count / 10)\n",
        ),
        others: &[],
    },
    Family {
        name: "a guard against a value",
        path: "app.py",
        kind: FailureKind::Crash,
        code: None,
        message: "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        line: 5,
        fix: (
            "import json\n\n\ndef read(text):\n    return json.loads(text)\n",
            "import json\n\n\ndef read(text):\n    return json.loads(text or '{}')\n",
        ),
        others: &[],
    },
    Family {
        name: "an operator",
        path: "src/app.js",
        kind: FailureKind::Test,
        code: None,
        message: "Expected 3, received 1",
        line: 3,
        fix: (
            "import { base } from 'acme';\n\nexport const sum = (a) => base(a) - a;\n",
            "import { base } from 'acme';\n\nexport const sum = (a) => base(a) + a;\n",
        ),
        others: &[],
    },
    Family {
        name: "a function of the repository's own",
        path: "app.py",
        kind: FailureKind::Test,
        code: None,
        message: "NameError: name 'totl' is not defined",
        line: 6,
        fix: (
            "def total(a):\n    return sum(a)\n\n\ndef run(a):\n    return totl(a)\n",
            "def total(a):\n    return sum(a)\n\n\ndef run(a):\n    return total(a)\n",
        ),
        others: &[],
    },
];

fn report(family: &Family) -> FailureReport {
    let tool = family.path.rsplit('.').next().unwrap_or_default();
    FailureReport {
        failures: vec![Failure {
            kind: family.kind,
            toolchain: tool.to_owned(),
            code: family.code.map(str::to_owned),
            message: family.message.to_owned(),
            locations: vec![Location {
                path: family.path.to_owned(),
                line: Some(family.line),
                column: None,
            }],
            ..Failure::default()
        }],
        ..FailureReport::default()
    }
}

fn learn(family: &Family) -> Result<Recipe, String> {
    rig::learn(&report(family), family.path, family.fix.0, family.fix.1)
}

fn apply(recipe: &Recipe, family: &Family, text: &str) -> String {
    let reach =
        if family.kind == FailureKind::Lint { RecipeReach::Lines } else { RecipeReach::Repository };
    rig::repair(recipe, &report(family), reach, family.path, text)
}

#[test]
fn one_fix_of_each_family_heals_the_other_files_and_nothing_else() {
    let mut faults = Vec::new();
    for family in FAMILIES {
        let recipe = match learn(family) {
            Ok(recipe) => recipe,
            Err(reason) => {
                faults.push(format!("{}: not learned: {reason}", family.name));
                continue;
            }
        };
        for (before, after) in family.others {
            let made = apply(&recipe, family, before);
            if made != *after {
                let yaml = recipe.to_yaml();
                faults
                    .push(format!("{}:\n{yaml}--- made\n{made}\n--- wanted\n{after}", family.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n=====\n"));
}

#[test]
fn a_fix_that_belongs_to_its_repository_teaches_nothing() {
    for family in OWN {
        let learned = learn(family).map(|recipe| recipe.to_yaml());
        assert!(learned.is_err(), "{}: {learned:?}", family.name);
    }
}
