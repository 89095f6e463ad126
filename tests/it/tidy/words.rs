//! The language of comments and messages, and parameters without names.
#![expect(clippy::string_slice, reason = "positions come from searches in the same text")]

use super::all_sources;

/// Words with no clear technical meaning, which comments and messages avoid.
const VAGUE_WORDS: [&str; 33] = [
    "stand", "stands", "told", "tell", "tells", "hold", "holds", "held", "nobody", "anew", "mend",
    "mends", "mended", "aside", "beside", "furnish", "settle", "settled", "let", "lets", "gone",
    "room", "rooms", "door", "doors", "seat", "seats", "desk", "ear", "said", "says", "whoever",
    "whose",
];
/// Openings that describe a thing by a question instead of naming it.
const QUESTIONS: [&str; 7] = ["What", "Where", "Who", "Whose", "How", "Which", "Whether"];

/// Comment lines with a vague word. This number may only become smaller.
const MAX_VAGUE_COMMENTS: usize = 29;
/// String literals with a vague word. This number may only become smaller.
const MAX_VAGUE_STRINGS: usize = 8;
/// Doc comments that begin with a question word. This number may only become smaller.
const MAX_QUESTIONS: usize = 0;
/// Functions with a tuple pattern as a parameter. This number may only become smaller.
const MAX_TUPLE_PARAMETERS: usize = 0;

/// Returns every place in shipped code that a rule finds, as `path:line: text`.
fn find_lines(mut rule: impl FnMut(&[&str], usize) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for file in all_sources() {
        let (shipped, _) = file.split();
        for (index, line) in shipped.iter().enumerate() {
            if rule(&shipped, index) {
                found.push(format!("{}:{}: {}", file.path, index + 1, line.trim()));
            }
        }
    }
    found
}

/// Returns the text of a comment line.
fn comment_text(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("//").map(|text| text.trim_start_matches(['/', '!']).trim())
}

fn assert_at_most(found: &[String], max: usize) {
    assert!(found.len() <= max, "{} places, at most {max}:\n{}", found.len(), found.join("\n"));
}

fn has_vague_word(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|word| VAGUE_WORDS.contains(&word.to_lowercase().as_str()))
}

#[test]
fn comments_use_plain_words() {
    let mut example = false;
    let found = find_lines(|lines, index| {
        let Some(text) = comment_text(lines[index]) else {
            example = false;
            return false;
        };
        if text.starts_with("```") {
            example = !example;
        }
        !example && has_vague_word(text)
    });
    assert_at_most(&found, MAX_VAGUE_COMMENTS);
}

#[test]
fn messages_use_plain_words() {
    let found = find_lines(|lines, index| {
        let quoted = lines[index].split('"').skip(1).step_by(2);
        // A string without a blank is a name or a piece of code, and `let` is a keyword.
        comment_text(lines[index]).is_none()
            && quoted
                .filter(|text| text.contains(' '))
                .any(|text| has_vague_word(&text.replace("let ", "")))
    });
    assert_at_most(&found, MAX_VAGUE_STRINGS);
}

#[test]
fn doc_comments_name_the_thing_first() {
    let found = find_lines(|lines, index| {
        let first = index == 0 || comment_text(lines[index - 1]).is_none();
        let word = comment_text(lines[index]).and_then(|text| text.split_whitespace().next());
        first && word.is_some_and(|word| QUESTIONS.contains(&word))
    });
    assert_at_most(&found, MAX_QUESTIONS);
}

#[test]
fn parameters_have_names() {
    let found = find_lines(|lines, index| {
        let line = lines[index].trim_start();
        if !line.starts_with("fn ") && !line.split(" = ").next().unwrap().contains(" fn ") {
            return false;
        }
        // The signature ends at the first line that opens a body or ends a declaration.
        let end = lines[index..].iter().position(|line| line.ends_with(['{', ';', '}']));
        has_tuple_pattern(&lines[index..=index + end.unwrap_or_default()].concat())
    });
    assert_at_most(&found, MAX_TUPLE_PARAMETERS);
}

/// Returns `true` if a signature has a pattern such as `(a, b): (A, B)`.
fn has_tuple_pattern(signature: &str) -> bool {
    signature.match_indices("):").any(|(end, _)| {
        let inside = signature[..end].rsplit('(').next().unwrap_or_default();
        inside.contains(',') && !inside.contains(':')
    })
}
