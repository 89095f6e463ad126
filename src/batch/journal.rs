//! The journal of a batch: one JSON line for each fact, on the disk before the next step begins.
//!
//! A task has a line when it begins, and a line with its row when it ends. After a kill, the journal still names
//! every task that ended; a torn last line is ignored.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::plan::BatchSpend;
use super::row::TaskRow;
use super::select::Shard;
use crate::fix::FixError;
use papayu_base::domain::RunId;
use papayu_system::Disk;

/// Version of the file format.
// A journal of another version has no head for this one and counts as a batch of its own.
const FORM: u32 = 1;
/// Longest line read, in bytes; lines of ours are far shorter.
const MAX_LINE: u64 = 1024 * 1024;

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
// The names of the variants are part of the file format.
enum JournalLine {
    /// The first line, written again when a call changes the head.
    Batch {
        form: u32,
        #[serde(flatten)]
        head: BatchHead,
    },
    /// A task begins, as the run with this id.
    Started { key: String, run: String, at: String },
    /// A task ended.
    Ended(Box<TaskRow>),
    /// Every selected task ended; the shard is that of the call.
    Complete {
        at: String,
        #[serde(default)]
        shard: Option<Shard>,
    },
}

/// The properties of a batch that a later call has to share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BatchHead {
    /// The digest of the manifest.
    /// A changed manifest would give other tasks the same keys.
    pub manifest: String,
    /// The digest of each value that the command line sets for every task, by flag: values may be secret.
    #[serde(default)]
    // Compared only: nothing can be read back from a digest.
    pub flags: BTreeMap<String, String>,
    /// When the batch began, RFC 3339 in UTC.
    pub started_at: String,
}

/// The work of earlier calls, as read from a journal.
#[derive(Debug, Default)]
pub struct BatchHistory {
    // An older call's time remains the start of the batch.
    /// The head; `None` where there is no journal.
    pub head: Option<BatchHead>,
    /// Shards with no task left, where the last call did one shard.
    pub shards: BTreeSet<Shard>,
    /// When each task with a pull request ended.
    pub pull_requests: Vec<Timestamp>,
    /// The sum over all attempts.
    pub spent: BatchSpend,
    /// The last row of each task that ended, by key.
    pub rows: HashMap<String, TaskRow>,
    /// The run of each task that began and did not end, by key.
    pub unfinished: HashMap<String, RunId>,
    /// `true` if the last call ended all of its tasks.
    pub complete: bool,
    /// The digest of all bytes read.
    // Covers skipped lines as well, so that a change of them is detected.
    digest: Sha256,
}

/// The journal, open for writing.
pub struct BatchJournal<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
    /// The digest of all bytes that the file should have.
    // The mutex orders the threads of the workers.
    digest: Mutex<Sha256>,
}

impl BatchHistory {
    /// Reads a journal; the history is empty where there is none. Unreadable lines are skipped, since each line
    /// is complete by itself.
    ///
    /// # Errors
    ///
    /// [`FixError::Read`] if the path is no regular file, or reading fails.
    pub fn read(disk: &dyn Disk, path: &Path) -> Result<Self, FixError> {
        let mut history = Self::default();
        match history.read_lines(disk, path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(FixError::Read { path: path.to_owned(), source }),
            Ok(()) => Ok(history),
        }
    }

    /// Reads the lines of a journal, one JSON object each. A line that is invalid, or was cut off by a kill, is ignored.
    fn read_lines(&mut self, disk: &dyn Disk, path: &Path) -> io::Result<()> {
        let file = disk.open(path)?;
        // A pipe or a device may never end.
        if !disk.is_file(path) {
            // Named after the file was opened, so that an absent journal is no error.
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let (mut reader, mut bytes) = (BufReader::new(file), Vec::new());
        // A longer line is read in pieces, each of which is no valid object.
        while reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)? > 0 {
            // A torn line may be valid JSON by chance, such as a number.
            let is_whole = bytes.last() == Some(&b'\n');
            if let Some(line) = serde_json::from_slice(&bytes).ok().filter(|_| is_whole) {
                self.add(line);
            }
            self.digest.update(&bytes);
            bytes.clear();
        }
        Ok(())
    }

