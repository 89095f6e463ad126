//! The journal of a batch: one JSON line a fact, on the disk before the next is begun.
//!
//! A task stands in it when it begins and, with its row, when it has ended. Whoever reads it after a kill
//! finds every task that ended; a last line that was torn is no line.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::expand::Planned;
use super::ledger::{Ended, Ledger, Written};
use super::plan::Spent;
use super::row::Row;
use super::select::Shard;
use crate::domain::{RunId, Sha256};
use crate::system::Disk;

/// Version of the form.
const FORM: u32 = 1;
/// Longest line read, in bytes; ours are far shorter.
const MAX_LINE: u64 = 1024 * 1024;

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// The first one, and again when a call changes what it says.
    Batch {
        form: u32,
        manifest: String,
        /// The digest of each value that the command line gave every task, by flag.
        #[serde(default)]
        flags: BTreeMap<String, String>,
        started_at: String,
    },
    /// A task begins, as the run of that name.
    Started { key: String, run: String, at: String },
    /// A task has ended.
    Ended(Box<Row>),
    /// Every task that was selected has ended; the shard is that of the call.
    Complete {
        at: String,
        #[serde(default)]
        shard: Option<Shard>,
    },
}

/// What earlier calls did.
#[derive(Debug, Default)]
pub struct Past {
    /// The digest of the manifest it is of; `None` where there is no journal.
    pub manifest: Option<String>,
    /// The digest of each value that the command line gave every task, by flag.
    pub flags: BTreeMap<String, String>,
    /// When the batch began first.
    pub started_at: String,
    /// Shards whose tasks have all ended, where the last call did not take all of them.
    pub shards: BTreeSet<Shard>,
    /// When each task that has a pull request ended.
    pub pulls: Vec<Timestamp>,
    /// What all of its tasks have spent.
    pub spent: Spent,
    /// The last row of each task that ended, by the digest of its key.
    pub rows: HashMap<Sha256, Written>,
    /// The run of each task that did not end, by key.
    pub half_done: HashMap<String, RunId>,
    /// Whether the last call ended all that it was to do.
    pub complete: bool,
    /// How long the journal is, in bytes.
    bytes: u64,
}

/// The journal, open for writing.
pub struct Journal<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
    /// How much of it is ours, in bytes.
    own: Mutex<u64>,
}

impl Past {
    /// Reads a journal; nothing where there is none. Lines that make no sense are passed over: each stands
    /// for itself.
    pub fn read(disk: &dyn Disk, path: &Path) -> io::Result<Self> {
        let mut past = Self::default();
        let file = match disk.open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(past),
            file => file?,
        };
        // A pipe or a device need not end.
        if !disk.is_file(path) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
        }
        let (mut reader, mut bytes) = (BufReader::new(file), Vec::new());
        while reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)? > 0 {
            let is_whole = bytes.last() == Some(&b'\n');
            if let Some(line) = serde_json::from_slice(&bytes).ok().filter(|_| is_whole) {
                past.take(line, &bytes);
            }
            past.bytes += bytes.len() as u64;
            bytes.clear();
        }
        Ok(past)
    }

    /// Takes the rows out: how each of a manifest's tasks ended, by number.
    pub fn by_number(&mut self, tasks: &[Planned]) -> Vec<Option<Ended>> {
        let rows = std::mem::take(&mut self.rows);
        let ended = |task: &Planned| rows.get(&Sha256::of(task.key.as_bytes())).copied();
        tasks.iter().map(|task| ended(task).map(Ended::Written)).collect()
    }

    /// Returns how long before `now` each pull request was opened or updated.
    pub fn pulls_before(&self, now: &str) -> Vec<Duration> {
        let Ok(now) = now.parse::<Timestamp>() else { return Vec::new() };
        // A clock that was set back makes it no older than now.
        let age =
            |then: &Timestamp| Duration::try_from(now.duration_since(*then)).unwrap_or_default();
        self.pulls.iter().map(age).collect()
    }

    /// Tells whether this shard is the next one of a batch that has its shards done one after the other.
    pub fn goes_on_with(&self, shard: Option<Shard>) -> bool {
        let is_next = |shard: Shard| {
            !self.shards.contains(&shard) && self.shards.iter().all(|done| done.is_beside(shard))
        };
        self.complete && !self.shards.is_empty() && shard.is_some_and(is_next)
    }

    /// Returns the flags whose values are not those that the batch has.
    pub fn differing(&self, flags: &BTreeMap<String, String>) -> Vec<String> {
        let all: BTreeSet<&String> = self.flags.keys().chain(flags.keys()).collect();
        let differ = |flag: &&String| self.flags.get(*flag) != flags.get(*flag);
        all.into_iter().filter(differ).cloned().collect()
    }

    /// Takes a line that begins where those before it end.
    fn take(&mut self, line: Line, bytes: &[u8]) {
        self.complete = false;
        match line {
            Line::Batch { form, manifest, flags, started_at } if form == FORM => {
                if self.manifest.is_none() {
                    self.started_at = started_at;
                }
                self.manifest = Some(manifest);
                self.flags = flags;
            }
            Line::Batch { .. } => {}
            Line::Started { key, run, .. } => {
                self.half_done.insert(key, RunId::new(run));
            }
            Line::Ended(row) => {
                self.half_done.remove(&row.key);
                if row.pr_url.is_some() {
                    self.pulls.extend(row.ended_at.parse::<Timestamp>().ok());
                }
                self.spent.add(&row);
                let written = Written::new(self.bytes, bytes, row.is_good());
                self.rows.insert(Sha256::of(row.key.as_bytes()), written);
            }
            Line::Complete { shard, .. } => {
                self.complete = true;
                match shard {
                    Some(shard) => drop(self.shards.insert(shard)),
                    None => self.shards.clear(),
                }
            }
        }
    }
}

