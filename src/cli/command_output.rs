//! Prints the output of the user's command as it comes, secrets masked.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::event_text::Mask;
use super::output::without_deception;
use super::streams::{as_output_shows, print_stderr};

/// Longest text that is kept back until its line, or the key in it, is complete, in bytes.
const MAX_PENDING: usize = 1 << 16;

/// Prints complete lines on stderr.
pub(super) struct CommandPrinter {
    mask: Mask,
    pending: Mutex<Vec<u8>>,
}

impl CommandPrinter {
    /// Prints text that went through `mask`.
    pub(super) fn new(mask: Mask) -> Self {
        Self { mask, pending: Mutex::default() }
    }

    /// Takes more output and prints the lines that are complete.
    pub(super) fn push(&self, bytes: &[u8]) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.extend_from_slice(bytes);
        let length = printable_length(&pending);
        let lines: Vec<u8> = pending.drain(..length).collect();
        self.print(&lines);
    }

    /// Prints the rest after the command has ended.
    pub(super) fn flush(&self) {
        let mut rest =
            std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        if !rest.is_empty() && !rest.ends_with(b"\n") {
            rest.push(b'\n');
        }
        self.print(&rest);
    }

    /// Prints masked bytes on stderr.
    fn print(&self, bytes: &[u8]) {
        if !bytes.is_empty() {
            let text = String::from_utf8_lossy(bytes);
            let text = without_deception(&(self.mask)(&as_output_shows(&text, &io::stderr())));
            // A closed stderr is no reason to stop a repair.
            let _ = print_stderr(&text);
        }
    }
}

/// Returns the number of bytes that can be printed: complete lines without an incomplete key: its lines would
/// not be masked one by one.
fn printable_length(pending: &[u8]) -> usize {
    if pending.len() > MAX_PENDING {
        return pending.len();
    }
    let text = String::from_utf8_lossy(pending);
    let begins = text.rfind("-----BEGIN ");
    let is_open =
        begins.is_some_and(|begin| !text.get(begin..).unwrap_or_default().contains("-----END "));
    match memchr::memrchr(b'\n', pending) {
        _ if is_open => 0,
        Some(end) => end + 1,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_lines_without_an_open_key_are_printed() {
        assert_eq!(printable_length(b"ok 1\nok"), 5);
        assert_eq!(printable_length(b"ok"), 0);
        assert_eq!(printable_length(b"a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n"), 0);
        assert_eq!(printable_length(b"-----BEGIN KEY-----\nMII\n-----END KEY-----\n"), 42);
        assert_eq!(printable_length(&vec![b'x'; MAX_PENDING + 1]), MAX_PENDING + 1);
    }
}
