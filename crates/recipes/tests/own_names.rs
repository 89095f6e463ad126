//! A name that a file declares itself is not the one that it imports, wherever and however it declares it.

#![expect(
    clippy::unwrap_used,
    reason = "these are tests, in functions that clippy does not know as such"
)]

use papayu_base::domain::FailureReport;
use papayu_recipes::{NoReexports, Recipe, RecipeFiles, RecipeTarget};

struct Nothing;

impl RecipeFiles for Nothing {
    fn paths(&self) -> Vec<String> {
        Vec::new()
    }

    fn read(&self, _: &str) -> Option<String> {
        None
    }
}

fn apply(yaml: &str, path: &str, text: &str) -> String {
    let recipe = Recipe::parse("recipe.yml", yaml).unwrap();
    let target = RecipeTarget {
        files: &Nothing,
        reexports: &NoReexports,
        report: &FailureReport::default(),
        allows_untyped: true,
        allows_tests: true,
    };
    recipe.apply_to_file(target, path, text, None).unwrap_or_else(|| text.to_owned())
}

/// Files of a language: a call with `1` is one of the file's own name, a call with `2` one of the import.
struct Language {
    path: &'static str,
    import: &'static str,
    rule: &'static str,
    /// The call of the import before and after the rule, and after the move.
    calls: [&'static str; 3],
    move_rule: &'static str,
    snippets: &'static [&'static str],
}

