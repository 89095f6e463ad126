//! A fix as a folder, for a second job that may push.
//!
//! ```text
//! bundle/
//!   manifest.json    the run, the failure, the files, and the digest of everything else
//!   outcome.json     the outcome of the run
//!   papayu.patch     the change, for people
//!   files/SHA256     each new content, named by its digest: no path of the change is a path here
//! ```
//!
//! The digest of `manifest.json` covers all of it. The first job passes it on outside the bundle
//! (as its output `bundle-digest`), so that the second job notices any change to the bundle.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::PublishError;
use super::fix::{ProvedFix, VettedFiles};
use papayu_base::domain::{
    Allowance, FailureReport, Fingerprint, Outcome, OutcomeKind, RepoPath, RunId, Sha256,
};
use papayu_base::text::Masker;
use papayu_forge::git::{BranchName, FileChange, Git, Oid};
use papayu_patch::protocol::Refusal;
use papayu_system::Disk;
use papayu_vet::Policy;

/// The manifest's file name.
pub const MANIFEST: &str = "manifest.json";
const OUTCOME: &str = "outcome.json";
const PATCH: &str = "papayu.patch";
const FILES: &str = "files";

/// Version of this form.
const VERSION: u32 = 1;
/// Longest manifest or outcome read, in bytes.
const MAX_JSON: u64 = 16 * 1024 * 1024;
/// Longest content or patch read, in bytes; the gates have smaller limits.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// The content of `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BundleManifest {
    /// Always `papayu-bundle`.
    pub format: String,
    /// Version of this form: 1.
    pub schema_version: u32,
    /// The program that wrote it, with its version.
    pub tool: String,
    /// The time it was written, RFC 3339.
    pub created_at: String,
    /// The run.
    pub run_id: RunId,
    /// The failure's name.
    pub fingerprint: Fingerprint,
    /// The commit that the change was made and proved on.
    pub base_commit: Oid,
    /// The branch of that commit, if known.
    pub base_branch: Option<BranchName>,
    /// The change, paths from the repository's top.
    pub files: Vec<BundledFile>,
    /// Digest of `papayu.patch`.
    #[schemars(with = "String")]
    pub patch_sha256: Sha256,
    /// Digest of `outcome.json`.
    #[schemars(with = "String")]
    pub outcome_sha256: Sha256,
    /// The settings that the change was vetted with; `publish` vets it again with its own.
    pub gates: GateFacts,
    /// The failures, secrets masked.
    pub failure: FailureReport,
    /// The author's summary of the change, secrets masked.
    pub summary: String,
}

/// One file of the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BundledFile {
    /// The file.
    pub path: String,
    /// Its mode afterwards: `100644` or `100755`.
    pub mode: String,
    /// The blob in the base commit; `null` where there is none.
    pub before: Option<Oid>,
    /// Digest of the bytes that git is to store; `null` removes the file.
    #[schemars(with = "Option<String>")]
    pub after_sha256: Option<Sha256>,
}

/// The settings that the first job vetted the change with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateFacts {
    /// `policy.allow_delete`.
    pub allow_delete: bool,
    /// The kinds of files that the change could touch.
    #[serde(default)]
    pub allow: BTreeSet<Allowance>,
}

/// A bundle with right digests. It becomes a [`ProvedFix`] by [`Bundle::vet`] only.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// The manifest.
    pub manifest: BundleManifest,
    /// The outcome of the run, with the proof.
    pub outcome: Outcome,
    /// The change as git stores it.
    files: Vec<FileChange>,
}

impl Bundle {
    /// Returns the fix of a bundle after every gate, on the files as `git` has them.
    ///
    /// # Errors
    ///
    /// `Tampered` when a file is not in the base commit as the bundle says, `Gate` when the change
    /// is refused.
    pub fn vet(
        self,
        git: &Git<'_>,
        policy: &Policy,
        masker: &Masker,
    ) -> Result<ProvedFix, PublishError> {
        let manifest = self.manifest;
        let base = manifest.base_commit;
        Ok(ProvedFix {
            files: VettedFiles::of_bundle(git, &base, self.files, policy, masker)?,
            run_id: manifest.run_id,
            fingerprint: manifest.fingerprint,
            base,
            base_branch: manifest.base_branch,
            outcome: self.outcome,
            failure: manifest.failure,
            summary: manifest.summary,
        })
    }
}

/// The content of a bundle that is to be written.
pub struct BundleSpec<'a> {
    /// The fix.
    pub fix: &'a ProvedFix,
    /// The change as a git patch, for people.
    pub patch: &'a [u8],
    /// The settings that the change was vetted with.
    pub gates: GateFacts,
    /// The time, RFC 3339.
    pub created_at: String,
    /// Masks the outcome, the failure and the summary.
    pub masker: &'a Masker,
}

