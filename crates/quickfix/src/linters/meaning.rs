//! Fixes of linters that can change what the program does or offers to others: they become hints.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::diagnostic_context::DiagnosticContext;
use super::super::findings::TextEdit;
use super::super::import_cycles;
use super::super::line_index::LineIndex;
use super::super::tsc;
use super::correction;
use papayu_base::domain::RepoPath;
use papayu_lang::{self as lang, Language};

/// Modules of the standard library that are imported for what they do when they are loaded.
const DOING: [&str; 5] = ["__future__", "antigravity", "readline", "rlcompleter", "this"];

/// Words of import statements that are no names.
const KEYWORDS: [&str; 6] = ["as", "default", "export", "from", "import", "type"];

/// Rules with a safe fix that takes away a mark on which others depend: `import a as a` exports `a`.
const RULES: [&str; 1] = ["ruff PLC0414:"];

/// Returns the reason why a person has to decide about a fix that the tool calls safe. `None` if the fix is
/// safe.
pub(super) fn find_risk(
    context: &mut DiagnosticContext<'_>,
    words: &str,
    edits: &[TextEdit],
) -> Option<String> {
    if RULES.iter().any(|rule| words.starts_with(rule)) {
        return Some("the import may be there for other files".to_owned());
    }
    let is_correction = words.starts_with("typos:");
    edits.iter().find_map(|edit| {
        let source = context.read(&edit.path).ok()?;
        if is_correction {
            let (path, text) = (edit.path.as_str(), source.text.as_str());
            return correction::find_risk(path, text, &edit.range, &edit.text).map(str::to_owned);
        }
        match Language::of_path(edit.path.as_str())? {
            Language::Python => judge_python(context, edit, &source),
            Language::JavaScript | Language::Jsx | Language::TypeScript | Language::Tsx => {
                judge_script(context, edit, &source)
            }
            _ => None,
        }
    })
}

/// Returns the words that an edit takes out of a file.
fn removed_words<'a>(edit: &TextEdit, source: &'a LineIndex) -> Vec<&'a str> {
    let after = LineIndex::new(edit.path.as_str(), edit.text.clone());
    let kept: BTreeSet<&str> = after.all_words().collect();
    let before = source.words_in(&edit.range).into_iter().map(|(_, word)| word);
    before.filter(|word| !kept.contains(word)).collect()
}

/// Returns whether an edit touches an import statement and adds none of its own.
fn concerns_import(edit: &TextEdit, source: &LineIndex, starts: [&str; 2]) -> bool {
    let first = source.line_number(edit.range.start);
    let line = source.line_text(first).trim_start();
    let is_start = |line: &str| starts.iter().any(|word| line.starts_with(word));
    let is_within = (1..=first).rev().take(50).map(|number| source.line_text(number));
    // A name may be on a line of its own, in parentheses that a line above opens.
    let opens = |line: &&str| is_start(line) || line.contains([')', '}', '=']);
    is_start(line) || is_within.skip(1).find(opens).is_some_and(is_start)
}

fn judge_python(
    context: &mut DiagnosticContext<'_>,
    edit: &TextEdit,
    source: &Rc<LineIndex>,
) -> Option<String> {
    let removed = removed_words(edit, source);
    let is_import = concerns_import(edit, source, ["import ", "from "]);
    let has_names = removed.iter().any(|word| !KEYWORDS.contains(word));
    if !is_import || !has_names {
        return None;
    }
    if edit.path.as_str().ends_with("__init__.py") {
        return Some("a package's `__init__.py` offers its imports to others".to_owned());
    }
    if let Some(why) = find_taker(context, &edit.path, &removed) {
        return Some(why);
    }
    // Removing one of several names keeps the module loaded.
    if !removed.contains(&"import") {
        return None;
    }
    let line = source.line_number(edit.range.start);
    let lookup = context.tools.names?;
    let last = source.line_number(edit.range.end.saturating_sub(1));
    let imports = lookup.imports(edit.path.as_str());
    for import in imports.into_iter().filter(|it| (line..=last).contains(&it.line)) {
        let module = import.module;
        let top = module.split('.').next().unwrap_or_default();
        let text = source.line_text(import.line).trim();
        let is_bare = text.starts_with("import ") && !text.contains(" as ");
        let is_plugin = is_bare && module.contains('.') && !lang::is_python_standard(top);
        let does = |context: &mut DiagnosticContext<'_>, target: &str| {
            let source = RepoPath::parse(target).ok().and_then(|path| context.read(&path).ok());
            // One that cannot be read may do anything.
            source.is_none_or(|source| runs_code(&source.text))
        };
        let is_own = !import.targets.is_empty();
        let runs = import
            .targets
            .iter()
            .any(|target| import_cycles::any_import(lookup, target, |it| does(context, it)));
        if runs || DOING.contains(&top) || is_plugin && !is_own {
            return Some(format!("`{module}` may be imported for what it does when it is loaded"));
        }
    }
    None
}