const PYTHON: Language = Language {
    path: "a.py",
    import: "from acme import fetch\n\n",
    rule: "language: python\nrule:\n  pattern: fetch($A)\nfix: fetch($A, 1)\nimports:\n  fetch: fetch from acme\n",
    calls: ["fetch(2)", "fetch(2, 1)", "get(2)"],
    move_rule: "language: python\nmove: fetch from acme\nto: get from acme\n",
    snippets: &[
        "a = lambda fetch: fetch(1)\nfetch(2)\n",
        "a = lambda x, *fetch, k=fetch(1): fetch(1)\n",
        "b = [fetch(1) for fetch in calls]\nfetch(2)\n",
        "b = [fetch(1) for a in b for fetch in a if fetch(1)]\nfetch(2)\n",
        "c = {k: fetch(1) for k, fetch in calls}\nfetch(2)\n",
        "d = {fetch(1) for (a, *fetch) in calls}\nfetch(2)\n",
        "e = (fetch(1) for fetch in calls)\nfetch(2)\n",
        "def f():\n    e = [y for x in z if (fetch := x)]\n    fetch(1)\n\nfetch(2)\n",
        "def f():\n    with open('x') as fetch:\n        fetch(1)\n\nfetch(2)\n",
        "def f():\n    with open('x') as (a, fetch):\n        fetch(1)\n\nfetch(2)\n",
        "def f():\n    async with g() as fetch, h():\n        fetch(1)\n\nfetch(2)\n",
        "def f():\n    for a, [b, fetch] in calls:\n        fetch(1)\n\nfetch(2)\n",
        "def f():\n    try:\n        g()\n    except Error as fetch:\n        fetch(1)\n\nfetch(2)\n",
        "def f():\n    try:\n        g()\n    except* Error as fetch:\n        fetch(1)\n\nfetch(2)\n",
        "def f():\n    import other as fetch\n    fetch(1)\n\nfetch(2)\n",
        "def f():\n    from other import fetch\n    fetch(1)\n\nfetch(2)\n",
        "def f():\n    from other import b as fetch, c\n    fetch(1)\n\nfetch(2)\n",
        "def f():\n    import fetch.sub\n    fetch(1)\n\nfetch(2)\n",
        "def f(value):\n    match value:\n        case [fetch]:\n            fetch(1)\n\nfetch(2)\n",
        "def f(value):\n    match value:\n        case fetch:\n            fetch(1)\n\nfetch(2)\n",
        "def f(value):\n    match value:\n        case Point(x=fetch):\n            fetch(1)\n\nfetch(2)\n",
        "def f(value):\n    match value:\n        case Point(0, fetch):\n            fetch(1)\n\nfetch(2)\n",
        "def f(value):\n    match value:\n        case {'a': fetch, **rest}:\n            fetch(1)\n\nfetch(2)\n",
        "def f(value):\n    match value:\n        case {'a': 1, **fetch}:\n            fetch(1)\n\nfetch(2)\n",
        "def f(value):\n    match value:\n        case [1, *fetch]:\n            fetch(1)\n\nfetch(2)\n",
        "def f(value):\n    match value:\n        case (1 | 2) as fetch:\n            fetch(1)\n\nfetch(2)\n",
        "def f(*fetch, **k):\n    fetch(1)\n\nfetch(2)\n",
        "def f(**fetch):\n    fetch(1)\n\nfetch(2)\n",
        "def f(fetch: int = 1):\n    fetch(1)\n\nfetch(2)\n",
        "def f(fetch: int):\n    return [fetch(1) for x in y]\n\nfetch(2)\n",
        "def f(*, fetch=None):\n    fetch(1)\n\nfetch(2)\n",
        "def f(*fetch: int):\n    fetch(1)\n\nfetch(2)\n",
        "async def f(fetch):\n    fetch(1)\n\nfetch(2)\n",
        "def f():\n    if fetch := g():\n        fetch(1)\n\nfetch(2)\n",
        "def f():\n    def fetch(x):\n        return x\n    return fetch(1)\n\nfetch(2)\n",
        "def f():\n    class fetch:\n        pass\n    return fetch(1)\n\nfetch(2)\n",
        "def f():\n    a, (b, *fetch) = g()\n    return fetch(1)\n\nfetch(2)\n",
        "def f():\n    [a, fetch] = g()\n    return fetch(1)\n\nfetch(2)\n",
        "def f():\n    fetch: int = g()\n    return fetch(1)\n\nfetch(2)\n",
        "def f():\n    a = fetch = g()\n    return fetch(1)\n\nfetch(2)\n",
        "def f():\n    fetch += 1\n    return fetch(1)\n\nfetch(2)\n",
        "def f():\n    fetch(1)\n    del fetch\n\nfetch(2)\n",
        "def f():\n    fetch = g()\n    def h():\n        return fetch(1)\n    return h\n\nfetch(2)\n",
        "def f():\n    global fetch\n    fetch = g()\n\nfetch(1)\n",
        "class A:\n    def fetch(self):\n        return fetch(2)\n    x = fetch(1)\n",
        "class A:\n    fetch = 3\n    x = [fetch(1)]\n    def f(self):\n        return self.fetch(1), fetch(2)\n",
        "class A:\n    def fetch(self, x):\n        pass\n    @fetch(1)\n    def f(self, y=fetch(1)):\n        return fetch(2)\n",
        "for fetch in calls:\n    fetch(1)\n",
        "with open('x') as fetch:\n    fetch(1)\n",
        "try:\n    pass\nexcept ImportError:\n    fetch = None\n\nfetch(1)\n",
        "def fetch(x):\n    return x\n\nfetch(1)\n",
        "from other import fetch\n\nfetch(1)\n",
        "import other as fetch\n\nfetch(1)\n",
        "type fetch = int\nfetch(1)\n",
        "def f[fetch](x):\n    return fetch(1)\n\nfetch(2)\n",
        "print(a.fetch(1), fetch(2), g(fetch=fetch(2)), {'fetch': fetch(2)})\n",
        "def f(value):\n    match value:\n        case a.fetch:\n            return fetch(2)\n        case Point(fetch=3):\n            return fetch(2)\n",
        "def f(a):\n    a.fetch = 1\n    a['x'] = fetch(2)\n    for a.fetch in b:\n        fetch(2)\n    with a as b.fetch:\n        fetch(2)\n",
    ],
};

