//! `papayu-batch report merge`: what the shards of a batch came to, as one summary.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::leave::leave;
use super::run::absolute;
use crate::batch::summary::{Summary, merged};
use crate::batch::{Row, Rows};
use crate::cli::args::GlobalArgs;
use crate::cli::{CliError, Output, doors};
use crate::domain::ExitCode;
use crate::fix::FixError;
use crate::system::Disk as _;
use crate::system::read::whole;

/// Longest summary read.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Joins the summaries in the folders, and leaves the forms in `out`.
pub(in crate::cli) fn merge(
    global: &GlobalArgs,
    (folders, out): (&[PathBuf], &Path),
    output: &Output,
) -> Result<ExitCode, CliError> {
    let session = doors::session(global, Vec::new())?;
    let outside = doors::outside(&session)?;
    let out = absolute(out)?;
    let mut shards = Vec::new();
    for folder in folders {
        let path = folder.join("summary.json");
        let read = || {
            let mut file = session.disk.open(&path)?.take(MAX_BYTES);
            Ok(serde_json::from_slice::<Summary>(&whole(&mut file, outside.system().clock)?)?)
        };
        let summary = read()
            .map_err(|source: std::io::Error| FixError::Read { path: path.clone(), source })?;
        shards.push((folder.display().to_string(), summary));
    }
    let (mut summary, from) = merged(shards)?;
    // Only what lies below the page can be linked wherever both are taken to.
    let results = |row: &Row| {
        let shard = absolute(Path::new(from.get(&row.name)?)).ok()?;
        let below = shard.strip_prefix(&out).ok()?.join(&row.name);
        below.to_str().map(str::to_owned)
    };
    session
        .disk
        .make_folder(&out)
        .map_err(|source| FixError::Write { path: out.clone(), source })?;
    let rows = std::mem::take(&mut summary.tasks);
    let summary = summary.with(&rows as &dyn Rows);
    leave((&session, &outside.masker), &out, summary, &results, output)
}
