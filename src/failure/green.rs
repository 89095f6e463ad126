//! Remembers the lines of a log of a run that passed, so that they are left out of the log of one that failed.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};

use super::reader::{Limits, LogReader};

/// Maximal number of lines that are remembered.
const MAX_LINES: usize = 2_000_000;

/// The lines of a log without their digits, because times, durations and counts differ between runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GreenLines {
    hashes: HashSet<u64>,
}

impl GreenLines {
    /// Returns the lines of a log that `feed` passes on in pieces.
    ///
    /// # Errors
    ///
    /// The error of `feed`.
    pub fn read<E>(feed: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), E>) -> Result<Self, E> {
        let mut green = Self::default();
        let mut keep = |line: &str, _: bool| green.push_line(line);
        let mut reader = LogReader::new(Limits::default()).with_listener(&mut keep);
        feed(&mut |bytes| reader.push(bytes))?;
        reader.finish();
        Ok(green)
    }

    /// Returns `true` if the log has the line.
    pub(super) fn contains(&self, line: &str) -> bool {
        self.hashes.contains(&hash_letters(line))
    }

    fn push_line(&mut self, line: &str) {
        if self.hashes.len() < MAX_LINES {
            self.hashes.insert(hash_letters(line));
        }
    }
}

/// Returns a hash of a line without its digits and the blanks around it.
fn hash_letters(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.trim().split(|c: char| c.is_ascii_digit()).for_each(|part| hasher.write(part.as_bytes()));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;

    use super::*;

    #[test]
    fn only_what_the_green_log_lacks_is_left_and_failures_stay() {
        let line = |n: u32| format!("fetched package-{} in {n} ms\n", n % 7);
        let setup = (0..400).map(line).collect::<Vec<_>>().concat();
        let green = format!("{setup}src/a.py:1: error: old\nall 12 tests passed\n");
        let read = GreenLines::read(|push| {
            push(green.as_bytes());
            Ok::<(), Infallible>(())
        });
        let Ok(read) = read;
        let limits = Limits { excerpt_chars: 12_000, green: Some(Arc::new(read)) };
        let mut reader = LogReader::new(limits);
        reader.push(setup.as_bytes());
        reader.push(b"warming up\nsrc/a.py:9: error: new\nall 12 tests passed\n");
        let excerpt = reader.finish().excerpt;
        assert!(excerpt.ends_with("\nwarming up\nsrc/a.py:9: error: new"), "{excerpt}");
        assert!(excerpt.starts_with("...[401 lines that the green log has, too, left out]..."));
    }
}
