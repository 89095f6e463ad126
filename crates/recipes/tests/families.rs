//! Learns one recipe for each family of breaks from one fix, and applies it to files that use the same API in other ways.
//!
//! The files are generated: each language has its forms of imports, each family its old and new call. A file also has the
//! call in a string, in a comment and with a shadowed name, none of which may change.

mod rig;

use papayu_base::domain::{Failure, FailureKind, FailureReport, Location};
use papayu_recipes::{Recipe, RecipeReach};

/// A way in which files import and call a function; `{M}` is the module, `{F}` the function.
struct Form {
    name: &'static str,
    import: &'static str,
    /// The import of a function that comes in addition, or with another name.
    callee: &'static str,
    root: &'static str,
    /// The imports after the function moved, `{P}` is the module before; `None` if they are the same with another module.
    moved: Option<&'static str>,
}

struct Style {
    language: &'static str,
    path: &'static str,
    tool: &'static str,
    forms: &'static [Form],
    /// `{I}` imports, `{C}` the call, `{O}` the old call as written in prose, `{R}` the first name of the callee.
    file: &'static str,
}

const fn form(
    name: &'static str,
    import: &'static str,
    callee: &'static str,
    root: &'static str,
) -> Form {
    Form { name, import, callee, root, moved: None }
}

/// Returns a form that imports something else, too.
const fn shared(name: &'static str, import: &'static str, moved: &'static str) -> Form {
    Form { name, import, callee: "{F}", root: "{F}", moved: Some(moved) }
}

const STYLES: &[Style] = &[
    Style {
        language: "python",
        path: "app/report.py",
        tool: "python",
        forms: &[
            form("direct", "from {M} import {F}\n", "{F}", "{F}"),
            form("alias", "from {M} import {F} as get\n", "get", "get"),
            form("module", "import {M}\n", "{M}.{F}", "{m}"),
            form("module alias", "import {M} as ac\n", "ac.{F}", "ac"),
            shared(
                "with others",
                "from {M} import Client, {F}\n\nclient = Client()\n",
                "from {P} import Client\nfrom {M} import {F}\n\nclient = Client()\n",
            ),
            shared(
                "in a list",
                "from {M} import (\n    Client,\n    {F},\n)\n\nclient = Client()\n",
                "from {P} import (\n    Client,\n)\nfrom {M} import {F}\n\nclient = Client()\n",
            ),
        ],
        file: "\"\"\"Uses {O}.\"\"\"\nimport os\n{I}\n\nasync def run(a, b):\n    # {O} is called here\n    label = \"{O}\"\n    return {C}, label, os.name\n\n\ndef other({R}, a, b):\n    return {K}\n\n\nclass Own:\n    def {F}(self, a, b):\n        return self.{F}(a, b)\n",
    },
    Style {
        language: "typescript",
        path: "src/report.ts",
        tool: "typescript",
        forms: &[
            form("direct", "import { {F} } from '{M}';\n", "{F}", "{F}"),
            form("alias", "import { {F} as get } from '{M}';\n", "get", "get"),
            form("module", "import * as ac from '{M}';\n", "ac.{F}", "ac"),
            form("default", "import ac from '{M}';\n", "ac.{F}", "ac"),
            shared(
                "with others",
                "import { Client, {F} } from '{M}';\n\nexport const client = new Client();\n",
                "import { Client } from '{P}';\nimport { {F} } from '{M}';\n\nexport const client = new Client();\n",
            ),
        ],
        file: "// uses {O}\nimport os from 'os';\n{I}\nexport async function run(a: any, b: any) {\n  const label = `{O}` + '{O}' + os.EOL;\n  return [{C}, label];\n}\n\nexport function other({R}: any, a: any, b: any) {\n  return {K};\n}\n\nexport class Own {\n  {F}(a: any, b: any): any {\n    return this.{F}(a, b);\n  }\n}\n",
    },
    Style {
        language: "javascript",
        path: "src/report.js",
        tool: "node",
        forms: &[
            form("direct", "const { {F} } = require('{M}');\n", "{F}", "{F}"),
            form("alias", "const { {F}: get } = require('{M}');\n", "get", "get"),
            form("module", "const ac = require('{M}');\n", "ac.{F}", "ac"),
        ],
        file: "// uses {O}\nconst os = require('os');\n{I}\nasync function run(a, b) {\n  const label = `{O}` + '{O}' + os.EOL;\n  return [{C}, label];\n}\n\nfunction other({R}, a, b) {\n  return {K};\n}\n\nclass Own {\n  {F}(a, b) {\n    return this.{F}(a, b);\n  }\n}\n\nmodule.exports = { run, other, Own };\n",
    },
    Style {
        language: "rust",
        path: "src/report.rs",
        tool: "rust",
        forms: &[
            form("direct", "use {M}::{F};\n", "{F}", "{F}"),
            form("alias", "use {M}::{F} as get;\n", "get", "get"),
            form("path", "", "{M}::{F}", "{m}"),
            shared(
                "with others",
                "use {M}::{Client, {F}};\n\npub type Alias = Client;\n",
                "use {P}::{Client};\nuse {M}::{F};\n\npub type Alias = Client;\n",
            ),
        ],
        file: "//! Uses {O}.\nuse std::fmt::Debug;\n{I}\npub fn run<T: Debug>(a: T, b: T) -> String {\n    // {O} is called here\n    let label = \"{O}\";\n    let value = {C};\n    format!(\"{value:?} {label}\")\n}\n\npub struct Own;\n\nimpl Own {\n    pub fn {F}(&self, a: i32, b: i32) -> i32 {\n        self.{F}(a, b)\n    }\n}\n",
    },
    Style {
        language: "go",
        path: "report.go",
        tool: "go",
        forms: &[
            form("package", "\t\"example.com/{M}\"\n", "{M}.{F}", "{M}"),
            form("alias", "\tac \"example.com/{M}\"\n", "ac.{F}", "ac"),
        ],
        file: "// Package report uses {O}.\npackage report\n\nimport (\n\t\"fmt\"\n{I})\n\n// Run does {O}.\nfunc Run(a, b string) string {\n\tlabel := \"{O}\"\n\tvalue := {C}\n\treturn fmt.Sprint(value, label)\n}\n\nfunc other({R} Own, a, b string) string {\n\treturn {K}\n}\n\ntype Own struct{}\n\nfunc (o Own) {F}(a, b string) string { return a + b }\n",
    },
    Style {
        language: "java",
        path: "src/main/java/app/Report.java",
        tool: "java",
        forms: &[
            form("class", "import com.{M}.Tools;\n", "Tools.{F}", "Tools"),
            form("full path", "", "com.{M}.Tools.{F}", "com"),
        ],
        file: "package app;\n\nimport java.util.List;\n{I}\n/** Uses {O}. */\npublic class Report {\n    Object run(String a, String b) {\n        // {O} is called here\n        String label = \"{O}\";\n        Object value = {C};\n        return List.of(value, label);\n    }\n}\n",
    },
];