const JAVASCRIPT: Language = Language {
    path: "a.js",
    import: "import { fetch } from 'acme';\n\n",
    rule: "language: javascript\nrule:\n  pattern: fetch($A)\nfix: fetch($A, 1)\nimports:\n  fetch: fetch from acme\n",
    calls: ["fetch(2)", "fetch(2, 1)", "get(2)"],
    move_rule: "language: javascript\nmove: fetch from acme\nto: get from acme\n",
    snippets: &[
        "const g = fetch => fetch(1);\nfetch(2);\n",
        "const g = ({ a: fetch }) => fetch(1);\nfetch(2);\n",
        "const g = ({ a: { b: [fetch] } }) => fetch(1);\nfetch(2);\n",
        "const g = ({ a: fetch = 2 }) => fetch(1);\nfetch(2);\n",
        "const g = ({ fetch = 2 }) => fetch(1);\nfetch(2);\n",
        "const g = ({ fetch }) => fetch(1);\nfetch(2);\n",
        "const g = ([fetch]) => fetch(1);\nfetch(2);\n",
        "const g = (fetch = 1) => fetch(1);\nfetch(2);\n",
        "const g = (...fetch) => fetch(1);\nfetch(2);\n",
        "const g = ({ ...fetch }) => fetch(1);\nfetch(2);\n",
        "const g = ([a, ...fetch]) => fetch(1);\nfetch(2);\n",
        "const g = async (fetch) => { await fetch(1); };\nfetch(2);\n",
        "for (let fetch = 0; fetch < 1; fetch++) fetch(1);\nfetch(2);\n",
        "for (const [fetch] of calls) fetch(1);\nfetch(2);\n",
        "for (const { a: fetch } of calls) { fetch(1); }\nfetch(2);\n",
        "for (const fetch in calls) fetch(1);\nfetch(2);\n",
        "for (var fetch of calls) fetch(1);\nfetch(1);\n",
        "async function f() { for await (const fetch of calls) fetch(1); }\nfetch(2);\n",
        "try { g(); } catch (fetch) { fetch(1); }\nfetch(2);\n",
        "try { g(); } catch ({ fetch }) { fetch(1); }\nfetch(2);\n",
        "try { g(); } catch ({ message: fetch }) { fetch(1); }\nfetch(2);\n",
        "{ const fetch = h; fetch(1); }\nfetch(2);\n",
        "{ let a, fetch; fetch(1); }\nfetch(2);\n",
        "function f() { if (a) { var fetch = h; } fetch(1); }\nfetch(2);\n",
        "function f() { if (a) { function fetch() {} } fetch(1); }\nfetch(2);\n",
        "function f() { const { fetch } = h; return fetch(1); }\nfetch(2);\n",
        "function f() { const { a: fetch } = h; return fetch(1); }\nfetch(2);\n",
        "function f() { const { a: { fetch } } = h; return fetch(1); }\nfetch(2);\n",
        "function f() { const [, fetch] = h; return fetch(1); }\nfetch(2);\n",
        "function f() { const fetch = require('other'); return fetch(1); }\nfetch(2);\n",
        "function f() { const { fetch } = require('other'); return fetch(1); }\nfetch(2);\n",
        "function f() { const { b: fetch } = require('other'); return fetch(1); }\nfetch(2);\n",
        "function f() { const fetch = require('other').b; return fetch(1); }\nfetch(2);\n",
        "async function f() { const fetch = await import('other'); return fetch(1); }\nfetch(2);\n",
        "async function f() { const { fetch } = await import('other'); return fetch(1); }\nfetch(2);\n",
        "function f() { class fetch {} return new g(fetch(1)); }\nfetch(2);\n",
        "function f() { return h(() => fetch(1)); var fetch; }\nfetch(2);\n",
        "switch (a) { case 1: let fetch = h; fetch(1); }\nfetch(2);\n",
        "const f = function fetch(n) { return fetch(1); };\n",
        "const f = class fetch { m() { return fetch(1); } };\n",
        "const o = { m(fetch) { return fetch(1); }, fetch() { return fetch(2); }, get fetch() { return fetch(2); }, set b(fetch) { fetch(1); } };\n",
        "class A { m({ fetch }) { return fetch(1); } fetch() { return this.fetch(1) + fetch(2); } }\n",
        "class A { static { const fetch = h; fetch(1); } x = fetch(2); }\n",
        "class A { #fetch; m() { return this.#fetch(1) + fetch(2); } }\n",
        "function* f(fetch) { yield fetch(1); }\nfetch(2);\n",
        "const a = { fetch: 1, b: fetch(2) };\na?.fetch(1);\na.fetch(1);\nfetch(2);\n",
        "fetch: for (;;) { fetch(2); break fetch; }\n",
        "function fetch() {}\nfetch(1);\n",
    ],
};

