//! The journal of a batch: one JSON line a fact, on the disk before the next is begun.
//!
//! A task stands in it when it begins and, with its row, when it has ended. Whoever reads it after a kill
//! finds every task that ended; a last line that was torn is no line.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

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
    /// When each task that has a pull request ended, RFC 3339.
    pub pulls: Vec<String>,
    /// The last row of each task that ended, by key.
    pub rows: HashMap<String, Box<Row>>,
    /// The run of each task that did not end, by key.
    pub half_done: HashMap<String, RunId>,
    /// Whether the last call ended all that it was to do.
    pub complete: bool,
}

/// The journal, open for writing.
pub struct Journal<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
    lock: Mutex<()>,
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
        let mut reader = BufReader::new(file);
        loop {
            let mut bytes = Vec::new();
            let count = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)?;
            if count == 0 {
                return Ok(past);
            }
            let is_whole = bytes.last() == Some(&b'\n');
            if let Some(line) = serde_json::from_slice(&bytes).ok().filter(|_| is_whole) {
                past.take(line);
            }
        }
    }

    /// Returns how long before `now` each pull request was opened or updated.
    pub fn pulls_before(&self, now: &str) -> Vec<Duration> {
        let Ok(now) = now.parse::<Timestamp>() else { return Vec::new() };
        let then = self.pulls.iter().filter_map(|at| at.parse::<Timestamp>().ok());
        // A clock that was set back makes it no older than now.
        then.map(|then| Duration::try_from(now.duration_since(then)).unwrap_or_default()).collect()
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

    fn take(&mut self, line: Line) {
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
                    self.pulls.push(row.ended_at.clone());
                }
                self.rows.insert(row.key.clone(), row);
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
        disk.write(path, head(manifest, flags, now).as_bytes())?;
        Ok(Self { disk, path: path.to_owned(), lock: Mutex::new(()) })
    }

    /// Goes on with a journal that was read; a torn last line is ended first, so that the next one stands
    /// for itself.
    pub fn go_on(disk: &'a dyn Disk, path: &Path) -> io::Result<Self> {
        disk.append_durably(path, b"\n")?;
        Ok(Self { disk, path: path.to_owned(), lock: Mutex::new(()) })
    }

    /// Says that the tasks get other values of the command line from here on.
    pub fn changed(
        &self,
        (manifest, flags): (&Sha256, &BTreeMap<String, String>),
        now: &str,
    ) -> io::Result<()> {
        self.disk.append_durably(&self.path, head(manifest, flags, now).as_bytes())
    }

    /// Says that a task begins as the run of that name. With `durably` it is on the disk when this returns:
    /// what a run hands over is known again by its name. A task that hands nothing over is begun anew by
    /// whoever does not find it here.
    pub fn started(&self, key: &str, run: &RunId, at: &str, durably: bool) -> io::Result<()> {
        let (key, run, at) = (key.to_owned(), run.as_str().to_owned(), at.to_owned());
        let line = text(&Line::Started { key, run, at });
        let _held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if durably {
            self.disk.append_durably(&self.path, line.as_bytes())
        } else {
            self.disk.append(&self.path, line.as_bytes())
        }
    }

    /// Says that a task has ended; it is on the disk when this returns.
    pub fn ended(&self, row: &Row) -> io::Result<()> {
        let line = text(&Line::Ended(Box::new(row.clone())));
        let _held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.disk.append_durably(&self.path, line.as_bytes())
    }

    /// Reads the last row of each task that ended, by key.
    pub fn rows(&self) -> io::Result<HashMap<String, Box<Row>>> {
        Ok(Past::read(self.disk, &self.path)?.rows)
    }

    /// Says that nothing is left to do, of that shard where it is of one.
    pub fn complete(&self, at: &str, shard: Option<Shard>) -> io::Result<()> {
        let line = text(&Line::Complete { at: at.to_owned(), shard });
        self.disk.append_durably(&self.path, line.as_bytes())
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
    use crate::domain::{Outcome, OutcomeKind};
    use crate::system::os::OsDisk;

    fn row(key: &str, kind: OutcomeKind) -> Row {
        let outcome = Outcome::new(RunId::new("r".to_owned()), kind, "why");
        Row::of((key, key, key), &outcome, String::new())
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
        assert_eq!(past.rows["a"].outcome, OutcomeKind::Fixed, "the last row counts");
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
            Journal::go_on(&OsDisk, &cut).unwrap().ended(&row("c", OutcomeKind::Fixed)).unwrap();
            assert!(Past::read(&OsDisk, &cut).unwrap().rows.contains_key("c"), "{end}");
        }
    }
}