/// The old and the new call; `{f}` is the callee, `{M}` and `{F}` in imports change as well.
struct Family {
    name: &'static str,
    languages: &'static [&'static str],
    module: &'static str,
    function: &'static str,
    old: &'static str,
    new_module: &'static str,
    new_function: &'static str,
    new: &'static str,
    message: &'static str,
}

const ALL: &[&str] = &["python", "typescript", "javascript", "rust", "go", "java"];

const FAMILIES: &[Family] = &[
    Family {
        name: "renamed function",
        languages: ALL,
        module: "acme",
        function: "fetchOld",
        old: "{f}(a, b)",
        new_module: "acme",
        new_function: "fetchAll",
        new: "{f}(a, b)",
        message: "'{M}' has no '{F}'",
    },
    Family {
        name: "swapped arguments",
        languages: ALL,
        module: "acme",
        function: "fetchOld",
        old: "{f}(a, b)",
        new_module: "acme",
        new_function: "fetchOld",
        new: "{f}(b, a)",
        message: "wrong order of arguments in call of `{F}`",
    },
    Family {
        name: "one argument less",
        languages: ALL,
        module: "acme",
        function: "fetchOld",
        old: "{f}(a, b)",
        new_module: "acme",
        new_function: "fetchOld",
        new: "{f}(a)",
        message: "{F}() takes 1 argument but 2 were given",
    },
    Family {
        name: "renamed and swapped",
        languages: ALL,
        module: "acme",
        function: "fetchOld",
        old: "{f}(a, b)",
        new_module: "acme",
        new_function: "fetchAll",
        new: "{f}(b, a)",
        message: "cannot find `{F}` in `{M}`",
    },
    Family {
        name: "moved function",
        languages: &["python", "typescript", "javascript", "rust", "go"],
        module: "acme",
        function: "fetchOld",
        old: "{f}(a, b)",
        new_module: "acme2",
        new_function: "fetchOld",
        new: "{f}(a, b)",
        message: "cannot import name '{F}' from '{M}'",
    },
    Family {
        name: "removed option",
        languages: &["python"],
        module: "acme",
        function: "fetchOld",
        old: "{f}(a, retries=3, size=b)",
        new_module: "acme",
        new_function: "fetchOld",
        new: "{f}(a, size=b)",
        message: "{F}() got an unexpected keyword argument 'retries'",
    },
    Family {
        name: "renamed option",
        languages: &["python"],
        module: "acme",
        function: "fetchOld",
        old: "{f}(a, retries=3, size=b)",
        new_module: "acme",
        new_function: "fetchOld",
        new: "{f}(a, attempts=3, size=b)",
        message: "{F}() got an unexpected keyword argument 'retries'",
    },
    Family {
        name: "renamed option",
        languages: &["typescript", "javascript"],
        module: "acme",
        function: "fetchOld",
        old: "{f}(a, { retries: 3, size: b })",
        new_module: "acme",
        new_function: "fetchOld",
        new: "{f}(a, { attempts: 3, size: b })",
        message: "'retries' does not exist in the options of {F}",
    },
    Family {
        name: "awaited",
        languages: &["python", "typescript", "javascript"],
        module: "acme",
        function: "fetchOld",
        old: "{f}(a, b)",
        new_module: "acme",
        new_function: "fetchOld",
        new: "await {f}(a, b)",
        message: "the result of `{F}` was never awaited",
    },
    Family {
        name: "optional result",
        languages: &["rust"],
        module: "acme",
        function: "fetchOld",
        old: "{f}(a, b)",
        new_module: "acme",
        new_function: "fetchOld",
        new: "{f}(a, b).unwrap_or_default()",
        message: "mismatched types: `{F}` returns an Option",
    },
    Family {
        name: "another shape",
        languages: &["java"],
        module: "acme",
        function: "fetchOld",
        old: "{f}(a, b)",
        new_module: "acme",
        new_function: "fetchAll",
        new: "{f}(a).with(b)",
        message: "cannot find symbol: method {F}",
    },
    Family {
        name: "another shape",
        languages: &["python", "typescript", "javascript", "rust", "go"],
        module: "acme",
        function: "fetchOld",
        old: "{f}(a, b)",
        new_module: "acme",
        new_function: "fetchAll",
        new: "{f}(a).With(b)",
        message: "{F} is gone",
    },
];

