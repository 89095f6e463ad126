//! Reads the log of a run that passed.

use super::green::GreenLines;
use super::limits::ReportLimits;
use super::reader::LogReader;

/// Returns the lines of a log that `feed` passes on in pieces.
///
/// # Errors
///
/// The error of `feed`.
pub fn read_green_lines<E>(
    feed: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), E>,
) -> Result<GreenLines, E> {
    let mut green = GreenLines::default();
    let mut keep = |line: &str, _: bool| green.push_line(without_mark(line));
    let mut reader = LogReader::new(ReportLimits::default()).with_listener(&mut keep);
    feed(&mut |bytes| reader.push(bytes))?;
    reader.finish();
    Ok(green)
}

/// Returns a line without its mark, such as `##[error]`: excerpts have lines without marks.
fn without_mark(line: &str) -> &str {
    let inside = line.strip_prefix("##[").and_then(|rest| rest.split_once(']'));
    inside.map_or(line, |(_, text)| text)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;

    use super::*;

    /// Returns a reader of a log that knows the green one.
    fn reader_beside(green: &str) -> LogReader<'static> {
        let Ok(read) = read_green_lines(|push| {
            push(green.as_bytes());
            Ok::<(), Infallible>(())
        });
        LogReader::new(ReportLimits { excerpt_chars: 12_000, green: Some(Arc::new(read)) })
    }

    #[test]
    fn only_what_the_green_log_lacks_is_left_and_failures_stay() {
        let line = |n: u32| format!("fetched package-{} in {n} ms\n", n % 7);
        let setup = (0..400).map(line).collect::<Vec<_>>().concat();
        let green = format!("{setup}src/a.py:1: error: old\nall 12 tests passed\n");
        let mut reader = reader_beside(&green);
        reader.push(setup.as_bytes());
        reader.push(b"warming up\nsrc/a.py:9: error: new\nall 12 tests passed\n");
        let excerpt = reader.finish().excerpt;
        assert!(excerpt.ends_with("\nwarming up\nsrc/a.py:9: error: new"), "{excerpt}");
        assert!(excerpt.starts_with("...[401 lines that the green log has, too, left out]..."));
    }

    #[test]
    fn a_line_with_another_version_shows_a_moved_tool() {
        let green = "Image: ubuntu-22.04\nPython 3.11.4\nCollecting jinja2==3.0.3\nhost 10.0.0.1\nran in 1.5 s\nCollecting a 1.0\nCollecting a 1.1\n";
        let mut reader = reader_beside(green);
        reader.push(b"Image: ubuntu-24.04\nPython 3.12.1\nCollecting jinja2==3.1.4\nhost 10.0.0.2\nran in 2.5 s\nCollecting a 1.2\n");
        let moved = reader.finish().moved;
        let moved: Vec<_> = moved.iter().map(|it| (it.from.as_str(), it.to.as_str())).collect();
        assert_eq!(moved, [("22.04", "24.04"), ("3.11.4", "3.12.1"), ("3.0.3", "3.1.4")]);
    }
}
