//! The journal: one file a change, with the bytes of both its sides.
//!
//! # Format
//!
//! `.papa-yu/journal/NNNNNNNN.STATE`, numbered upwards from 1. The first line is the seal of all that
//! follows, see [`Tree::seal`](papayu_system::Tree::seal): a journal that the repository brings has
//! none, and is refused. The second line is JSON:
//!
//! ```json
//! {"schema_version":1,"run_id":"…","created_at":"2026-08-07T09:00:00.000Z","steps":[
//!   {"kind":"write_file","path":"src/main.rs",
//!    "before":{"sha256":"…","len":120,"mode":420,"uid":1000,"gid":1000},
//!    "after":{"sha256":"…","len":131,"mode":420,"uid":1000,"gid":1000}}]}
//! ```
//!
//! `kind` is `create_dir`, `remove_dir`, `create_file`, `write_file` or `remove_file`; `before` and
//! `after` are `null` where there is no file; `uid` and `gid` are absent for a new file. The bytes
//! of every image follow after the newline, without separators: step by step, before and then
//! after. Unknown fields are ignored; another `schema_version` is refused.
//!
//! The name's ending is the state, so that a change of state is one rename:
//!
//! | state | meaning | an interruption ends in |
//! |---|---|---|
//! | `new` | being written, the tree is untouched | removal |
//! | `begun` | the tree may be any mixture of both sides | the old tree, removal |
//! | `kept` | the tree has the new side; `undo` takes the last one | – |
//! | `undoing`, `redoing` | again any mixture | the old tree, `undone` |
//! | `undone` | the tree has the old side; `redo` takes the first one after the last `kept` | – |
//!
//! # Order of syncs
//!
//! Each step below is on the disk before the next one begins, so that a power cut between any two
//! system calls leaves a journal that explains the tree:
//!
//! 1. The journal's bytes, then its name as `begun`, then the names of the folders it lies in: from
//!    here on the old side cannot be lost.
//! 2. The new bytes of every file, under temporary names in the same folder. A full disk shows here,
//!    while the tree still is the old one; and a rename can never become durable before the bytes
//!    it brings.
//! 3. Renames and removals, each atomic, in any mixture of which every single path has its old
//!    or its new content.
//! 4. The names in every folder that was changed; only then `kept`, or the removal of
//!    the journal: from here on the tree needs no journal.

use serde::{Deserialize, Serialize};

use papayu_base::domain::{RepoPath, RunId, Sha256};
use papayu_system::Owner;

use super::ApplyError;
use super::preflight::is_reserved;
use super::step::{ChangeSide, Image, PathChange, What};

/// Version of the format.
const SCHEMA_VERSION: u32 = 1;

/// A change with the bytes of both its sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangeJournal {
    /// From 1, in the order of the changes.
    pub(super) number: u32,
    pub(super) run_id: RunId,
    /// In RFC 3339, for the reports of `undo`.
    pub(super) created_at: String,
    /// In the order in which they were applied.
    pub(super) steps: Vec<PathChange>,
}

/// The second line of the file, as JSON.
#[derive(Serialize, Deserialize)]
struct JournalHeader {
    schema_version: u32,
    run_id: RunId,
    created_at: String,
    steps: Vec<StepRow>,
}

/// One step in the header. The bytes of its images follow after the header.
#[derive(Serialize, Deserialize)]
struct StepRow {
    kind: JournalKind,
    path: String,
    before: Option<ImageRow>,
    after: Option<ImageRow>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JournalKind {
    CreateDir,
    RemoveDir,
    CreateFile,
    WriteFile,
    RemoveFile,
}

/// The length and digest of one image, and the attributes that a restored file gets.
#[derive(Serialize, Deserialize)]
struct ImageRow {
    sha256: Sha256,
    len: u64,
    mode: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uid: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gid: Option<u32>,
}

impl ChangeJournal {
    /// Returns the changed paths, in order.
    pub(super) fn paths(&self) -> Vec<RepoPath> {
        self.steps.iter().map(|step| step.path.clone()).collect()
    }