const TYPESCRIPT: Language = Language {
    path: "a.ts",
    snippets: &[
        "class A { constructor(private fetch: F) { fetch(1); } }\nfetch(2);\n",
        "const f = (fetch?: F) => fetch(1);\nfetch(2);\n",
        "const f = (this: A, fetch: F = g): void => { fetch(1); };\nfetch(2);\n",
        "const f = ({ fetch }: { fetch: F }) => fetch(1);\nfetch(2);\n",
        "const f = (...fetch: F[]) => fetch(1);\nfetch(2);\n",
        "type T = (fetch: F) => void;\nfetch(2);\n",
        "interface T { fetch(a: F): void; m(fetch: F): void; fetch: F }\nfetch(2);\n",
        "declare function g(fetch: F): void;\nfetch(2);\n",
        "abstract class A { abstract m(fetch: F): void; n() { return fetch(2); } }\n",
        "namespace N { const fetch = h; fetch(1); }\nfetch(2);\n",
        "namespace N { export function fetch(a: F) {} fetch(1); }\nfetch(2);\n",
        "function f(a: F): asserts a is G { const fetch = a as F; return fetch(1); }\nfetch(2);\n",
        "function f<fetch>(a: fetch) { return fetch(1); }\nfetch(2);\n",
        "enum fetch { A }\nfetch(1);\n",
        "import fetch = N.fetch;\nfetch(1);\n",
        "const f = async <T,>(fetch: T) => fetch(1);\nfetch(2);\n",
        "for (const fetch of a as F[]) fetch(1);\nfetch(2);\n",
        "const a = fetch(2) as F, b = fetch(2)!, c = <F>fetch(2);\n",
    ],
    ..JAVASCRIPT
};

const RUST: Language = Language {
    path: "src/a.rs",
    import: "use acme::fetch;\n\n",
    rule: "language: rust\nrule:\n  pattern: fetch($A)\nfix: fetch($A, 1)\nimports:\n  fetch: fetch from acme\n",
    calls: ["fetch(2)", "fetch(2, 1)", "get(2)"],
    move_rule: "language: rust\nmove: fetch from acme\nto: get from acme\n",
    snippets: &[
        "fn f() { let g = |fetch: fn(u8) -> u8| fetch(1); fetch(2); }\n",
        "fn f() { let g = |fetch| fetch(1); fetch(2); }\n",
        "fn f() { let g = |(a, fetch)| fetch(1); fetch(2); }\n",
        "fn f() { let g = |&fetch| fetch(1); fetch(2); }\n",
        "fn f() { let g = move |mut fetch| fetch(1); fetch(2); }\n",
        "fn f() { for fetch in calls { fetch(1); } fetch(2); }\n",
        "fn f() { for (i, fetch) in calls { fetch(1); } fetch(2); }\n",
        "fn f() { for &fetch in calls { fetch(1); } fetch(2); }\n",
        "fn f() { if let Some(fetch) = call { fetch(1); } fetch(2); }\n",
        "fn f() { if a && let Some(fetch) = call { fetch(1); } fetch(2); }\n",
        "fn f() { while let Some(fetch) = call { fetch(1); } fetch(2); }\n",
        "fn f() { let Some(fetch) = call else { return }; fetch(1); }\nfn g() { fetch(2); }\n",
        "fn f() { match call { Some(fetch) => fetch(1), _ => fetch(2), } }\n",
        "fn f() { match call { fetch => fetch(1), } fetch(2); }\n",
        "fn f() { match call { Some(fetch) if fetch(1) => 3, _ => fetch(2), } }\n",
        "fn f() { match call { fetch @ 1..=3 => fetch(1), _ => fetch(2), } }\n",
        "fn f() { match call { A { x: fetch, .. } => fetch(1), _ => fetch(2), } }\n",
        "fn f() { match call { A { fetch, .. } => fetch(1), _ => fetch(2), } }\n",
        "fn f() { match call { [fetch, ..] => fetch(1), _ => fetch(2), } }\n",
        "fn f() { match call { A(fetch) | B(fetch) => fetch(1), _ => fetch(2), } }\n",
        "fn f() { match call { Some(ref fetch) => fetch(1), _ => fetch(2), } }\n",
        "fn f() { match call { Some(&mut ref mut fetch) => fetch(1), _ => fetch(2), } }\n",
        "fn f() { let Call { fetch, .. } = call; fetch(1); }\nfn g() { fetch(2); }\n",
        "fn f() { let Call { ref fetch, .. } = call; fetch(1); }\nfn g() { fetch(2); }\n",
        "fn f() { let (a, mut fetch) = call; fetch(1); }\nfn g() { fetch(2); }\n",
        "fn f() { let fetch; fetch = 3; fetch(1); }\nfn g() { fetch(2); }\n",
        "fn f() { let fetch = call; { fetch(1); } }\nfn g() { fetch(2); }\n",
        "fn f() { { let fetch = call; fetch(1); } fetch(2); }\n",
        "fn f(fetch: fn(u8)) { fetch(1); }\nfn g() { fetch(2); }\n",
        "fn f((a, fetch): (u8, F)) { fetch(1); }\nfn g() { fetch(2); }\n",
        "fn f(Call { fetch, .. }: Call) { fetch(1); }\nfn g() { fetch(2); }\n",
        "fn f<const fetch: usize>() { fetch(1); }\nfn g() { fetch(2); }\n",
        "fn f() { fn fetch(a: u8) {} fetch(1); }\nfn g() { fetch(2); }\n",
        "fn f() { use other::fetch; fetch(1); }\nfn g() { fetch(2); }\n",
        "fn f() { use other::{b as fetch, c}; fetch(1); }\nfn g() { fetch(2); }\n",
        "fn f() { const fetch: F = call; fetch(1); }\nfn g() { fetch(2); }\n",
        "fn f() { static fetch: F = call; fetch(1); }\nfn g() { fetch(2); }\n",
        "mod inner { fn fetch(a: u8) {} fn f() { fetch(1); } }\nfn g() { fetch(2); }\n",
        "mod inner { use other::fetch; fn f() { fetch(1); } }\nfn g() { fetch(2); }\n",
        "mod inner { use other::*; fn f() { fetch(1); } }\nfn g() { fetch(2); }\n",
        "mod inner { use super::*; use other::fetch; fn f() { fetch(1); } }\nfn g() { fetch(2); }\n",
        "fn g() { fetch(2); }\nmod inner { use super::*; fn f() { fetch(2); } }\n",
        "struct A;\nimpl A { fn fetch(&self) { fetch(2); self.fetch(1); Self::fetch(1); A::fetch(1); } }\n",
        "trait A { fn fetch(&self, a: u8); fn g(&self) { fetch(2); } }\n",
        "fn f(a: A) { a.fetch(1); other::fetch(1); fetch(2); A { fetch: 3 }; }\n",
        "fn fetch(a: u8) {}\nfn g() { fetch(1); }\n",
    ],
};

