//! A key of the user of this machine, for files in a repository that only this program may have written.
//!
//! It is `papayu-batch/journal.key` in the user's folder for state (`XDG_STATE_HOME`, else
//! `~/.local/state`), or in a private folder below that for temporary files where the user has no
//! home that can be written.
#![expect(clippy::disallowed_methods, reason = "the file belongs to the user, not to a repository")]

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use ring::hmac;
use rustix::fs::OFlags;
use rustix::process::geteuid;

use super::environment::{temporary_folder, variable};
use papayu_base::domain::Sha256;

/// Name of the key's file.
const FILE: &str = "journal.key";
/// Length of the key in bytes.
const LENGTH: usize = 32;
/// The permissions of everybody but the owner.
const OTHERS: u32 = 0o077;

/// Returns the HMAC-SHA256 of the parts, one after the other, under the user's key; makes the key
/// when there is none.
///
/// Fails with the error of the disk if no folder can have the key, or if the folder or file belongs to another
/// user or others may write to it.
pub(super) fn sign(parts: &[&[u8]]) -> io::Result<Sha256> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &load_key(&folders())?);
    let mut mac = hmac::Context::with_key(&key);
    for part in parts {
        mac.update(part);
    }
    let code = <[u8; 32]>::try_from(mac.sign().as_ref()).map_err(io::Error::other)?;
    Ok(Sha256::from(code))
}

/// Returns the folders that may have the key, the first usable one counts.
fn folders() -> Vec<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || absolute("HOME").map(|home| home.join(".local/state"));
    let state = absolute("XDG_STATE_HOME").or_else(home).map(|state| state.join("papayu-batch"));
    let shared = temporary_folder().join(format!("papayu-batch-{}", geteuid().as_raw()));
    state.into_iter().chain([shared]).collect()
}

/// Returns the key of the first folder that has it or can have it. Fails with the error of the last folder.
fn load_key(folders: &[PathBuf]) -> io::Result<[u8; LENGTH]> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for folder in folders {
        match load_or_make(folder) {
            Ok(key) => return Ok(key),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Returns the key in a folder; makes both if they are missing. Fails with `PermissionDenied` if others may
/// write to the folder or it belongs to another user.
fn load_or_make(folder: &Path) -> io::Result<[u8; LENGTH]> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // Others who may write here could have put their own key.
    let found = fs::symlink_metadata(folder)?;
    if !found.is_dir() || found.uid() != geteuid().as_raw() || found.mode() & 0o022 != 0 {
        return Err(foreign(folder));
    }
    let path = folder.join(FILE);
    match read_key(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        key => return key,
    }
    let temporary = folder.join(format!("{FILE}.{}", uuid::Uuid::new_v4()));
    let made = write_key(&temporary)
        // Unlike a rename, a link does not replace the key of a process that was faster.
        .and_then(|()| match fs::hard_link(&temporary, &path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        });
    let _ = fs::remove_file(&temporary);
    made?;
    read_key(&path)
}

/// Writes a new key to a file that must not exist, and syncs it.
fn write_key(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    // Two random ids have 244 random bits.
    let key = [uuid::Uuid::new_v4().into_bytes(), uuid::Uuid::new_v4().into_bytes()].concat();
    file.write_all(&key)?;
    file.sync_all()
}

/// Reads a key. Fails with `PermissionDenied` if the file belongs to another user, others may read it, or it
/// has another length.
fn read_key(path: &Path) -> io::Result<[u8; LENGTH]> {
    // Neither a link nor a pipe is followed or waited for.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let mut file: File = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    let is_ours = found.uid() == geteuid().as_raw() && found.mode() & OTHERS == 0;
    if !found.is_file() || !is_ours || found.len() != LENGTH as u64 {
        return Err(foreign(path));
    }
    let mut key = [0; LENGTH];
    file.read_exact(&mut key)?;
    Ok(key)
}

fn foreign(path: &Path) -> io::Error {
    let message = format!("`{}` is not this user's own", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_key_is_made_once_and_is_private() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/papayu-batch");
        let key = load_or_make(&folder).unwrap();
        assert_eq!(load_or_make(&folder).unwrap(), key);
        assert_eq!(fs::metadata(folder.join(FILE)).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert_ne!(load_or_make(&root.path().join("b")).unwrap(), key);
    }

    #[test]
    fn a_key_that_others_may_have_put_there_is_not_used() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("open");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(load_or_make(&folder).is_err());
        let (real, link) = (root.path().join("real"), root.path().join("link"));
        load_or_make(&real).unwrap();
        DirBuilder::new().mode(0o700).create(&link).unwrap();
        std::os::unix::fs::symlink(real.join(FILE), link.join(FILE)).unwrap();
        assert!(load_or_make(&link).is_err());
        let key = load_key(&[folder, link, real.clone()]).unwrap();
        assert_eq!(key, load_or_make(&real).unwrap());
    }
}
