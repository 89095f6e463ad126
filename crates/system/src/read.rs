//! Reads what [`super::Disk::open`] opened to its end: a pipe is waited for, until the run is asked
//! to stop.

use std::io::{self, Read};

use super::Clock;

/// The size of one read, in bytes.
const CHUNK_BYTES: usize = 64 * 1024;

/// Passes on what comes, in pieces of at most 64 KiB, until the source ends.
///
/// # Errors
///
/// The error of the source, and one of kind `Interrupted` when the run is interrupted while it waits for more:
/// the standard library's own functions would retry forever. The pieces before it were passed on.
pub fn read_pieces<R: Read + ?Sized>(
    source: &mut R,
    clock: &dyn Clock,
    each: &mut dyn FnMut(&[u8]),
) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match source.read(&mut chunk) {
            Ok(0) => return Ok(()),
            // Reading the pieces may take long, and a log may have no end.
            Ok(_) if clock.interrupted() => return Err(io::ErrorKind::Interrupted.into()),
            Ok(count) => each(chunk.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted && !clock.interrupted() => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns all bytes of a source. The caller limits their number, with [`Read::take`].
///
/// # Errors
///
/// Those of [`read_pieces`]; the bytes read before are lost.
pub fn read_to_end<R: Read + ?Sized>(source: &mut R, clock: &dyn Clock) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_pieces(source, clock, &mut |piece| bytes.extend_from_slice(piece))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;

    /// Has something to say every third time it is asked.
    struct Crumbs {
        asked: usize,
        left: &'static [u8],
    }

    impl Read for Crumbs {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.asked += 1;
            if !self.asked.is_multiple_of(3) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let (crumb, left) = self.left.split_at(self.left.len().min(2));
            self.left = left;
            buffer[..crumb.len()].copy_from_slice(crumb);
            Ok(crumb.len())
        }
    }

    /// Is asked to stop after so many looks.
    struct Looks(std::sync::Mutex<Cell<usize>>);

    impl Clock for Looks {
        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }
        fn timestamp(&self) -> String {
            String::new()
        }
        fn fresh_id(&self) -> String {
            String::new()
        }
        fn sleep(&self, _: Duration) -> bool {
            true
        }
        fn interrupted(&self) -> bool {
            let looks = self.0.lock().unwrap();
            looks.set(looks.get().saturating_sub(1));
            looks.get() == 0
        }
    }

    fn read(looks: usize) -> io::Result<Vec<u8>> {
        let clock = Looks(std::sync::Mutex::new(Cell::new(looks)));
        read_to_end(&mut Crumbs { asked: 0, left: b"a slow pipe" }, &clock)
    }

    #[test]
    fn a_pipe_with_nothing_to_say_is_waited_for_until_somebody_wishes_to_stop() {
        assert_eq!(read(100).unwrap(), b"a slow pipe");
        assert_eq!(read(4).unwrap_err().kind(), io::ErrorKind::Interrupted);
    }
}