fn fill(text: &str, module: &str, function: &str) -> String {
    text.replace("{M}", module).replace("{F}", function).replace("{m}", module)
}

/// Returns a file that uses the API in a form, before and after the change.
fn file_of(style: &Style, form: &Form, family: &Family) -> (String, String) {
    let side = |module: &str, function: &str, call: &str| {
        // What else is imported does not move.
        let moved = form.moved.filter(|_| module != family.module);
        let import =
            fill(moved.unwrap_or(form.import), module, function).replace("{P}", family.module);
        let callee = fill(form.callee, module, function);
        let root = fill(form.root, family.module, family.function);
        let other = fill(form.callee, family.module, family.function);
        style
            .file
            .replace("{I}", &import)
            .replace("{C}", &call.replace("{f}", &callee))
            .replace("{K}", &family.old.replace("{f}", &other))
            .replace("{O}", &family.old.replace("{f}", family.function).replace('"', ""))
            .replace("{R}", &root)
            .replace("{F}", family.function)
    };
    let before = side(family.module, family.function, family.old);
    let after = side(family.new_module, family.new_function, family.new);
    (before, after)
}

fn report(style: &Style, family: &Family, before: &str) -> FailureReport {
    let callee = before.lines().position(|line| line.contains("return") || line.contains("value"));
    let line = callee.and_then(|line| u32::try_from(line + 1).ok());
    FailureReport {
        failures: vec![Failure {
            kind: FailureKind::Compile,
            toolchain: style.tool.to_owned(),
            message: fill(family.message, family.module, family.function),
            locations: vec![Location { path: style.path.to_owned(), line, column: None }],
            ..Failure::default()
        }],
        ..FailureReport::default()
    }
}

fn learn(style: &Style, form: &Form, family: &Family) -> Result<Recipe, String> {
    let (before, after) = file_of(style, form, family);
    rig::learn(&report(style, family, &before), style.path, &before, &after)
}

fn apply(recipe: &Recipe, path: &str, text: &str, report: &FailureReport) -> String {
    rig::repair(recipe, report, RecipeReach::Repository, path, text)
}

/// Removes what a formatter decides.
fn plain(text: &str) -> String {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_fix_in_one_form_heals_all_other_forms_and_changes_nothing_else() {
    let (mut healed, mut all, mut learned) = (0, 0, 0);
    let mut faults = Vec::new();
    for family in FAMILIES {
        for style in STYLES.iter().filter(|it| family.languages.contains(&it.language)) {
            for taught in style.forms {
                let title = format!("{} {} learned {}", style.language, family.name, taught.name);
                let recipe = match learn(style, taught, family) {
                    Ok(recipe) => recipe,
                    Err(reason) => {
                        faults.push(format!("{title}: {reason}"));
                        continue;
                    }
                };
                learned += 1;
                for form in style.forms {
                    all += 1;
                    let (before, after) = file_of(style, form, family);
                    let report = report(style, family, &before);
                    assert!(!recipe.find_failures(&report).is_empty(), "{title}");
                    let made = apply(&recipe, style.path, &before, &report);
                    if plain(&made) == plain(&after) {
                        healed += 1;
                    } else {
                        faults.push(format!(
                            "{title}, applied to {}:\n{}\n--- made\n{made}\n--- wanted\n{after}",
                            form.name,
                            recipe.to_yaml()
                        ));
                    }
                }
            }
        }
    }
    let shown = faults.join("\n=====\n");
    assert!(faults.is_empty(), "{learned} learned, {healed} of {all} healed\n{shown}");
}