    /// Returns the bytes of the journal file: the header as a line of JSON, then the bytes of all files.
    ///
    /// Fails if the header cannot be written as JSON, which its types exclude.
    pub(super) fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        let header = JournalHeader {
            schema_version: SCHEMA_VERSION,
            run_id: self.run_id.clone(),
            created_at: self.created_at.clone(),
            steps: self.steps.iter().map(encode_step).collect(),
        };
        let mut out = serde_json::to_vec(&header)?;
        out.push(b'\n');
        for step in &self.steps {
            for image in
                [ChangeSide::Before, ChangeSide::After].iter().filter_map(|side| step.image(*side))
            {
                out.extend_from_slice(&image.bytes);
            }
        }
        Ok(out)
    }

    /// Reads the bytes of the file at `path`. Everything that is not exactly the format is refused,
    /// because the file may come with the repository.
    pub(super) fn decode(path: &RepoPath, number: u32, bytes: &[u8]) -> Result<Self, ApplyError> {
        let broken = |reason: &str| ApplyError::broken_journal(path, reason);
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (header, mut blobs) = end
            .and_then(|end| bytes.split_at_checked(end + 1))
            .ok_or_else(|| broken("has no header"))?;
        let header: JournalHeader = serde_json::from_slice(header)
            .map_err(|error| ApplyError::broken_journal(path, format!("is no journal: {error}")))?;
        if header.schema_version != SCHEMA_VERSION {
            return Err(broken("was written by another version of this program"));
        }
        let steps = header
            .steps
            .into_iter()
            .map(|row| {
                // The images follow the header in the order of its rows.
                let step = decode_step(row, &mut blobs).map_err(broken)?;
                step.ok_or_else(|| broken("changes what is not ours to change"))
            })
            .collect::<Result<_, _>>()?;
        // Bytes after the last image would be a file that no digest covers.
        if !blobs.is_empty() {
            return Err(broken("goes on after its last image"));
        }
        Ok(Self { number, run_id: header.run_id, created_at: header.created_at, steps })
    }
}

/// Returns a step as a row of the journal's head.
fn encode_step(step: &PathChange) -> StepRow {
    let (before, after) = (step.image(ChangeSide::Before), step.image(ChangeSide::After));
    let kind = match (&step.what, before, after) {
        (What::MakeDir, ..) => JournalKind::CreateDir,
        (What::DropDir, ..) => JournalKind::RemoveDir,
        (_, None, _) => JournalKind::CreateFile,
        (_, _, None) => JournalKind::RemoveFile,
        _ => JournalKind::WriteFile,
    };
    let path = step.path.as_str().to_owned();
    StepRow { kind, path, before: before.map(encode_image), after: after.map(encode_image) }
}

/// Returns the head of an image; its bytes follow behind the head, in the order of the rows.
fn encode_image(image: &Image) -> ImageRow {
    ImageRow {
        sha256: Sha256::of(&image.bytes),
        len: image.bytes.len() as u64,
        mode: image.mode,
        uid: image.owner.map(|owner| owner.uid),
        gid: image.owner.map(|owner| owner.gid),
    }
}

/// Reads one step; `None` for a path that is reserved or protected.
fn decode_step(row: StepRow, blobs: &mut &[u8]) -> Result<Option<PathChange>, &'static str> {
    let path = RepoPath::parse(&row.path).map_err(|_| "names a path that is not allowed")?;
    let mut image = |row: Option<ImageRow>| row.map(|row| decode_image(&row, blobs)).transpose();
    let (before, after) = (image(row.before)?, image(row.after)?);
    let what = match (row.kind, &before, &after) {
        (JournalKind::CreateDir, None, None) => What::MakeDir,
        (JournalKind::RemoveDir, None, None) => What::DropDir,
        (JournalKind::CreateFile, None, Some(_))
        | (JournalKind::WriteFile, Some(_), Some(_))
        | (JournalKind::RemoveFile, Some(_), None) => What::File { before, after },
        _ => return Err("has a step without its images"),
    };
    // The gates refuse such paths, so this program did not write the journal.
    // A repository can bring a journal of its own; the seal is checked before, and this is the
    // second barrier.
    let is_ours = !is_reserved(&path) && !papayu_vet::is_protected(&path);
    Ok(is_ours.then_some(PathChange { path, what }))
}