impl<'a> Journal<'a> {
    /// Begins a journal anew.
    pub fn begin(
        disk: &'a dyn Disk,
        path: &Path,
        (manifest, flags): (&Sha256, &BTreeMap<String, String>),
        now: &str,
    ) -> io::Result<Self> {
        let head = head(manifest, flags, now);
        disk.write(path, head.as_bytes())?;
        Ok(Self { disk, path: path.to_owned(), own: Mutex::new(head.len() as u64) })
    }

    /// Goes on with a journal that was read; a torn last line is ended first, so that the next one stands
    /// for itself.
    pub fn go_on(disk: &'a dyn Disk, path: &Path, past: &Past) -> io::Result<Self> {
        let journal = Self { disk, path: path.to_owned(), own: Mutex::new(past.bytes) };
        journal.append("\n")?;
        Ok(journal)
    }

    /// Says that the tasks get other values of the command line from here on.
    pub fn changed(
        &self,
        (manifest, flags): (&Sha256, &BTreeMap<String, String>),
        now: &str,
    ) -> io::Result<()> {
        self.append(&head(manifest, flags, now)).map(drop)
    }

    /// Says that a task begins as the run of that name. With `durably` it is on the disk when this returns:
    /// what a run hands over is known again by its name. A task that hands nothing over is begun anew by
    /// whoever does not find it here.
    pub fn started(&self, key: &str, run: &RunId, at: &str, durably: bool) -> io::Result<()> {
        let (key, run, at) = (key.to_owned(), run.as_str().to_owned(), at.to_owned());
        let line = text(&Line::Started { key, run, at });
        if durably {
            return self.append(&line).map(drop);
        }
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        self.disk.append(&self.path, line.as_bytes())?;
        *own += line.len() as u64;
        Ok(())
    }

    /// Says that a task has ended; it is on the disk when this returns. Returns where it stands.
    pub fn ended(&self, row: &Row) -> io::Result<Written> {
        let line = text(&Line::Ended(Box::new(row.clone())));
        let at = self.append(&line)?;
        Ok(Written::new(at, line.as_bytes(), row.is_good()))
    }

    /// Says that nothing is left to do, of that shard where it is of one.
    pub fn complete(&self, at: &str, shard: Option<Shard>) -> io::Result<()> {
        self.append(&text(&Line::Complete { at: at.to_owned(), shard })).map(drop)
    }

    /// Opens rows for reading, in that order.
    pub fn open(&self, rows: Vec<Ended>) -> io::Result<Ledger> {
        Ledger::open(self.disk, &self.path, rows)
    }

    /// An error unless those rows stand where they were written and nothing in the journal is somebody else's.
    pub fn holds(&self, ledger: &Ledger) -> io::Result<()> {
        let own = *self.own.lock().unwrap_or_else(PoisonError::into_inner);
        ledger.is_of(own)
    }

    /// Appends a text durably and returns where it begins.
    fn append(&self, text: &str) -> io::Result<u64> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let end = self.disk.append_durably(&self.path, text.as_bytes())?;
        *own += text.len() as u64;
        Ok(end.saturating_sub(text.len() as u64))
    }
}