const GO: Language = Language {
    path: "a.go",
    import: "package a\n\nimport \"example.com/acme\"\n\nvar y = acme.Old()\n\n",
    rule: "language: go\nrule:\n  pattern: {context: 'var _ = acme.Fetch($A)', selector: call_expression}\nfix: acme.Get($A)\nimports:\n  acme.Fetch: Fetch from example.com/acme\nbecomes:\n  acme.Get: Get from example.com/acme\n",
    calls: ["acme.Fetch(2)", "acme.Get(2)", "acme.Get(2)"],
    move_rule: "language: go\nmove: Fetch from example.com/acme\nto: Get from example.com/acme\n",
    snippets: &[
        "func f() {\n\tfor acme := first(); acme.Ok(); acme = next() {\n\t\tacme.Fetch(1)\n\t}\n\tacme.Fetch(2)\n}\n",
        "func f() {\n\tfor _, acme := range all {\n\t\tacme.Fetch(1)\n\t}\n\tacme.Fetch(2)\n}\n",
        "func f() {\n\tfor acme := range all {\n\t\tacme.Fetch(1)\n\t}\n\tacme.Fetch(2)\n}\n",
        "func f() {\n\tif acme := first(); acme.Ok() {\n\t\tacme.Fetch(1)\n\t} else {\n\t\tacme.Fetch(1)\n\t}\n\tacme.Fetch(2)\n}\n",
        "func f() {\n\tif a, acme := first(); a {\n\t\tacme.Fetch(1)\n\t}\n\tacme.Fetch(2)\n}\n",
        "func f() {\n\tswitch acme := any(x).(type) {\n\tcase T:\n\t\tacme.Fetch(1)\n\t}\n\tacme.Fetch(2)\n}\n",
        "func f() {\n\tswitch acme := g(); acme.Kind() {\n\tcase 3:\n\t\tacme.Fetch(1)\n\t}\n\tacme.Fetch(2)\n}\n",
        "func f() {\n\tswitch x {\n\tcase 3:\n\t\tacme := g()\n\t\tacme.Fetch(1)\n\tdefault:\n\t\tacme.Fetch(2)\n\t}\n}\n",
        "func f() {\n\tselect {\n\tcase acme := <-c:\n\t\tacme.Fetch(1)\n\t}\n\tacme.Fetch(2)\n}\n",
        "func f() {\n\tselect {\n\tcase acme, ok := <-c:\n\t\tacme.Fetch(1)\n\t}\n\tacme.Fetch(2)\n}\n",
        "func (acme T) f() (err error) {\n\treturn acme.Fetch(1)\n}\n\nvar z = acme.Fetch(2)\n",
        "func (acme *T) f() {\n\tg(func() { acme.Fetch(1) })\n}\n\nvar z = acme.Fetch(2)\n",
        "func f() (acme T) {\n\tacme.Fetch(1)\n\treturn\n}\n\nvar z = acme.Fetch(2)\n",
        "func f(a, acme T) {\n\tacme.Fetch(1)\n}\n\nvar z = acme.Fetch(2)\n",
        "func f(acme ...T) {\n\tacme.Fetch(1)\n}\n\nvar z = acme.Fetch(2)\n",
        "func f[acme any](x acme) {\n\tacme.Fetch(1)\n}\n\nvar z = acme.Fetch(2)\n",
        "func f() {\n\tvar acme, b T\n\tacme.Fetch(1)\n}\n\nvar z = acme.Fetch(2)\n",
        "func f() {\n\tvar (\n\t\tacme = g()\n\t)\n\tacme.Fetch(1)\n}\n\nvar z = acme.Fetch(2)\n",
        "func f() {\n\tconst acme = 3\n\tacme.Fetch(1)\n}\n\nvar z = acme.Fetch(2)\n",
        "func f() {\n\ttype acme struct{}\n\tacme.Fetch(1)\n}\n\nvar z = acme.Fetch(2)\n",
        "func f() {\n\ta, acme := g()\n\tacme.Fetch(1)\n}\n\nvar z = acme.Fetch(2)\n",
        "func f() {\n\tg := func(acme T) { acme.Fetch(1) }\n\tacme.Fetch(2)\n}\n",
        "func f() {\n\tx.acme.Fetch(1)\n\tg(T{acme: 3})\n\tacme.Fetch(2)\nacme:\n\tfor {\n\t\tbreak acme\n\t}\n}\n",
        "type I interface {\n\tm(acme T)\n}\n\nvar z = acme.Fetch(2)\n",
    ],
};

