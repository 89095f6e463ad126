//! Checks of a recipe file besides its form: no field that does nothing, no name that the rule does not have, and the line of a fault.

use papayu_base::text::has_word;
use serde_json::{Map, Value};

use super::fault::RecipeFault;
use super::rules::RewriteRule;

/// The fields of a rule of ast-grep, after those of the header.
const RULE_FIELDS: [&str; 17] = [
    "language", "rule", "fix", "imports", "becomes", "typed", "constraints", "utils", "transform",
    "rewriters", "files", "ignores", "severity", "note", "url", "metadata", "labels",
];

const RULE_HINT: &str = "a rule has `language`, `rule`, `fix`, `imports`, `becomes`, `typed`, `constraints`, `utils`, \
    `transform`, `rewriters`, `files`, `ignores`, `severity`, `note`, `url`, `metadata` and `labels`; the first one also \
    `id`, `message`, `when`, `from`, `examples`, `tried`, `healed` and `failed`";

const MOVE_HINT: &str = "a move has `language`, `move` and `to`; the first rule also `id`, `message`, `when`, `from`, \
    `examples`, `tried`, `healed` and `failed`";

const FILE_HINT: &str = "an edit of a file has `file`, and `rename` and `to`, `remove`, or `set`, `value` and `was`; the \
    first rule also `id`, `message`, `when`, `from`, `examples`, `tried`, `healed` and `failed`";

/// Refuses a field that means nothing in a document, from which the header was taken.
pub(crate) fn check_fields(document: &Map<String, Value>) -> Result<(), RecipeFault> {
    let (fields, hint): (&[&str], _) = if document.contains_key("file") {
        (&["file", "rename", "to", "remove", "set", "was", "value"], FILE_HINT)
    } else if document.contains_key("move") {
        (&["language", "move", "to"], MOVE_HINT)
    } else {
        (&RULE_FIELDS, RULE_HINT)
    };
    match document.keys().find(|key| !fields.contains(&key.as_str())) {
        Some(key) => {
            Err(RecipeFault::new(format!("it has no use for the field `{key}`"), hint).at(&[key]))
        }
        None => Ok(()),
    }
}

/// Refuses names that are in no pattern or not in the fix, so that they could never count.
pub(crate) fn check_names(rule: &RewriteRule) -> Result<(), RecipeFault> {
    let texts = |fields: &[&str]| {
        let mut texts = Vec::new();
        for field in fields {
            add_texts(rule.document.get(*field).unwrap_or(&Value::Null), &mut texts);
        }
        texts.join("\n")
    };
    let patterns = texts(&["rule", "constraints", "utils"]);
    let fix = texts(&["fix", "transform", "rewriters"]);
    let missing = |field: &str, name: &String, hint| {
        let reason = format!("`{field}` names `{name}`, which the rule does not have");
        Err(RecipeFault::new(reason, hint).at(&[field, name]))
    };
    if let Some(name) = rule.imports.keys().find(|name| !has_word(&patterns, name)) {
        return missing(
            "imports",
            name,
            "name what is in a pattern; `becomes` is for new names in the fix",
        );
    }
    if let Some(name) = rule.becomes.keys().find(|name| !has_word(&fix, name)) {
        return missing("becomes", name, "name what is in the fix");
    }
    let is_variable = |name: &&String| !patterns.contains(&format!("${name}"));
    if let Some(name) = rule.typed.keys().find(is_variable) {
        return missing("typed", name, "name a variable of a pattern, without its `$`");
    }
    Ok(())
}

fn add_texts<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => {
            for item in items {
                add_texts(item, texts);
            }
        }
        Value::Object(fields) => {
            for item in fields.values() {
                add_texts(item, texts);
            }
        }
        _ => {}
    }
}

/// Returns the line of a key in the document that begins at a line, both from 1; of a path of keys the last that is found.
pub(crate) fn find_line(text: &str, start: usize, keys: &[String]) -> usize {
    let document: Vec<&str> = text
        .lines()
        .skip(start - 1)
        .enumerate()
        .take_while(|(at, line)| *at == 0 || line.trim_end() != "---")
        .map(|(_, line)| line)
        .collect();
    let mut found = None;
    for (depth, key) in keys.iter().enumerate() {
        let from = found.unwrap_or(0);
        let names = |line: &str| {
            let after = line.trim_start_matches(['"', '\'']).strip_prefix(key.as_str());
            let is_key = after
                .is_some_and(|it| it.trim_start_matches(['"', '\'']).trim_start().starts_with(':'));
            if depth == 0 { is_key } else { has_word(line, key) }
        };
        let Some(at) = document.iter().skip(from).position(|line| names(line)) else { break };
        found = Some(from + at);
    }
    start + found.unwrap_or(0)
}

/// Returns the message of the YAML reader without the line, which is already printed before it.
pub(crate) fn without_place(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let is_place = line.starts_with("line ");
    let rest = line.split_once(": ").filter(|_| is_place).map_or(line, |(_, rest)| rest);
    rest.to_owned()
}
