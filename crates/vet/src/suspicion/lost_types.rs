//! Types that a change gives up or narrows where a checker complained.

use super::flag::Flag;
use papayu_base::text::Pattern;
use papayu_lang::{ChangedText, Family, cut_tokens};

/// A sign of a type, in the languages of a family; the change may not have fewer of them.
pub(super) struct Measure {
    family: Family,
    pub(super) pattern: Pattern,
    message: &'static str,
}

const fn loss(family: Family, pattern: &'static str, message: &'static str) -> Measure {
    Measure { family, pattern: Pattern::new(pattern), message }
}

const OPTIONAL: &str = "makes an optional value required";
const ANNOTATION: &str = "removes annotations of types";

pub(super) static MEASURES: [Measure; 5] = [
    loss(Family::Jvm, r"\w < [A-Z]", "removes arguments of types"),
    loss(Family::Python, r"\| None\b|\bNone \||\bOptional \[", OPTIONAL),
    loss(Family::Script, r"\w \? :|\| (?:undefined|null)\b|\b(?:undefined|null) \|", OPTIONAL),
    loss(Family::Python, r"- > |\w : [A-Za-z\x22][^=]*?[,)]", ANNOTATION),
    loss(Family::Script, r"[\w)] : [A-Za-z{(\[]", ANNOTATION),
];

/// Returns the files in which optional values become required or annotations vanish.
pub(super) fn find_lost_types(sources: &[&ChangedText<'_>]) -> Vec<Flag> {
    let mut found = Vec::new();
    for measure in &MEASURES {
        let of_family: Vec<_> = sources
            .iter()
            .filter(|it| Family::of_path(it.path) == measure.family)
            .map(|it| (it, count(measure, it.path, it.before), count(measure, it.path, it.after)))
            .collect();
        let before: usize = of_family.iter().map(|it| it.1).sum();
        let after: usize = of_family.iter().map(|it| it.2).sum();
        if after < before {
            let lost = of_family.iter().find(|it| it.2 < it.1);
            found.extend(lost.map(|(change, ..)| Flag::new(change.path, 1, measure.message)));
        }
    }
    for change in sources {
        let stem = ["ts", "tsx", "mts"]
            .iter()
            .find_map(|end| change.path.strip_suffix(end).filter(|_| change.after.is_empty()));
        let untyped = stem.and_then(|stem| {
            sources.iter().find(|it| {
                it.before.is_empty()
                    && ["js", "jsx", "mjs"]
                        .iter()
                        .any(|end| it.path.strip_suffix(end) == Some(stem))
            })
        });
        let message = "leaves the language that the checker reads";
        found.extend(untyped.map(|it| Flag::new(it.path, 1, message)));
    }
    found
}

/// Returns how often the sign is in the code of a text.
fn count(measure: &Measure, path: &str, text: &str) -> usize {
    let tokens = cut_tokens(path, text).code;
    let joined: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    measure.pattern.find_iter(&joined.join(" ")).count()
}
