//! Which tasks have ended: some bytes a task, and their rows in the journal, from where they are read.

use std::hash::{DefaultHasher, Hasher as _};
use std::io;
use std::path::Path;

use serde::Deserialize;

use super::row::{Row, Rows, Take};
use crate::system::{Disk, Parts};

/// A row that stands in the journal: where, and enough to see that it is still the one that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    at: u64,
    mark: u64,
    bytes: u32,
    is_good: bool,
}

/// How a task ended.
#[derive(Debug)]
pub enum Ended {
    /// As its row in the journal says.
    Written(Written),
    /// By a signal: it is not done, and not in the journal.
    Undone(Box<Row>),
}

/// A journal's line of a row.
#[derive(Deserialize)]
struct Line {
    ended: Row,
}

/// The rows of tasks that ended, read when they are asked for.
pub struct Ledger {
    journal: Box<dyn Parts>,
    rows: Vec<Ended>,
}

impl Ended {
    /// Tells whether there is nothing left to do about it.
    pub fn is_good(&self) -> bool {
        match self {
            Self::Written(written) => written.is_good,
            Self::Undone(row) => row.is_good(),
        }
    }
}

impl Written {
    pub(super) fn new(at: u64, line: &[u8], is_good: bool) -> Self {
        let bytes = u32::try_from(line.len()).unwrap_or(u32::MAX);
        Self { at, mark: mark(line), bytes, is_good }
    }
}

impl Ledger {
    /// Opens those rows of a journal, in their order.
    pub(super) fn open(disk: &dyn Disk, journal: &Path, rows: Vec<Ended>) -> io::Result<Self> {
        Ok(Self { journal: disk.open_parts(journal).map_err(gone)?, rows })
    }

    /// An error unless the journal is that long, and each row stands in it as it was written.
    pub(super) fn is_of(&self, bytes: u64) -> io::Result<()> {
        if self.journal.size()? == bytes { self.each(&mut |_| Ok(())) } else { Err(changed()) }
    }

    /// Puts the rows in the order of their names.
    pub fn by_name(mut self) -> io::Result<Self> {
        let mut names = Vec::with_capacity(self.rows.len());
        self.each(&mut |row| {
            names.push((row.name.clone(), row.key.clone()));
            Ok(())
        })?;
        let mut rows: Vec<_> = names.into_iter().zip(self.rows).collect();
        rows.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.rows = rows.into_iter().map(|(_, row)| row).collect();
        Ok(self)
    }
}

impl Rows for Ledger {
    fn each(&self, take: &mut Take<'_>) -> io::Result<()> {
        let mut line = Vec::new();
        for ended in &self.rows {
            let written = match ended {
                Ended::Written(written) => written,
                Ended::Undone(row) => {
                    take(row)?;
                    continue;
                }
            };
            line.resize(written.bytes as usize, 0);
            self.journal.read_at(written.at, &mut line).map_err(gone)?;
            if mark(&line) != written.mark {
                return Err(changed());
            }
            let line: Line = serde_json::from_slice(&line)?;
            take(&line.ended)?;
        }
        Ok(())
    }
}

/// Adds what the user can do where rows were changed; other errors stay as they are.
pub fn with_next(error: io::Error, next: &str) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(error.kind(), format!("{error}; {next}")),
        _ => error,
    }
}

fn gone(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => changed(),
        _ => error,
    }
}

fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "somebody changed its rows meanwhile")
}

/// What a line is known by.
fn mark(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(line);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Outcome, OutcomeKind, RunId};
    use crate::system::os::OsDisk;

    fn row(name: &str) -> Row {
        let outcome = Outcome::new(RunId::new("r".to_owned()), OutcomeKind::Fixed, "why");
        Row::of((name, name, name), &outcome, String::new())
    }

    fn names(ledger: &Ledger) -> io::Result<Vec<String>> {
        let mut all = Vec::new();
        ledger.each(&mut |row| {
            all.push(row.name.clone());
            Ok(())
        })?;
        Ok(all)
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "somebody else writes")]
    fn rows_are_read_in_any_order_and_none_that_is_not_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal.jsonl");
        let mut text = Vec::new();
        let mut rows = Vec::new();
        for name in ["b", "c", "a"] {
            let line = format!("{{\"ended\":{}}}\n", serde_json::to_string(&row(name)).unwrap());
            rows.push(Ended::Written(Written::new(text.len() as u64, line.as_bytes(), true)));
            text.extend_from_slice(line.as_bytes());
        }
        rows.insert(1, Ended::Undone(Box::new(row("z"))));
        rows.reverse();
        OsDisk.write(&journal, &text).unwrap();
        let ledger = Ledger::open(&OsDisk, &journal, rows).unwrap();
        assert_eq!(names(&ledger).unwrap(), ["a", "c", "z", "b"]);
        ledger.is_of(text.len() as u64).unwrap();
        let ledger = ledger.by_name().unwrap();
        assert_eq!(names(&ledger).unwrap(), ["a", "b", "c", "z"]);
        for (place, byte) in [(text.len() / 2, b'x'), (text.len() - 1, b' ')] {
            let mut changed = text.clone();
            changed[place] = byte;
            std::fs::write(&journal, &changed).unwrap();
            let told = names(&ledger).unwrap_err().to_string();
            assert!(told.contains("somebody changed"), "{told}");
        }
        std::fs::write(&journal, &text[..text.len() - 2]).unwrap();
        assert!(names(&ledger).unwrap_err().to_string().contains("somebody changed"));
        std::fs::write(&journal, [&text[..], b"{}\n"].concat()).unwrap();
        assert_eq!(names(&ledger).unwrap().len(), 4);
        assert!(ledger.is_of(text.len() as u64).is_err(), "a line that nobody wrote");
    }
}
