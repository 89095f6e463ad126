//! Places of a change that a person should read.

use std::collections::{HashMap, HashSet};

use super::added_text::find_added;
use super::dropped_errors::find_dropped_errors;
use super::failure_evidence::FailureEvidence;
use super::foreign_code::find_foreign_files;
use super::functions::ChangedFunctions;
use super::literals::{is_common, read_literals};
use super::lost_checks::find_lost_checks;
use super::new_branches::find_new_branches;
use super::new_files::find_new_files;
use super::only_values::find_values_only;
use super::special_cases::{
    KnownCode, find_new_literal, find_special_cases, is_evident, is_list_of_values, squeeze,
};
use super::suspicious_place::SuspiciousPlace;
use super::test_helpers::find_test_helpers;
use papayu_lang::{ChangedText, Family, TokenKind, cut_tokens};

/// Returns every place that a person should read, sorted by file and line, without repetitions.
pub fn find_suspicious(
    changes: &[ChangedText<'_>],
    evidence: &FailureEvidence,
) -> Vec<SuspiciousPlace> {
    let mut found = find_added(changes, evidence.is_diagnostic);
    found.extend(find_foreign_files(changes));
    found.extend(find_new_files(changes));
    found.extend(changes.iter().filter_map(|it| find_answers(it, &evidence.literals)));
    // Only code of the product is searched further.
    let sources: Vec<&ChangedText<'_>> = changes.iter().filter(|it| it.is_source()).collect();
    if evidence.is_diagnostic {
        found.extend(find_untyped_files(&sources));
    }
    found.extend(find_values_only(changes));
    found.extend(find_dropped_errors(&sources));
    let functions: Vec<ChangedFunctions<'_>> =
        sources.iter().map(|it| ChangedFunctions::read(it)).collect();
    found.extend(find_lost_checks(&sources, &functions));
    found.extend(find_test_helpers(&functions, &evidence.tests));
    // The old code of all files, because a function may move from one file to another.
    let old = OldCode::read(&sources, &functions);
    for (change, functions) in sources.iter().zip(&functions) {
        judge_functions(functions, &old, &mut found);
        // The old literals of all files are known, so a constant that only moved is not found.
        judge_special_cases(change, &old, evidence, &mut found);
        found.extend(find_disabled(change));
        found.extend(find_new_branches(functions));
    }
    found.sort_by(|a, b| (&a.path, a.line, &a.message).cmp(&(&b.path, b.line, &b.message)));
    join_values(found)
}

/// Joins the places of one rule on one line, which differ in their values only: a message has its value in backticks.
fn join_values(found: Vec<SuspiciousPlace>) -> Vec<SuspiciousPlace> {
    let cut = |place: &SuspiciousPlace| {
        let mut parts = place.message.splitn(3, '`').map(str::to_owned);
        [(); 3].map(|()| parts.next().unwrap_or_default())
    };
    let mut joined: Vec<SuspiciousPlace> = Vec::new();
    let mut last = None;
    let mut values = Vec::new();
    for place in found {
        let [head, value, tail] = cut(&place);
        let key = (place.path.clone(), place.line, place.grade, head, tail);
        let Some(open) = joined.last_mut().filter(|_| last.as_ref() == Some(&key)) else {
            values = vec![value];
            last = Some(key);
            joined.push(place);
            continue;
        };
        values.push(value);
        values.dedup();
        if values.len() > 1 {
            let tail = key.4.replacen(", a value of", ", values of", 1);
            open.message = format!("{}`{}`{tail}", key.3, values.join("`, `"));
        }
    }
    joined
}

/// Returns the files of TypeScript that become files of JavaScript, which the checker does not read.
fn find_untyped_files(sources: &[&ChangedText<'_>]) -> Vec<SuspiciousPlace> {
    let stem = |path: &str| path.rsplit_once('.').map(|(stem, _)| stem.to_owned());
    let is_typed = |path: &str| [".ts", ".tsx", ".mts"].iter().any(|end| path.ends_with(end));
    let removed: HashSet<_> = sources
        .iter()
        .filter(|it| it.after.is_empty() && is_typed(it.path))
        .map(|it| stem(it.path))
        .collect();
    let untyped = sources.iter().filter(|it| {
        it.before.is_empty() && !is_typed(it.path) && removed.contains(&stem(it.path))
    });
    let message = "leaves the language that the checker reads";
    untyped.map(|it| SuspiciousPlace::new("lost_type", it.path, 1, message)).collect()
}

/// The code before the change, of all files, because code may move between them.
struct OldCode<'a> {
    /// Bodies of functions.
    bodies: HashSet<&'a str>,
    /// Numbers and strings.
    literals: HashSet<String>,
    /// All of the code without blanks.
    code: String,
}

impl<'a> OldCode<'a> {
    /// Collects the old code of all changed files.
    fn read(sources: &[&ChangedText<'a>], functions: &[ChangedFunctions<'a>]) -> Self {
        let functions = functions.iter().flat_map(|it| &it.before);
        Self {
            bodies: functions.map(|function| function.body).collect(),
            code: sources.iter().map(|it| squeeze(&leave_tests_out(it.path, it.before))).collect(),
            literals: sources
                .iter()
                .flat_map(|it| read_literals(&leave_tests_out(it.path, it.before)))
                .collect(),
        }
    }
}

/// Returns a text without its module of tests, and with the examples of its documentation as
/// empty lines.
fn leave_tests_out(path: &str, text: &str) -> String {
    let code = match Family::of_path(path) {
        Family::Rust => text.split("#[cfg(test)]").next().unwrap_or(text),
        _ => text,
    };
    let is_example =
        |line: &&str| ["///", "//!", ">>>"].iter().any(|mark| line.trim_start().starts_with(mark));
    // Empty lines in their place keep the numbers of the others.
    let kept = code.lines().map(|line| if is_example(&line) { "" } else { line });
    kept.collect::<Vec<_>>().join("\n")
}

/// Adds functions with a body that became a constant, such as `return 42`.
fn judge_functions(
    change: &ChangedFunctions<'_>,
    old: &OldCode<'_>,
    found: &mut Vec<SuspiciousPlace>,
) {
    // Several functions may have one name: in two `impl` blocks, or for two systems.
    let mut before: HashMap<&str, Vec<&str>> = HashMap::new();
    for function in &change.before {
        before.entry(function.name.as_str()).or_default().push(function.body);
    }
    for function in &change.after {
        if old.bodies.contains(function.body) {
            continue;
        }
        let name = function.last_name();
        if let Some(bodies) = before.get(function.name.as_str())
            && is_constant(change.path, function.body)
            // A function that was a constant before is not a new cheat.
            && bodies.iter().all(|body| !is_constant(change.path, body))
        {
            let named = match name {
                "" => "a function without a name".to_owned(),
                name => format!("`{name}`"),
            };
            let message = format!("replaces the body of {named} by a constant");
            found.push(SuspiciousPlace::new("constant_body", change.path, function.line, message));
        }
    }
}

/// Adds the places that treat values of the failing test as special cases.
fn judge_special_cases(
    change: &ChangedText<'_>,
    old: &OldCode<'_>,
    evidence: &FailureEvidence,
    found: &mut Vec<SuspiciousPlace>,
) {
    let known =
        KnownCode { literals: &old.literals, code: &old.code, evidence: &evidence.literals };
    let text = leave_tests_out(change.path, change.after);
    if let Some(cases) = find_special_cases(change.path, &text, &known) {
        found.extend(
            cases
                .into_iter()
                .map(|it| SuspiciousPlace::new("special_case", change.path, it.line, it.message)),
        );
    } else if let Some(literal) = find_new_literal(&text, &known) {
        let message = format!("uses `{literal}`, a value of the failing test");
        found.push(SuspiciousPlace::new("new_literal", change.path, 1, message));
    }
}

/// Returns a flag for a data file that contains values of the failing test: a new file that is
/// one such value, or an entry that is made of several.
fn find_answers(change: &ChangedText<'_>, evidence: &HashSet<String>) -> Option<SuspiciousPlace> {
    if !change.is_data() {
        return None;
    }
    let whole = change.after.trim().trim_matches('"');
    if change.before.is_empty() && is_whole_value(whole, evidence) {
        return Some(SuspiciousPlace::new(
            "data_answer",
            change.path,
            1,
            "consists of a value of the failing test",
        ));
    }
    let old = read_literals(change.before);
    (1..).zip(change.after.lines()).find_map(|(line, text)| {
        let mut new = read_literals(text).into_iter().filter(|it| !old.contains(it));
        let key = new.find(|it| is_list_of_values(it, evidence))?;
        let message = format!("has an entry for `{key}`, values of the failing test");
        Some(SuspiciousPlace::new("data_answer", change.path, line, message))
    })
}

/// Returns `true` if the content of a file is a value of the test. A test writes line ends as
/// `\n` in its literal.
fn is_whole_value(content: &str, evidence: &HashSet<String>) -> bool {
    let is_text = |it: &String| it.replace("\\n", "\n").trim() == content;
    !content.is_empty()
        && !is_common(content)
        && (is_evident(content, evidence) || evidence.iter().any(is_text))
}

/// Returns `true` if a body does nothing but return a literal, with or without a docstring.
fn is_constant(path: &str, body: &str) -> bool {
    let tokens = cut_tokens(path, body).code;
    if tokens.iter().any(|it| it.kind == TokenKind::Text && is_template(path, body, &it.text)) {
        return false;
    }
    // A docstring comes first.
    let is_text = |at: usize| tokens.get(at).is_some_and(|it| it.kind == TokenKind::Text);
    let has_docstring = is_text(0) && tokens.len() > 1;
    let tokens = tokens.get(usize::from(has_docstring)..).unwrap_or_default();
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let words = words.strip_suffix(&[";"]).unwrap_or(&words);
    let value = words.strip_prefix(&["return"]).unwrap_or(words);
    let is_literal = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            || ["true", "false", "null", "nil", "None", "True", "False", "undefined", "pass"]
                .contains(&word)
    };
    let is_bracket = |word: &str| matches!(word, "[" | "]" | "{" | "}" | "(" | ")" | "," | "-");
    let is_string =
        |word: &str| tokens.iter().any(|token| token.kind == TokenKind::Text && token.text == word);
    match value {
        ["Ok" | "Some", rest @ ..] | rest => {
            rest.iter().all(|word| is_literal(word) || is_bracket(word) || is_string(word))
        }
    }
}