const JAVA: Language = Language {
    path: "src/A.java",
    import: "import org.acme.Tools;\n\n",
    rule: "language: java\nrule:\n  pattern: Tools.fetch($A)\nfix: Tools.get($A)\nimports:\n  Tools: Tools from org.acme\n",
    calls: ["Tools.fetch(2)", "Tools.get(2)", "Tools.get(2)"],
    move_rule: "language: java\nmove: Tools.fetch from org.acme\nto: Tools.get from org.acme\n",
    snippets: &[
        "class A { void f() { for (T Tools : all) { Tools.fetch(1); } Tools.fetch(2); } }\n",
        "class A { void f() { for (T Tools = a; ; ) { Tools.fetch(1); } } void g() { Tools.fetch(2); } }\n",
        "class A { void f() { all.forEach(Tools -> Tools.fetch(1)); Tools.fetch(2); } }\n",
        "class A { void f() { all.forEach((Tools) -> Tools.fetch(1)); Tools.fetch(2); } }\n",
        "class A { void f() { all.forEach((a, Tools) -> { Tools.fetch(1); }); Tools.fetch(2); } }\n",
        "class A { void f() { all.forEach((T Tools) -> Tools.fetch(1)); Tools.fetch(2); } }\n",
        "class A { void f() { all.forEach((final var Tools) -> Tools.fetch(1)); Tools.fetch(2); } }\n",
        "class A { void f() { try (T Tools = g()) { Tools.fetch(1); } Tools.fetch(2); } }\n",
        "class A { void f() { try (T a = g(); var Tools = g()) { Tools.fetch(1); } Tools.fetch(2); } }\n",
        "class A { void f() { if (x instanceof T Tools) { Tools.fetch(1); } } void g() { Tools.fetch(2); } }\n",
        "class A { void f() { if (!(x instanceof T Tools)) { return; } Tools.fetch(1); } void g() { Tools.fetch(2); } }\n",
        "class A { void f() { if (x instanceof P(T Tools, int y)) { Tools.fetch(1); } } void g() { Tools.fetch(2); } }\n",
        "class A { void f() { try { g(); } catch (T Tools) { Tools.fetch(1); } Tools.fetch(2); } }\n",
        "class A { void f() { try { g(); } catch (T | S Tools) { Tools.fetch(1); } Tools.fetch(2); } }\n",
        "record A(T Tools) { void f() { Tools.fetch(1); } }\nclass B { Object x = Tools.fetch(2); }\n",
        "class A { T Tools; void f() { Tools.fetch(1); } }\nclass B { Object x = Tools.fetch(2); }\n",
        "class A { T a, Tools = g(); void f() { Tools.fetch(1); } }\nclass B { Object x = Tools.fetch(2); }\n",
        "class A { void f(T... Tools) { Tools.fetch(1); } void g() { Tools.fetch(2); } }\n",
        "class A { void f(final T Tools) { Tools.fetch(1); } void g() { Tools.fetch(2); } }\n",
        "class A { A(T Tools) { Tools.fetch(1); } void g() { Tools.fetch(2); } }\n",
        "class A { void f() { switch (x) { case T Tools -> Tools.fetch(1); default -> {} } } void g() { Tools.fetch(2); } }\n",
        "class A { void f() { switch (x) { case P(T Tools) -> Tools.fetch(1); } } void g() { Tools.fetch(2); } }\n",
        "class A { void f() { switch (x) { case T Tools: Tools.fetch(1); } } void g() { Tools.fetch(2); } }\n",
        "class A { void f() { T Tools = g(); Tools.fetch(1); } void g() { Tools.fetch(2); } }\n",
        "class A { void f() { { var Tools = g(); Tools.fetch(1); } Tools.fetch(2); } }\n",
        "class A { void f() { class Tools {} Tools.fetch(1); } void g() { Tools.fetch(2); } }\n",
        "class A { static class Tools {} Object x = Tools.fetch(1); }\nclass B { Object x = Tools.fetch(2); }\n",
        "class A { enum Tools { X } Object x = Tools.fetch(1); }\nclass B { Object x = Tools.fetch(2); }\n",
        "class A<Tools> { Object x = Tools.fetch(1); }\nclass B { Object x = Tools.fetch(2); }\n",
        "class A { <Tools> void f() { Tools.fetch(1); } void g() { Tools.fetch(2); } }\n",
        "enum A { Tools; Object x = Tools.fetch(1); }\nclass B { Object x = Tools.fetch(2); }\n",
        "class A { void f() { new B() { T Tools; void g() { Tools.fetch(1); } }; Tools.fetch(2); } }\n",
        "class A { Object x = this.Tools.fetch(1), y = b.Tools.fetch(1), z = Tools.fetch(2); }\n",
        "class Tools { Object x = Tools.fetch(1); }\n",
    ],
};

/// Returns the snippets of a language that a recipe changes in another way than wanted.
fn find_faults(language: &Language, yaml: &str, after: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for snippet in language.snippets {
        let made = apply(yaml, language.path, &format!("{}{snippet}", language.import));
        // The import has its own test.
        let wanted = snippet.replace(language.calls[0], after);
        if !made.ends_with(&wanted) {
            faults.push(format!("{}\n--- made\n{made}\n--- wanted\n{wanted}", language.path));
        }
    }
    faults
}

#[test]
fn a_rule_leaves_names_of_the_file_as_they_are() {
    let all = [PYTHON, JAVASCRIPT, TYPESCRIPT, RUST, GO, JAVA];
    let faults = all.iter().flat_map(|it| find_faults(it, it.rule, it.calls[1]));
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{}", faults.join("\n=====\n"));
}

#[test]
fn a_move_leaves_names_of_the_file_as_they_are() {
    let all = [PYTHON, JAVASCRIPT, TYPESCRIPT, RUST, GO, JAVA];
    let faults = all.iter().flat_map(|it| find_faults(it, it.move_rule, it.calls[2]));
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{}", faults.join("\n=====\n"));
}