/// Returns the reason not to remove a name that another file imports from this one.
fn find_taker(
    context: &mut DiagnosticContext<'_>,
    path: &RepoPath,
    removed: &[&str],
) -> Option<String> {
    let lookup = context.tools.names?;
    lookup.importers(path.as_str()).into_iter().find_map(|import| {
        let taker = RepoPath::parse(&import.from).ok()?;
        let text = context.read(&taker).ok()?;
        let is_taken =
            |word: &&&str| !KEYWORDS.contains(*word) && !text.word_places(word).is_empty();
        let name = removed.iter().find(is_taken)?;
        Some(format!("`{taker}` may take `{name}` from this file"))
    })
}

/// Returns whether a Python module has statements other than definitions and imports at its top level: calls,
/// decorators that register, loops.
fn runs_code(text: &str) -> bool {
    const DECLARES: [&str; 7] =
        ["async def ", "class ", "def ", "from ", "import ", "#", "__all__"];
    const CLOSES: [char; 5] = [')', ']', '}', '"', '\''];
    let mut quotes = 0;
    text.lines().any(|line| {
        let inside = quotes % 2 == 1;
        quotes += line.matches("\"\"\"").count() + line.matches("'''").count();
        let is_outer = !inside && !line.is_empty() && !line.starts_with([' ', '\t']);
        let is_known =
            DECLARES.iter().any(|word| line.starts_with(word)) || line.starts_with(CLOSES);
        let is_plain = line.split_once('=').is_some_and(|(_, value)| !value.contains('('));
        is_outer && !is_known && !is_plain
    })
}

