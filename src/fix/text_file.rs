//! Reads files of text up to a length: settings, prices, descriptions of events.

use std::io::{self, Read as _};
use std::path::Path;

use super::error::FixError;
use papayu_system::Disk;

/// The longest settings file read, in bytes.
pub(super) const MAX_SETTINGS: u64 = 1024 * 1024;

/// Reads a UTF-8 file of at most [`MAX_SETTINGS`] bytes.
///
/// Fails as [`text_up_to`] does.
pub(crate) fn text(disk: &dyn Disk, path: &Path) -> Result<String, FixError> {
    text_up_to(disk, path, MAX_SETTINGS)
}

/// Reads a UTF-8 file of at most `max` bytes.
///
/// Fails with [`FixError::Read`] if it cannot be read, is longer, or is not UTF-8.
pub(super) fn text_up_to(disk: &dyn Disk, path: &Path, max: u64) -> Result<String, FixError> {
    read_up_to(disk, path, max).map_err(|source| FixError::Read { path: path.to_owned(), source })
}

/// Reads a UTF-8 file. Fails with an error of kind `InvalidData` if it has more than `max` bytes or is not
/// UTF-8.
fn read_up_to(disk: &dyn Disk, path: &Path, max: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    disk.open(path)?.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        let message = format!("it is longer than {max} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    String::from_utf8(bytes).map_err(|error| {
        io::Error::new(io::ErrorKind::InvalidData, format!("it is not UTF-8: {error}"))
    })
}
