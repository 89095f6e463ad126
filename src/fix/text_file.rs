//! Reads files of text up to a length: settings, prices, descriptions of events.

use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::error::FixError;
use papayu_system::Disk;
use papayu_system::os::OsClock;
use papayu_system::read::read_to_end;

/// The longest settings file read, in bytes.
pub(super) const MAX_SETTINGS: u64 = 1024 * 1024;

/// The longest wait for the other end of a pipe.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Reads a UTF-8 file of at most [`MAX_SETTINGS`] bytes.
///
/// Fails as [`text_up_to`] does.
pub(crate) fn text(disk: &dyn Disk, path: &Path) -> Result<String, FixError> {
    text_up_to(disk, path, MAX_SETTINGS)
}

/// Reads a UTF-8 file of at most [`MAX_SETTINGS`] bytes, which may be a pipe that takes `wait` to be written.
///
/// Fails as [`text_up_to`] does.
pub(crate) fn text_within(
    disk: &dyn Disk,
    path: &Path,
    wait: Duration,
) -> Result<String, FixError> {
    read_up_to(disk, path, MAX_SETTINGS, wait)
        .map_err(|source| FixError::Read { path: path.to_owned(), source })
}

/// Reads a UTF-8 file of at most `max` bytes.
///
/// Fails with [`FixError::Read`] if it cannot be read, is longer, or is not UTF-8.
pub(super) fn text_up_to(disk: &dyn Disk, path: &Path, max: u64) -> Result<String, FixError> {
    read_up_to(disk, path, max, MAX_WAIT)
        .map_err(|source| FixError::Read { path: path.to_owned(), source })
}

/// Reads a UTF-8 file. Fails with an error of kind `InvalidData` if it has more than `max` bytes or is not
/// UTF-8, and of kind `TimedOut` if its end does not come within `wait`.
fn read_up_to(disk: &dyn Disk, path: &Path, max: u64, wait: Duration) -> io::Result<String> {
    let clock = OsClock::new(Arc::default()).ending_at(wait);
    let mut source = disk.open(path)?.take(max + 1);
    let bytes = read_to_end(&mut source, &clock).map_err(|error| match error.kind() {
        // Nothing else interrupts it than the time.
        io::ErrorKind::Interrupted => {
            let message = format!("its end did not come within {} s", wait.as_secs());
            io::Error::new(io::ErrorKind::TimedOut, message)
        }
        _ => error,
    })?;
    if bytes.len() as u64 > max {
        let message = format!("it is longer than {max} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    String::from_utf8(bytes).map_err(|error| {
        io::Error::new(io::ErrorKind::InvalidData, format!("it is not UTF-8: {error}"))
    })
}