    /// Returns how long before `now` each pull request was opened or updated.
    pub fn pull_request_ages(&self, now: &str) -> Vec<Duration> {
        // Without the time, the limit of pull requests in an hour cannot count earlier ones.
        let Ok(now) = now.parse::<Timestamp>() else { return Vec::new() };
        let mut ages = Vec::new();
        for then in &self.pull_requests {
            // The difference is negative after a clock was set back; such a pull request counts as new.
            ages.push(Duration::try_from(now.duration_since(*then)).unwrap_or_default());
        }
        ages
    }

    /// Returns whether `shard` continues a batch that runs its shards one after the other.
    /// The batch is complete, did only shards, and this one of the same count is not among
    /// them.
    pub fn continues_with(&self, shard: Option<Shard>) -> bool {
        let Some(shard) = shard else { return false };
        self.complete
            && !self.shards.is_empty()
            && !self.shards.contains(&shard)
            && self.shards.iter().all(|done| done.has_same_count(shard))
    }

    /// Returns the flags with values other than those of the batch.
    /// A flag that only one of both calls has is among them.
    pub fn changed_flags(&self, flags: &BTreeMap<String, String>) -> Vec<String> {
        // A batch without a head was started without flags.
        let none = BTreeMap::new();
        let known = self.head.as_ref().map_or(&none, |head| &head.flags);
        // Sorted, so that the message is the same each time.
        let all: BTreeSet<&String> = known.keys().chain(flags.keys()).collect();
        all.into_iter().filter(|flag| known.get(*flag) != flags.get(*flag)).cloned().collect()
    }

    /// Adds a line. A row replaces the one before it with the same key.
    fn add(&mut self, line: JournalLine) {
        // Any later line means that another call has begun.
        self.complete = false;
        match line {
            JournalLine::Batch { form, mut head } if form == FORM => {
                // Written again with other flags: the batch began with its first line.
                if let Some(first) = self.head.take() {
                    head.started_at = first.started_at;
                }
                self.head = Some(head);
            }
            // Of another version of this program.
            JournalLine::Batch { .. } => {}
            JournalLine::Started { key, run, .. } => {
                // A later attempt replaces the run of an earlier one.
                self.unfinished.insert(key, RunId::new(run));
            }
            JournalLine::Ended(row) => {
                // The run has ended, so that a retry gets a run of its own.
                self.unfinished.remove(&row.key);
                if row.pr_url.is_some() {
                    self.pull_requests.extend(row.ended_at.parse::<Timestamp>().ok());
                }
                self.spent.add(&row);
                self.rows.insert(row.key.clone(), *row);
            }
            JournalLine::Complete { shard, .. } => {
                self.complete = true;
                match shard {
                    Some(shard) => drop(self.shards.insert(shard)),
                    // A call without a shard did the whole manifest.
                    // Later shards would be parts of another round.
                    None => self.shards.clear(),
                }
            }
        }
    }
}

impl<'a> BatchJournal<'a> {
    /// Begins a new journal in place of one that is there.
    ///
    /// # Errors
    ///
    /// [`FixError::Write`] if the file cannot be written; so do the other functions.
    pub fn create(disk: &'a dyn Disk, path: &Path, head: BatchHead) -> Result<Self, FixError> {
        // The first line is written with the file, which replaces an old one atomically.
        let text = text_of(&JournalLine::Batch { form: FORM, head });
        let journal = Self { disk, path: path.to_owned(), digest: Mutex::default() };
        journal.digest.lock().unwrap_or_else(PoisonError::into_inner).update(&text);
        disk.write(path, text.as_bytes()).map_err(|source| journal.write_error(source))?;
        Ok(journal)
    }

