//! Changes without a change of code: data, documents and manifests, or switches and patterns in code as it was.

use super::suspicious_place::SuspiciousPlace;
use papayu_lang::{ChangedText, Family, PathClass, Token, TokenKind, cut_tokens};

/// Most files that a note names.
const MAX_NAMED: usize = 6;

/// Returns the place of a change that has no code, or that only switches something or accepts more.
pub(super) fn find_values_only(changes: &[ChangedText<'_>]) -> Option<SuspiciousPlace> {
    let is_code = |it: &&ChangedText<'_>| Family::of_path(it.path).is_code();
    if !changes.iter().any(|it| is_code(&it)) {
        let is_named = |it: &&ChangedText<'_>| {
            matches!(PathClass::of_path(it.path), PathClass::Source | PathClass::Manifest)
        };
        let named: Vec<&str> = changes.iter().filter(is_named).map(|it| it.path).collect();
        let names = named.get(..MAX_NAMED).unwrap_or(&named).join("`, `");
        let message = format!("is no code, and no code changed: `{names}`");
        return Some(SuspiciousPlace::new("values_only", named.first()?, 1, message));
    }
    let mut places = Vec::new();
    for change in changes.iter().filter(is_code) {
        places.extend(find_new_values(change)?);
    }
    places.into_iter().next()
}

/// Returns the switches and patterns of a file that differ; `None` if its code differs in more than values.
fn find_new_values(change: &ChangedText<'_>) -> Option<Vec<SuspiciousPlace>> {
    let old = cut_tokens(change.path, change.before).code;
    let new = cut_tokens(change.path, change.after).code;
    if old.len() != new.len() {
        return None;
    }
    let mut found = Vec::new();
    for (old, new) in old.iter().zip(&new).filter(|(old, new)| old.text != new.text) {
        let message = match (old.kind, new.kind) {
            (TokenKind::Text, TokenKind::Text) if accepts_more(&old.text, &new.text) => {
                format!("changes no code but a pattern, which accepts more: `{}`", new.text)
            }
            (TokenKind::Text | TokenKind::Number, TokenKind::Text | TokenKind::Number) => continue,
            _ if is_switch(old) && is_switch(new) => {
                format!("changes no code but a switch: `{}`", new.text)
            }
            _ => return None,
        };
        found.push(SuspiciousPlace::new("values_only", change.path, new.line, message));
    }
    Some(found)
}

/// `true`, `False`
fn is_switch(token: &Token) -> bool {
    ["true", "false", "True", "False"].contains(&token.text.as_str())
}

/// Returns `true` if a regular expression lost most of what it asks for, or gained a part that any text meets.
fn accepts_more(old: &str, new: &str) -> bool {
    let is_pattern = ["\\", "[", "^"].iter().any(|mark| old.contains(mark)) && !old.contains('\n');
    let any = |text: &str| text.matches(".*").count() + text.matches(".+").count();
    is_pattern && (any(new) > any(old) || new.len() * 2 < old.len())
}