fn judge_script(
    context: &mut DiagnosticContext<'_>,
    edit: &TextEdit,
    source: &Rc<LineIndex>,
) -> Option<String> {
    let removed = removed_words(edit, source);
    let has = |word: &str| removed.contains(&word);
    if has("export") && concerns_import(edit, source, ["export ", "export*"]) {
        return Some("the name is exported".to_owned());
    }
    if !has("import") || !concerns_import(edit, source, ["import ", "import{"]) {
        return None;
    }
    let statement = source.text.get(edit.range.clone()).unwrap_or_default();
    if statement.trim_start().starts_with("import type ") {
        return None;
    }
    let line = source.line_number(edit.range.start);
    let last = source.line_number(edit.range.end.saturating_sub(1));
    let lookup = context.tools.names?;
    let imports = lookup.imports(edit.path.as_str());
    let mut whole = imports.into_iter().filter(|it| (line..=last).contains(&it.line));
    whole.find_map(|import| tsc::find_lost_effect(context, &edit.path, &import.module))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known_names::KnownNames;
    use crate::tests::{Outside, config};
    use crate::tool_context::ToolContext;
    use papayu_base::domain::FailureReport;
    use papayu_index::{Index, ResolvedImports};
    use papayu_system::in_memory::{MemoryNode, MemoryTree};
    use std::time::Duration;

    /// Judges the removal of the part between the signs in `path`.
    fn judge(files: &[(&str, &str)], path: &str, words: &str) -> Option<String> {
        let clean = |text: &str| text.replace(['«', '»'], "");
        let names: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
        let outside = Outside::holding(&names);
        let nodes = files.iter().map(|(path, text)| {
            ((*path).to_owned(), MemoryNode::File(clean(text).into_bytes(), 0o644))
        });
        let tree = MemoryTree::new(nodes.collect());
        let texts: Vec<(&str, String)> =
            files.iter().map(|(path, text)| (*path, clean(text))).collect();
        let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, &**text)).collect();
        let index = Index::of_texts(&texts);
        let links = ResolvedImports::of(&index);
        let lookup = KnownNames::new(&index, &links);
        let (config, report) = (config(None), FailureReport::default());
        let tools = ToolContext {
            system: outside.system(),
            tree: &tree,
            config: &config,
            report: &report,
            names: Some(&lookup),
            changes: None,
            time_limit: Duration::ZERO,
        };
        let (_, marked) = files.iter().find(|(known, _)| *known == path).unwrap();
        let start = marked.find('«').unwrap();
        let end = marked.replace('«', "").find('»').unwrap();
        let path = RepoPath::parse(path).unwrap();
        let edit = TextEdit { path, range: start..end, text: String::new() };
        find_risk(&mut DiagnosticContext::new(&tools), words, &[edit])
    }

    const TOTAL: (&str, &str) = ("shop/b.py", "def total():\n    return 1\n");

    #[test]
    fn imports_that_others_need_or_that_do_something_are_left() {
        for files in [
            &[("shop/__init__.py", "«from shop.b import total\n»"), TOTAL][..],
            &[("shop/__init__.py", "from shop.b import «total, »other\n"), TOTAL],
            &[("shop/a.py", "«import shop.hooks\n»"), ("shop/hooks.py", "register(1)\n")],
            &[
                ("shop/a.py", "«from shop.hooks import h\n»"),
                ("shop/hooks.py", "@register\ndef h(): pass\n"),
            ],
            &[("shop/a.py", "«import readline\n»")],
            &[("shop/a.py", "«import hvplot.pandas\n»")],
            &[
                ("shop/a.py", "«from shop.b import total\n»"),
                ("shop/c.py", "from shop.a import total\n"),
                TOTAL,
            ],
            &[("src/a.ts", "«import './setup';\n»"), ("src/setup.ts", "register();\n")],
            &[
                ("src/a.ts", "«import { s } from './setup';\n»"),
                ("src/setup.ts", "start();\nexport const s = 1;\n"),
            ],
            &[("src/a.ts", "«export { b } from './b';\n»"), ("src/b.ts", "export const b = 1;\n")],
        ] {
            let finding = judge(files, files[0].0, "a rule: a message");
            assert!(finding.is_some(), "{files:?}");
        }
    }

    #[test]
    fn other_unused_imports_go() {
        for files in [
            &[("shop/a.py", "«import os\n»")][..],
            &[("shop/a.py", "«import os.path\n»")],
            &[("shop/a.py", "«import numpy as np\n»")],
            &[("shop/a.py", "from typing import «List, »Dict\n")],
            &[("shop/a.py", "from typing import (\n    Dict,\n    «List,\n»)\n")],
            &[("shop/a.py", "«from shop.b import total\n»"), TOTAL],
            &[("shop/__init__.py", "value = «int(»1)\n")],
            &[("src/a.ts", "«import { b } from './b';\n»"), ("src/b.ts", "export const b = 1;\n")],
            &[("src/a.ts", "«import type { B } from './b';\n»"), ("src/b.ts", "start();\n")],
        ] {
            assert_eq!(judge(files, files[0].0, "a rule: a message"), None, "{files:?}");
        }
    }

    #[test]
    fn an_import_with_its_own_name_as_an_alias_exports_it() {
        let files = [("shop/a.py", "from shop.b import total «as total»\n"), TOTAL];
        assert!(judge(&files, "shop/a.py", "ruff PLC0414: Import alias").is_some());
    }
}