    /// Continues a journal that was read.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn resume(
        disk: &'a dyn Disk,
        path: &Path,
        history: &BatchHistory,
    ) -> Result<Self, FixError> {
        let digest = Mutex::new(history.digest.clone());
        let journal = Self { disk, path: path.to_owned(), digest };
        // The line end completes a torn last line, so that the next line is readable.
        journal.append("\n")?;
        Ok(journal)
    }

    /// Records other values of the command line for the tasks that follow.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn record_head(&self, head: BatchHead) -> Result<(), FixError> {
        self.append(&text_of(&JournalLine::Batch { form: FORM, head }))
    }

    /// Records that a task begins as a run. With `durably` the line is on the disk when this returns, because a
    /// later call recognizes by the run's id what the run has delivered. A task that delivers nothing can be done
    /// again without harm.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn record_start(
        &self,
        key: &str,
        run: &RunId,
        at: &str,
        durably: bool,
    ) -> Result<(), FixError> {
        let (key, run, at) = (key.to_owned(), run.as_str().to_owned(), at.to_owned());
        let text = text_of(&JournalLine::Started { key, run, at });
        if durably {
            return self.append(&text);
        }
        // The lock is taken before the write, so that lines and digest have one order.
        let mut digest = self.digest.lock().unwrap_or_else(PoisonError::into_inner);
        let written = self.disk.append(&self.path, text.as_bytes());
        written.map_err(|source| self.write_error(source))?;
        digest.update(&text);
        Ok(())
    }

    /// Records that a task ended; the row is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// If the file cannot be written or flushed.
    pub fn record_end(&self, row: &TaskRow) -> Result<(), FixError> {
        self.append(&text_of(&JournalLine::Ended(Box::new(row.clone()))))
    }

    /// Records that all selected tasks ended, those of a shard where the call did one.
    ///
    /// # Errors
    ///
    /// If the file cannot be written or flushed.
    pub fn record_completion(&self, at: &str, shard: Option<Shard>) -> Result<(), FixError> {
        self.append(&text_of(&JournalLine::Complete { at: at.to_owned(), shard }))
    }

    /// Checks that no other process has written to the file: a command of a task can.
    ///
    /// # Errors
    ///
    /// [`FixError::Write`] if the file has other bytes than those that were read and written, and
    /// [`FixError::Read`] if it cannot be read.
    pub fn verify(&self) -> Result<(), FixError> {
        let found = BatchHistory::read(self.disk, &self.path)?.digest.finalize();
        let expected = self.digest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if found == expected.finalize() {
            return Ok(());
        }
        let message = "somebody changed its rows meanwhile; `--resume` believes those that are there; \
                       `--restart` does every task again";
        Err(self.write_error(io::Error::other(message)))
    }

    /// Appends a line and flushes it to the disk before it returns.
    fn append(&self, text: &str) -> Result<(), FixError> {
        // Other threads append in the order in which the digest is updated.
        let mut digest = self.digest.lock().unwrap_or_else(PoisonError::into_inner);
        let written = self.disk.append_durably(&self.path, text.as_bytes());
        written.map_err(|source| self.write_error(source))?;
        digest.update(text);
        Ok(())
    }

    /// Returns an error of the disk with the path of the journal.
    fn write_error(&self, source: io::Error) -> FixError {
        FixError::Write { path: self.path.clone(), source }
    }
}

