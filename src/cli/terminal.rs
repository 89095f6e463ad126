//! The width of the terminal, and text that is fitted to it.

use std::io::{self, IsTerminal as _};

use textwrap::Options;

use papayu_system::os::environment;

/// Narrowest and widest width that text is fitted to, in columns.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=200;

/// Returns the width of the terminal on stderr or stdout in columns, that of `COLUMNS` first; `None` if
/// neither is known, as in a pipe, where lines stay whole.
pub(super) fn width() -> Option<usize> {
    let named = environment::snapshot().into_iter().find(|(name, _)| name == "COLUMNS");
    let named = named.and_then(|(_, columns)| columns.parse::<usize>().ok());
    let width = match named {
        Some(columns) => columns,
        None if io::stderr().is_terminal() || io::stdout().is_terminal() => {
            usize::from(terminal_size::terminal_size()?.0.0)
        }
        None => return None,
    };
    Some(width.clamp(*WIDTHS.start(), *WIDTHS.end()))
}

/// Breaks a text into lines of the width, those after the first with an indent. Without a width it is
/// unchanged. Words longer than a line, such as paths, stay whole so that they can be copied.
pub(super) fn wrap(text: &str, width: Option<usize>, indent: &str) -> String {
    let Some(width) = width else { return text.to_owned() };
    let options = Options::new(width)
        .subsequent_indent(indent)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(text, options)
}

/// Shortens a text to a number of columns, with `…` in place of the rest.
pub(super) fn shorten(text: &str, columns: usize) -> String {
    if textwrap::core::display_width(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    for char in text.chars() {
        if textwrap::core::display_width(&short) + 2 > columns {
            break;
        }
        short.push(char);
    }
    short + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_and_paths_stay_whole() {
        let text = "not fixed: `make test` fails, see /a/very/long/path/that/is/wider/than/it.txt";
        assert_eq!(
            wrap(text, Some(40), "  "),
            "not fixed: `make test` fails, see\n  /a/very/long/path/that/is/wider/than/it.txt"
        );
        assert_eq!(wrap(text, None, "  "), text);
    }

    #[test]
    fn a_text_is_cut_only_where_it_is_too_long() {
        assert_eq!(shorten("fixed", 5), "fixed");
        assert_eq!(shorten("not fixed", 5), "not …");
        assert_eq!(shorten("日本語のテスト", 7), "日本語…");
    }
}