/// Writes the bundle of a fix and returns the manifest's digest.
///
/// # Errors
///
/// Those of the disk. The manifest is written last, so that an incomplete bundle has none.
pub fn write_bundle(
    disk: &dyn Disk,
    folder: &Path,
    spec: BundleSpec<'_>,
) -> std::io::Result<Sha256> {
    let BundleSpec { fix, patch, gates, created_at, masker } = spec;
    let outcome = masker.masked_value(&fix.outcome).map_err(std::io::Error::other)?;
    let outcome = serde_json::to_vec_pretty(&*outcome).map_err(std::io::Error::other)?;
    let failure = masker.masked_value(&fix.failure).map_err(std::io::Error::other)?;
    let files = fix.files.as_slice().iter().map(|file| BundledFile {
        path: file.path.to_string(),
        mode: file.mode.clone(),
        before: file.before.clone(),
        after_sha256: file.after.as_deref().map(Sha256::of),
    });
    let manifest = BundleManifest {
        format: "papayu-bundle".to_owned(),
        schema_version: VERSION,
        tool: concat!("papayu-batch ", env!("CARGO_PKG_VERSION")).to_owned(),
        created_at,
        run_id: fix.run_id.clone(),
        fingerprint: fix.fingerprint.clone(),
        base_commit: fix.base.clone(),
        base_branch: fix.base_branch.clone(),
        files: files.collect(),
        patch_sha256: Sha256::of(patch),
        outcome_sha256: Sha256::of(&outcome),
        gates,
        failure: failure.into_inner(),
        summary: masker.masked(&fix.summary).into_inner(),
    };
    for after in fix.files.as_slice().iter().filter_map(|file| file.after.as_deref()) {
        disk.write(&folder.join(FILES).join(Sha256::of(after).to_string()), after)?;
    }
    disk.write(&folder.join(PATCH), patch)?;
    disk.write(&folder.join(OUTCOME), &outcome)?;
    // Last, so that a folder with a manifest is complete.
    let manifest = serde_json::to_vec_pretty(&manifest).map_err(std::io::Error::other)?;
    disk.write(&folder.join(MANIFEST), &manifest)?;
    Ok(Sha256::of(&manifest))
}

/// Reads a bundle and compares everything in it with its digests, and the manifest with `digest` if
/// one is given. Paths are checked for their form only; [`Bundle::vet`] does the rest.
///
/// # Errors
///
/// `Unreadable` for a missing file or another format, `Tampered` for another digest or a file that
/// is not in the manifest, `Gate` for a path that no change may have, `Unproved` for a run that did
/// not end with a green command.
pub fn read_bundle(
    disk: &dyn Disk,
    folder: &Path,
    digest: Option<Sha256>,
) -> Result<Bundle, PublishError> {
    let bytes = read_file(disk, &folder.join(MANIFEST), MAX_JSON)?;
    if digest.is_some_and(|digest| digest != Sha256::of(&bytes)) {
        let reason = format!("the digest of `{MANIFEST}` is {}", Sha256::of(&bytes));
        return Err(PublishError::Tampered(reason));
    }
    let manifest = parse_manifest(&bytes)?;
    read_verified(disk, folder, PATCH, manifest.patch_sha256, MAX_FILE)?;
    let outcome = read_verified(disk, folder, OUTCOME, manifest.outcome_sha256, MAX_JSON)?;
    let outcome: Outcome = serde_json::from_slice(&outcome)
        .map_err(|error| PublishError::Unreadable(format!("`{OUTCOME}`: {error}")))?;
    let mut files = Vec::new();
    let mut known = BTreeSet::new();
    for entry in &manifest.files {
        let path = RepoPath::parse(&entry.path)
            .map_err(|fault| PublishError::Gate(Refusal::of_path(files.len(), fault)))?;
        if !matches!(entry.mode.as_str(), "100644" | "100755") {
            let reason = format!("`{path}` has the mode `{}`", entry.mode.escape_debug());
            return Err(PublishError::Tampered(reason));
        }
        // The digest is the file name: a path of the change never becomes a path on this machine.
        let after = match entry.after_sha256 {
            Some(digest) => {
                let name = format!("{FILES}/{digest}");
                Some(read_verified(disk, folder, &name, digest, MAX_FILE)?)
            }
            None => None,
        };
        known.extend(entry.after_sha256.map(|digest| digest.to_string()));
        let (mode, before) = (entry.mode.clone(), entry.before.clone());
        files.push(FileChange { path, mode, before, after });
    }
    check_surplus(disk, folder, &known)?;
    check_proof(&manifest, &outcome)?;
    Ok(Bundle { manifest, outcome, files })
}

