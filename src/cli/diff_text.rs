//! A change in colours, for terminals.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Effects, Style};

use crate::report::diff::{self, DiffLine, FileDiff, LineKind, LinePiece};

/// Returns a patch with colours, which the printer removes where stdout is no terminal.
pub(super) fn paint_patch(patch: &str) -> String {
    paint_files(&diff::read(patch))
}

/// Returns the changes of files with colours.
pub(super) fn paint_files(files: &[FileDiff]) -> String {
    files.iter().map(paint_file).collect()
}

/// Returns the diff of a file with colours; `anstream` removes them where the output has none.
fn paint_file(file: &FileDiff) -> String {
    let bold = Style::new().bold();
    let mut out = format!("{bold}{}{bold:#}\n", file.path);
    for line in &file.lines {
        paint_line(line, &mut out);
    }
    out
}

/// Appends a line of the diff with its mark.
fn paint_line(line: &DiffLine, out: &mut String) {
    let (mark, base) = match line.kind {
        LineKind::Head => ("", Style::new().fg_color(Some(AnsiColor::Cyan.into()))),
        LineKind::Context => (" ", Style::new()),
        LineKind::Deleted => ("-", Style::new().fg_color(Some(AnsiColor::Red.into()))),
        LineKind::Added => ("+", Style::new().fg_color(Some(AnsiColor::Green.into()))),
    };
    let _ = write!(out, "{base}{mark}{base:#}");
    for span in &line.spans {
        let style = span_style(line.kind, span, base);
        let shown: String =
            span.text.chars().map(|char| if is_safe(char) { char } else { '\u{fffd}' }).collect();
        let _ = write!(out, "{style}{shown}{style:#}");
    }
    out.push('\n');
}

/// A file's own control characters would move the reader's cursor.
fn is_safe(char: char) -> bool {
    char == '\t' || !char.is_control()
}

/// Returns the style of a part of a line.
fn span_style(kind: LineKind, span: &LinePiece, base: Style) -> Style {
    if span.changed {
        return base | Effects::INVERT;
    }
    let ink = match span.ink {
        "keyword" => AnsiColor::Magenta,
        "string" => AnsiColor::Green,
        "number" => AnsiColor::Blue,
        "comment" => AnsiColor::BrightBlack,
        _ => return base,
    };
    match kind {
        LineKind::Context => Style::new().fg_color(Some(ink.into())),
        _ => base,
    }
}
