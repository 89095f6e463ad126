//! Reads files that a repository can replace: a pipe is not waited for, and a device is not read.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

/// Returns the start of a regular file, at most `limit` bytes; `None` for a missing file and for all that is none.
pub(super) fn read_regular(path: &Path, limit: u64) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(openat(CWD, path, flags, Mode::empty()).ok()?);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns the text of a short regular file, of git for example; empty where there is none.
pub(super) fn read_short(path: &Path) -> String {
    const LIMIT: u64 = 1 << 20;
    let bytes = read_regular(path, LIMIT).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