/// Returns a line as it is written.
/// The text is one line: JSON escapes line feeds in strings.
fn text_of(line: &JournalLine) -> String {
    // The types serialise without errors: keys are strings and numbers finite.
    let mut text = serde_json::to_string(line).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::{Outcome, OutcomeKind};
    use papayu_system::os::OsDisk;

    fn outcomes(path: &Path) -> Vec<(String, OutcomeKind)> {
        let rows = BatchHistory::read(&OsDisk, path).unwrap().rows;
        let mut all: Vec<_> = rows.into_values().map(|row| (row.key, row.outcome)).collect();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        all
    }

    fn row(key: &str, kind: OutcomeKind) -> TaskRow {
        let outcome = Outcome::new(RunId::new("r".to_owned()), kind, "why");
        TaskRow::new(key, key, key, &outcome, String::new())
    }

    fn head(flags: BTreeMap<String, String>) -> BatchHead {
        BatchHead { manifest: "m".to_owned(), flags, started_at: "t0".to_owned() }
    }

    #[test]
    fn what_an_attempt_cost_that_was_done_again_stays_spent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let journal = BatchJournal::create(&OsDisk, &path, head(BTreeMap::new())).unwrap();
        for requests in [2, 3] {
            journal.record_end(&TaskRow { requests, ..row("a", OutcomeKind::NotFixed) }).unwrap();
        }
        let history = BatchHistory::read(&OsDisk, &path).unwrap();
        assert_eq!((history.rows.len(), history.spent.requests), (1, 5));
    }

    #[test]
    fn a_device_or_a_folder_in_the_journals_place_is_an_error_and_not_read() {
        let folder = tempfile::tempdir().unwrap();
        for path in [Path::new("/dev/zero"), folder.path()] {
            assert!(BatchHistory::read(&OsDisk, path).is_err(), "{}", path.display());
        }
        assert!(BatchHistory::read(&OsDisk, &folder.path().join("none")).unwrap().head.is_none());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "another process writes")]
    fn a_journal_that_somebody_else_changes_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let journal = BatchJournal::create(&OsDisk, &path, head(BTreeMap::new())).unwrap();
        for name in ["b", "c"] {
            journal.record_end(&row(name, OutcomeKind::Fixed)).unwrap();
        }
        journal.verify().unwrap();
        let text = std::fs::read(&path).unwrap();
        for (place, byte) in [(text.len() / 2, b'x'), (text.len() - 1, b' ')] {
            let mut changed = text.clone();
            changed[place] = byte;
            std::fs::write(&path, &changed).unwrap();
            let message = journal.verify().unwrap_err().to_string();
            assert!(message.contains("somebody changed"), "{message}");
        }
        std::fs::write(&path, &text[..text.len() - 2]).unwrap();
        assert!(journal.verify().is_err(), "a row is torn");
        std::fs::write(&path, [&text[..], b"{}\n"].concat()).unwrap();
        assert!(journal.verify().is_err(), "a line that the batch did not write");
        std::fs::remove_file(&path).unwrap();
        assert!(journal.verify().is_err(), "the file is not there");
    }

    #[test]
    fn a_journal_cut_at_any_byte_tells_what_had_ended_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let flags = BTreeMap::from([("--run".to_owned(), "d".to_owned())]);
        let journal = BatchJournal::create(&OsDisk, &path, head(flags.clone())).unwrap();
        for key in ["a", "b"] {
            journal.record_start(key, &RunId::new("r".to_owned()), "t1", key == "a").unwrap();
            journal.record_end(&row(key, OutcomeKind::NotFixed)).unwrap();
        }
        journal.record_end(&row("a", OutcomeKind::Fixed)).unwrap();
        let shard = Shard::parse("2/3", &|_| None).unwrap();
        journal.record_completion("t2", Some(shard)).unwrap();
        let mut whole = String::new();
        OsDisk.open(&path).unwrap().read_to_string(&mut whole).unwrap();
        let history = BatchHistory::read(&OsDisk, &path).unwrap();
        let ends = [("a", OutcomeKind::Fixed), ("b", OutcomeKind::NotFixed)];
        let ends = ends.map(|(key, kind)| (key.to_owned(), kind));
        assert_eq!(outcomes(&path), ends, "the last row counts");
        assert!(history.complete && history.unfinished.is_empty());
        assert_eq!((history.head, history.shards), (Some(head(flags)), BTreeSet::from([shard])));
        for end in 0..whole.len() {
            let cut = folder.path().join("cut.jsonl");
            let text = whole.get(..end).unwrap();
            OsDisk.write(&cut, text.as_bytes()).unwrap();
            let history = BatchHistory::read(&OsDisk, &cut).unwrap();
            let whole_lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
            let ended = whole_lines.filter(|line| line.contains("\"ended\"")).count();
            assert_eq!(history.rows.len(), ended.min(2), "{end}");
            assert!(!history.complete, "{end}");
            let journal = BatchJournal::resume(&OsDisk, &cut, &history).unwrap();
            journal.record_end(&row("c", OutcomeKind::Fixed)).unwrap();
            journal.verify().unwrap();
            let ends = outcomes(&cut);
            assert_eq!(ends.last().unwrap(), &("c".to_owned(), OutcomeKind::Fixed), "{end}");
        }
    }
}