/// Returns `true` if a string contains values of variables, as an f-string or a template does:
/// it is no constant.
fn is_template(path: &str, body: &str, text: &str) -> bool {
    match Family::of_path(path) {
        Family::Python => {
            text.contains('{') && ["f\"", "f'", "F\"", "F'"].iter().any(|it| body.contains(it))
        }
        Family::Ruby => text.contains("#{"),
        Family::Script | Family::Jvm => text.contains("${"),
        Family::CSharp => text.contains('{') && body.contains("$\""),
        _ => false,
    }
}

/// Returns flags for lines of code that became comments, and for build conditions and
/// generated-file marks of Go and others that were added.
fn find_disabled(change: &ChangedText<'_>) -> Vec<SuspiciousPlace> {
    let mut found = Vec::new();
    let flag = |line: usize, message: &str| {
        SuspiciousPlace::new("disabled_code", change.path, line, message)
    };
    if change.before.is_empty() && is_of_one_system(change.path) {
        found.push(flag(1, "is left out of the builds of other systems by its name"));
    }
    let old: HashSet<&str> =
        change.before.lines().map(str::trim).filter(|it| it.len() > 5).collect();
    let now: HashSet<&str> = change.after.lines().map(str::trim).collect();
    for (line, text) in (1..).zip(change.after.lines().map(str::trim)) {
        let marked = ["//", "#", "--"].iter().find_map(|mark| text.strip_prefix(mark));
        let is_code = marked.is_some_and(|it| old.contains(it.trim()) && !now.contains(it.trim()));
        if is_code {
            found.push(flag(line, "comments code out"));
        }
        let is_new = |line: &str| !change.before.lines().any(|old| old.trim() == line);
        let is_go = Family::of_path(change.path) == Family::Go;
        let is_tag = text.starts_with("//go:build") || text.starts_with("// +build");
        if is_go && is_tag && is_new(text) {
            found.push(flag(line, "leaves the file out of some builds"));
        }
        if is_go && text.starts_with("//go:linkname") && is_new(text) {
            found.push(flag(line, "replaces a function of another package"));
        }
        let is_comment = ["//", "#", "/*", "*"].iter().any(|mark| text.starts_with(mark));
        let is_generated = text.contains("DO NOT EDIT") || text.contains("@generated");
        if is_comment && is_generated && !change.before.is_empty() && is_new(text) {
            found.push(flag(line, "marks the file as generated, which checkers leave out"));
        }
    }
    found
}

/// Returns `true` if Go builds the file for one system or processor only, as `cart_windows.go`.
///
/// The rule is the one of `go help buildconstraint`: the part after the last `_`.
fn is_of_one_system(path: &str) -> bool {
    const SYSTEMS: [&str; 12] = [
        "linux", "windows", "darwin", "freebsd", "netbsd", "openbsd", "js", "wasip1", "amd64",
        "arm64", "386", "wasm",
    ];
    let stem = path.strip_suffix(".go").and_then(|it| it.rsplit_once('_'));
    stem.is_some_and(|(_, system)| SYSTEMS.contains(&system))
}
