//! Goes on with the batch that a folder of results holds, or begins one there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::desk::Desk;
use super::run::journal_of;
use crate::batch::journal::{Journal, Past};
use crate::batch::select::Shard;
use crate::cli::CliError;
use crate::cli::args::{BatchArgs, SelectArgs};
use crate::domain::{RepoPath, Sha256};
use crate::fix::FixError;
use crate::system::{Disk as _, Lock};

/// What a call asks of the folder.
pub(super) struct Begin<'a> {
    select: &'a SelectArgs,
    manifest: &'a Sha256,
    shard: Option<Shard>,
    out: &'a Path,
    /// The digest of each value that the command line gives every task, by flag: values may be secret.
    flags: BTreeMap<String, String>,
}

impl<'a> Begin<'a> {
    pub(super) fn new(
        args: &'a BatchArgs,
        manifest: &'a Sha256,
        shard: Option<Shard>,
        out: &'a Path,
    ) -> Self {
        let digest = |value: &str| Sha256::of(value.as_bytes()).to_string();
        let flags = args.task_flags();
        let flags = flags.iter().map(|(_, value, flag)| ((*flag).to_owned(), digest(value)));
        Self { select: &args.select, manifest, shard, out, flags: flags.collect() }
    }

    /// Returns what earlier calls did, as far as this one goes on with it.
    pub(super) fn past(&self, desk: &Desk) -> Result<Past, CliError> {
        let past = self.read(desk)?;
        Ok(if self.goes_on(&past)? { past } else { Past::default() })
    }

    /// Opens the journal: goes on with that of earlier calls, or begins one in its place.
    pub(super) fn journal<'d>(&self, desk: &'d Desk, past: &Past) -> Result<Journal<'d>, CliError> {
        let (path, disk) = (self.path(), &desk.session.disk);
        let fault = |source| FixError::Write { path: path.clone(), source };
        let (head, now) = ((self.manifest, &self.flags), &desk.outside.started);
        if past.manifest.is_some() {
            let journal = Journal::go_on(disk, &path, past).map_err(fault)?;
            if !past.differing(&self.flags).is_empty() {
                journal.changed(head, now).map_err(fault)?;
            }
            return Ok(journal);
        }
        Ok(Journal::begin(disk, &path, head, now).map_err(fault)?)
    }

    /// Tells whether this call goes on with what is there; an error where it must not touch it.
    fn goes_on(&self, past: &Past) -> Result<bool, CliError> {
        let SelectArgs { resume, failed, restart, .. } = *self.select;
        let folder = || self.out.to_owned();
        let Some(manifest) = past.manifest.as_ref().filter(|_| !restart) else { return Ok(false) };
        let is_same = *manifest == self.manifest.to_string();
        let goes_on = resume || failed || is_same && past.goes_on_with(self.shard);
        if !goes_on {
            return if past.complete {
                Ok(false)
            } else {
                Err(CliError::Unfinished { folder: folder() })
            };
        }
        if !is_same {
            return Err(CliError::OtherManifest { folder: folder() });
        }
        let flags = past.differing(&self.flags);
        if !failed && !flags.is_empty() {
            return Err(CliError::OtherFlags { folder: folder(), flags });
        }
        Ok(true)
    }

    fn read(&self, desk: &Desk) -> Result<Past, CliError> {
        let path = self.path();
        let past = Past::read(&desk.session.disk, &path);
        Ok(past.map_err(|source| FixError::Read { path, source })?)
    }

    fn path(&self) -> PathBuf {
        journal_of(self.out)
    }
}

/// Two batches at once in one folder would do everything twice.
pub(super) fn lock(desk: &Desk, out: &Path) -> Result<Box<dyn Lock>, CliError> {
    let disk = &desk.session.disk;
    let held = || {
        disk.make_folder(out)?;
        let name =
            RepoPath::parse("batch.lock").map_err(|it| std::io::Error::other(it.to_string()))?;
        disk.open_tree(out)?.lock(&name)
    };
    held().map_err(|source| match source.kind() {
        std::io::ErrorKind::WouldBlock => CliError::InUse { folder: out.to_owned() },
        _ => FixError::Write { path: out.to_owned(), source }.into(),
    })
}