/// Reads a file of the bundle and compares it with its digest.
fn read_verified(
    disk: &dyn Disk,
    folder: &Path,
    name: &str,
    expected: Sha256,
    limit: u64,
) -> Result<Vec<u8>, PublishError> {
    let bytes = read_file(disk, &folder.join(name), limit)?;
    if Sha256::of(&bytes) == expected {
        return Ok(bytes);
    }
    Err(PublishError::Tampered(format!("`{name}` has another digest than the manifest says")))
}

/// Parses a manifest; another format or version is refused before its fields are used.
fn parse_manifest(bytes: &[u8]) -> Result<BundleManifest, PublishError> {
    let manifest: BundleManifest =
        serde_json::from_slice(bytes).map_err(|error| unreadable_manifest(&error.to_string()))?;
    if manifest.format != "papayu-bundle" {
        return Err(unreadable_manifest("its format is not `papayu-bundle`"));
    }
    if manifest.schema_version != VERSION {
        let version = manifest.schema_version;
        let reason = format!("version {version}; this program reads {VERSION}");
        return Err(unreadable_manifest(&reason));
    }
    // The name becomes a folder and a trailer of the commit.
    let id = manifest.run_id.as_str();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if id.is_empty() || id.len() > 64 || !id.bytes().all(is_plain) {
        return Err(unreadable_manifest(&format!("`{}` is no run", id.escape_debug())));
    }
    Ok(manifest)
}

/// Returns the error of a manifest that cannot be used.
fn unreadable_manifest(reason: &str) -> PublishError {
    PublishError::Unreadable(format!("`{MANIFEST}`: {reason}"))
}

/// Refuses files that are not in the manifest.
fn check_surplus(
    disk: &dyn Disk,
    folder: &Path,
    known: &BTreeSet<String>,
) -> Result<(), PublishError> {
    // A later version of this program might read a file that this one ignores.
    let ours = [MANIFEST, OUTCOME, PATCH, FILES];
    let outer = list_names(disk, folder)?.into_iter().filter(|name| !ours.contains(&name.as_str()));
    let inner = list_names(disk, &folder.join(FILES))?;
    let inner = inner.into_iter().filter(|name| !known.contains(name));
    match outer.chain(inner).next() {
        Some(name) => {
            let name = name.escape_debug();
            Err(PublishError::Tampered(format!("`{name}` is not in the manifest")))
        }
        None => Ok(()),
    }
}

/// Returns the names of the entries of a folder.
fn list_names(disk: &dyn Disk, folder: &Path) -> Result<Vec<String>, PublishError> {
    let entries = disk.list(folder).map_err(|error| PublishError::Unreadable(error.to_string()))?;
    let names = entries.iter().filter_map(|path| path.file_name());
    Ok(names.map(|name| name.to_string_lossy().into_owned()).collect())
}

/// Refuses a change that was not red before and green after, and a manifest and an outcome of
/// different runs.
fn check_proof(manifest: &BundleManifest, outcome: &Outcome) -> Result<(), PublishError> {
    // The word `fixed` alone would be a claim of the first job; the recorded runs of the command have to
    // say so too.
    let green = outcome.verify.after.as_ref().is_some_and(|after| after.exit_code == Some(0));
    let red = outcome.verify.before.as_ref().is_none_or(|before| before.exit_code != Some(0));
    if outcome.outcome != OutcomeKind::Fixed || !outcome.verified || !green || !red {
        return Err(PublishError::Unproved(format!("the run ended as {}", outcome.outcome.name())));
    }
    if manifest.files.is_empty() {
        return Err(PublishError::Unproved("it changes no file".to_owned()));
    }
    let same = outcome.run_id == manifest.run_id
        && outcome.fingerprint.as_deref() == Some(manifest.fingerprint.as_str());
    if same {
        return Ok(());
    }
    Err(PublishError::Tampered("manifest and outcome are of different runs".to_owned()))
}

/// Reads a regular file up to a limit.
fn read_file(disk: &dyn Disk, path: &Path, limit: u64) -> Result<Vec<u8>, PublishError> {
    let shown = path.display();
    let unreadable =
        |error: std::io::Error| PublishError::Unreadable(format!("`{shown}`: {error}"));
    let mut bytes = Vec::new();
    // Opening a pipe would wait for its writer.
    if !disk.is_file(path) {
        return Err(PublishError::Unreadable(format!("`{shown}` is not a file")));
    }
    let source = disk.open(path).map_err(unreadable)?;
    // One byte more than permitted shows that there is more; the size that the file system reports could
    // change until the file is read.
    source.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(PublishError::Unreadable(format!("`{shown}` is longer than {limit} bytes")));
    }
    Ok(bytes)
}
