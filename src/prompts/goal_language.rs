//! The language of replies: that of the goal, if its script is not the Latin one.

use std::ops::RangeInclusive;

/// The letters of scripts other than the Latin one, by Unicode block.
const OTHER_SCRIPTS: [RangeInclusive<char>; 13] = [
    '\u{370}'..='\u{3ff}',   // Greek
    '\u{400}'..='\u{52f}',   // Cyrillic
    '\u{530}'..='\u{58f}',   // Armenian
    '\u{590}'..='\u{5ff}',   // Hebrew
    '\u{600}'..='\u{6ff}',   // Arabic
    '\u{900}'..='\u{dff}',   // the scripts of India
    '\u{e00}'..='\u{e7f}',   // Thai
    '\u{10a0}'..='\u{10ff}', // Georgian
    '\u{1780}'..='\u{17ff}', // Khmer
    '\u{3040}'..='\u{30ff}', // Japanese
    '\u{3400}'..='\u{4dbf}', // Chinese
    '\u{4e00}'..='\u{9fff}', // Chinese
    '\u{ac00}'..='\u{d7af}', // Korean
];

/// The line for a goal in another script.
const LINE: &str = "Write the text of `summary` in the language of the goal. Names, code and `NO_CHANGES:` stay as they are.";

/// Returns the line that asks for a summary in the language of the goal; `None` for a goal in Latin letters, which
/// needs none. Names of files and functions are Latin in every language, so a fifth of the letters is enough.
pub(super) fn language_line(goal: &str) -> Option<&'static str> {
    let letters = goal.chars().filter(|c| c.is_alphabetic()).count();
    let others =
        goal.chars().filter(|c| OTHER_SCRIPTS.iter().any(|block| block.contains(c))).count();
    (others > 0 && others * 5 >= letters).then_some(LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_in_another_script_asks_for_its_language() {
        for (goal, asks) in [
            ("исправь тест", true),
            ("почини parse_config в src/config.rs", true),
            ("修复解析器", true),
            ("fix the parser", false),
            ("répare l'analyseur", false),
            ("rename `д` to `delta` in the whole module", false),
            ("", false),
        ] {
            assert_eq!(language_line(goal).is_some(), asks, "{goal}");
        }
    }
}