fn head(manifest: &Sha256, flags: &BTreeMap<String, String>, now: &str) -> String {
    let (manifest, started_at) = (manifest.to_string(), now.to_owned());
    text(&Line::Batch { form: FORM, manifest, flags: flags.clone(), started_at })
}

fn text(line: &Line) -> String {
    let mut text = serde_json::to_string(line).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::row::Rows as _;
    use crate::domain::{Outcome, OutcomeKind};
    use crate::system::os::OsDisk;

    fn outcomes(path: &Path) -> Vec<(String, OutcomeKind)> {
        let rows = Past::read(&OsDisk, path).unwrap().rows;
        let rows = rows.into_values().map(Ended::Written).collect();
        let ledger = Ledger::open(&OsDisk, path, rows).unwrap();
        let mut all = Vec::new();
        ledger
            .each(&mut |row| {
                all.push((row.key.clone(), row.outcome));
                Ok(())
            })
            .unwrap();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        all
    }

    fn row(key: &str, kind: OutcomeKind) -> Row {
        let outcome = Outcome::new(RunId::new("r".to_owned()), kind, "why");
        Row::of((key, key, key), &outcome, String::new())
    }

    #[test]
    fn what_an_attempt_cost_that_was_done_again_stays_spent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let head = (&Sha256::of(b"m"), &BTreeMap::new());
        let journal = Journal::begin(&OsDisk, &path, head, "t0").unwrap();
        for requests in [2, 3] {
            journal.ended(&Row { requests, ..row("a", OutcomeKind::NotFixed) }).unwrap();
        }
        let past = Past::read(&OsDisk, &path).unwrap();
        assert_eq!((past.rows.len(), past.spent.requests), (1, 5));
    }

    #[test]
    fn a_device_or_a_folder_in_the_journals_place_is_an_error_and_not_read() {
        let folder = tempfile::tempdir().unwrap();
        for path in [Path::new("/dev/zero"), folder.path()] {
            assert!(Past::read(&OsDisk, path).is_err(), "{}", path.display());
        }
        assert!(Past::read(&OsDisk, &folder.path().join("none")).unwrap().manifest.is_none());
    }

    #[test]
    fn a_journal_cut_at_any_byte_tells_what_had_ended_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let digest = Sha256::of(b"m");
        let flags = BTreeMap::from([("--run".to_owned(), "d".to_owned())]);
        let journal = Journal::begin(&OsDisk, &path, (&digest, &flags), "t0").unwrap();
        for key in ["a", "b"] {
            journal.started(key, &RunId::new("r".to_owned()), "t1", key == "a").unwrap();
            journal.ended(&row(key, OutcomeKind::NotFixed)).unwrap();
        }
        journal.ended(&row("a", OutcomeKind::Fixed)).unwrap();
        let shard = Shard::read("2/3", &|_| None).unwrap();
        journal.complete("t2", Some(shard)).unwrap();
        let mut whole = String::new();
        OsDisk.open(&path).unwrap().read_to_string(&mut whole).unwrap();
        let past = Past::read(&OsDisk, &path).unwrap();
        let ends = [("a", OutcomeKind::Fixed), ("b", OutcomeKind::NotFixed)];
        let ends = ends.map(|(key, kind)| (key.to_owned(), kind));
        assert_eq!(outcomes(&path), ends, "the last row counts");
        assert!(past.complete && past.half_done.is_empty());
        assert_eq!(past.manifest, Some(digest.to_string()));
        assert_eq!((past.flags, past.shards), (flags, BTreeSet::from([shard])));
        for end in 0..whole.len() {
            let cut = folder.path().join("cut.jsonl");
            let text = whole.get(..end).unwrap();
            OsDisk.write(&cut, text.as_bytes()).unwrap();
            let past = Past::read(&OsDisk, &cut).unwrap();
            let whole_lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
            let ended = whole_lines.filter(|line| line.contains("\"ended\"")).count();
            assert_eq!(past.rows.len(), ended.min(2), "{end}");
            assert!(!past.complete, "{end}");
            let journal = Journal::go_on(&OsDisk, &cut, &past).unwrap();
            let new = Ended::Written(journal.ended(&row("c", OutcomeKind::Fixed)).unwrap());
            let rows = past.rows.into_values().map(Ended::Written).chain([new]).collect();
            journal.holds(&journal.open(rows).unwrap()).unwrap();
            let ends = outcomes(&cut);
            assert_eq!(ends.last().unwrap(), &("c".to_owned(), OutcomeKind::Fixed), "{end}");
        }
    }
}
