//! One line for each task of a batch: its name, its outcome in color and the reason, fitted to the width.

use anstyle::{AnsiColor, Style};
use textwrap::core::display_width;

use crate::batch::TaskRow;
use crate::cli::terminal;
use papayu_base::domain::OutcomeKind;

/// The width of lines where the width of the terminal is not known.
const WIDTH: usize = 80;

/// Most columns of a name.
const MAX_NAME: usize = 30;

/// Returns the line of a task after `mark`, without a line end. The reason is cut at a word. `reason` has no secrets.
pub(super) fn describe_row(mark: &str, row: &TaskRow, reason: &str) -> String {
    let style = style_of(row.outcome);
    let (name, words) = (terminal::shorten(&row.name, MAX_NAME), row.outcome.words());
    let head = display_width(mark) + display_width(&name) + display_width(words) + ": : ".len();
    let first = reason.lines().next().unwrap_or_default();
    let plain: String = first.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // The reason often begins with the words of the outcome.
    let plain = plain.strip_prefix(words).unwrap_or(&plain).trim_start_matches([':', ' ']);
    let room = terminal::width().unwrap_or(WIDTH).saturating_sub(head);
    let reason = shorten_words(plain, room);
    format!("{mark}{name}: {style}{words}{style:#}: {reason}")
}

fn style_of(outcome: OutcomeKind) -> Style {
    let color = match outcome {
        OutcomeKind::Fixed => AnsiColor::Green,
        OutcomeKind::NothingToFix => return Style::new().dimmed(),
        OutcomeKind::Planned | OutcomeKind::Undone | OutcomeKind::OverBudget => AnsiColor::Yellow,
        _ => AnsiColor::Red,
    };
    Style::new().fg_color(Some(color.into()))
}

/// Returns the words of a text that fit, with `…` in place of the rest; a longer first word is cut.
fn shorten_words(text: &str, columns: usize) -> String {
    if display_width(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    for word in text.split(' ') {
        // One column is for the blank before the word, and two for ` …` after it.
        if display_width(&short) + 1 + display_width(word) + 2 > columns {
            break;
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
    }
    if short.is_empty() { terminal::shorten(text, columns) } else { short + " …" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_cut_between_words() {
        let text = "an environment failure: the setup command failed";
        for (columns, short) in [
            (80, text),
            (48, text),
            (47, "an environment failure: the setup command …"),
            (20, "an environment …"),
            (3, "an…"),
            (0, "…"),
        ] {
            assert_eq!(shorten_words(text, columns), short, "{columns}");
        }
    }
}