/// Takes an image off the blobs and compares it with its digest.
fn decode_image(row: &ImageRow, blobs: &mut &[u8]) -> Result<Image, &'static str> {
    let (bytes, rest) = usize::try_from(row.len)
        .ok()
        .and_then(|len| blobs.split_at_checked(len))
        .ok_or("is cut off")?;
    if Sha256::of(bytes) != row.sha256 {
        return Err("has an image that is damaged");
    }
    *blobs = rest;
    let owner = row.uid.zip(row.gid).map(|(uid, gid)| Owner { uid, gid });
    // Set-user-id bits are dropped: a journal that came with the repository could otherwise create
    // a program that runs as root.
    Ok(Image { bytes: bytes.to_vec(), mode: row.mode & 0o1777, owner })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text).unwrap()
    }

    fn journal() -> ChangeJournal {
        let image = |text: &[u8], mode| {
            let owner = (mode == 0o755).then_some(Owner { uid: 1000, gid: 20 });
            Some(Image { bytes: text.to_vec(), mode, owner })
        };
        let file = |name: &str, before, after| PathChange {
            path: path(name),
            what: What::File { before, after },
        };
        ChangeJournal {
            number: 7,
            run_id: RunId::new("run".into()),
            created_at: "2026-08-07T09:00:00.000Z".into(),
            steps: vec![
                PathChange { path: path("новая папка"), what: What::MakeDir },
                file("новая папка/a", None, image(b"", 0o644)),
                file("b", image(b"\xff\0\n{}\n", 0o755), image(b"text\n", 0o755)),
                file("c/d", image(b"gone", 0o400), None),
                PathChange { path: path("c"), what: What::DropDir },
            ],
        }
    }

    fn decode(bytes: &[u8]) -> Result<ChangeJournal, ApplyError> {
        ChangeJournal::decode(&path("journal"), 7, bytes)
    }

    #[test]
    fn a_journal_is_read_back_as_it_was_written() {
        assert_eq!(decode(&journal().encode().unwrap()).unwrap(), journal());
    }

    #[test]
    fn a_journal_cut_off_anywhere_or_damaged_is_refused() {
        let bytes = journal().encode().unwrap();
        for end in 0..bytes.len() {
            assert!(
                matches!(decode(&bytes[..end]), Err(ApplyError::BrokenJournal { .. })),
                "{end}"
            );
        }
        let mut longer = bytes.clone();
        longer.push(b'x');
        assert!(decode(&longer).is_err());
        let mut damaged = bytes;
        *damaged.last_mut().unwrap() ^= 1;
        assert_eq!(
            decode(&damaged).unwrap_err().to_string(),
            "`journal` has an image that is damaged"
        );
    }

    #[test]
    fn a_forged_journal_reaches_neither_git_nor_secrets_nor_this_program_nor_beyond_the_root() {
        let text = String::from_utf8_lossy(&journal().encode().unwrap()).into_owned();
        let head = text.lines().next().unwrap();
        for (from, to, reason) in [
            ("\"c\"", "\".git\"", "changes what is not ours to change"),
            ("\"c\"", "\"sub/.GIT/hooks\"", "changes what is not ours to change"),
            ("\"c\"", "\".papa-yu/lock\"", "changes what is not ours to change"),
            ("\"c\"", "\"sub/.ENV\"", "changes what is not ours to change"),
            ("\"c\"", "\"papayu.toml\"", "changes what is not ours to change"),
            ("\"c\"", "\"../c\"", "names a path that is not allowed"),
            ("\"remove_dir\"", "\"create_file\"", "has a step without its images"),
            (
                "\"schema_version\":1",
                "\"schema_version\":2",
                "was written by another version of this program",
            ),
        ] {
            let mut forged = head.replace(from, to).into_bytes();
            let whole = journal().encode().unwrap();
            forged.extend_from_slice(&whole[head.len()..]);
            assert_eq!(
                decode(&forged).unwrap_err().to_string(),
                format!("`journal` {reason}"),
                "{to}"
            );
        }
    }

    #[test]
    fn unknown_fields_are_let_pass() {
        let bytes = journal().encode().unwrap();
        let mut newer = b"{\"later\":[1],".to_vec();
        newer.extend_from_slice(&bytes[1..]);
        assert_eq!(decode(&newer).unwrap(), journal());
    }
}
