//! Standard output and standard error, where the wait for a reader ends.
//!
//! A write to a pipe without a reader does not end. So a thread of its own writes each stream, and the caller waits for it
//! only as long as the time limit allows. The process can end while such a thread waits.
#![expect(
    clippy::disallowed_methods,
    reason = "a reader is waited for in real time, whatever clock a run has"
)]

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anstream::adapter::strip_str;
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};

/// Longest text that is written at once: a slow reader of a long text is no stalled one.
const PIECE: usize = 1 << 16;
/// Time that is added to the limit of a run, since its results are printed after it.
const AFTER_RUN: Duration = Duration::from_millis(800);
/// Shortest wait, for a text that comes after the end.
const SHORTEST: Duration = Duration::from_millis(100);
/// Wait before another attempt at a stream that another process has set not to wait.
const PAUSE: Duration = Duration::from_millis(5);

static OUTPUT: OutputStream = OutputStream::new();
static ERROR: OutputStream = OutputStream::new();
static LIMIT: Mutex<WaitLimit> = Mutex::new(WaitLimit::Each(Duration::from_mins(30)));

/// The longest wait for a reader.
#[derive(Clone, Copy)]
enum WaitLimit {
    /// For each piece of a text.
    Each(Duration),
    /// For all that is written.
    Until(Instant),
}

impl WaitLimit {
    fn time_left(self) -> Duration {
        match self {
            Self::Each(limit) => limit,
            Self::Until(end) => end.saturating_duration_since(Instant::now()).max(SHORTEST),
        }
    }
}

/// The longest wait before a run: the texts before it are shorter than the buffer of a pipe.
const BEFORE_RUN: Duration = Duration::from_millis(500);

/// Limits the wait for a reader until the limit of the session is known.
pub(super) fn limit_start() {
    limit_each(BEFORE_RUN);
}

/// Limits the wait for a reader, for each piece of a text.
pub(super) fn limit_each(limit: Duration) {
    *lock(&LIMIT) = WaitLimit::Each(limit);
}

/// Limits the wait of all that is written from now on to the time of a run with this limit.
pub(super) fn limit_run(limit: Duration) {
    if let Some(end) = Instant::now().checked_add(limit.saturating_add(AFTER_RUN)) {
        *lock(&LIMIT) = WaitLimit::Until(end);
    }
}

/// Makes the waits after the first one without a reader short, so that two streams take no more time than one.
fn limit_rest() {
    let mut limit = lock(&LIMIT);
    if let WaitLimit::Each(each) = *limit {
        *limit = WaitLimit::Each(each.min(BEFORE_RUN));
    }
}

/// Writes bytes to stdout as they are. Fails with `TimedOut` if they are not read in time.
pub(super) fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    OUTPUT.write(bytes, || open(&io::stdout()))
}

/// Writes a text to stdout, with colors if it shows them. Fails as [`write_stdout`] does.
pub(super) fn print_stdout(text: &str) -> io::Result<()> {
    write_stdout(as_output_shows(text, &io::stdout()).as_bytes())
}

/// Writes a text to stderr, with colors if it shows them. Fails as [`write_stdout`] does.
pub(super) fn print_stderr(text: &str) -> io::Result<()> {
    Stderr.write_all(as_output_shows(text, &io::stderr()).as_bytes())
}

/// Returns a text without the colors and controls that the output takes out. A secret or a command that becomes whole by that can
/// be found in it.
pub(super) fn as_output_shows(text: &str, output: &impl RawStream) -> String {
    let is_plain = AutoStream::choice(output) == ColorChoice::Never;
    if is_plain { strip_str(text).to_string() } else { text.to_owned() }
}

/// Writes to stderr as it is.
pub(super) struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        ERROR.write(bytes, || open(&io::stderr())).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn open(stream: &impl AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

/// A stream with the thread that writes it.
struct OutputStream(Mutex<StreamState>);

enum StreamState {
    New,
    Open(Writer),
    /// It is not read, so its thread waits in a write. The reader may come back.
    Stalled(Writer),
}

impl OutputStream {
    const fn new() -> Self {
        Self(Mutex::new(StreamState::New))
    }

    /// Writes bytes in pieces; `open` gives the stream at the first call.
    fn write<W: Write + Send + 'static>(
        &self,
        bytes: &[u8],
        open: impl FnOnce() -> io::Result<W>,
    ) -> io::Result<()> {
        let mut state = lock(&self.0);
        let writer = match std::mem::replace(&mut *state, StreamState::New) {
            StreamState::New => Writer::start(open()?)?,
            StreamState::Open(writer) => writer,
            StreamState::Stalled(writer) if writer.has_ended() => writer,
            stalled @ StreamState::Stalled(_) => {
                *state = stalled;
                return Err(stall());
            }
        };
        for piece in bytes.chunks(PIECE) {
            let Some(written) = writer.write(piece, lock(&LIMIT).time_left()) else {
                *state = StreamState::Stalled(writer);
                limit_rest();
                return Err(stall());
            };
            if written.is_err() {
                *state = StreamState::Open(writer);
                return written;
            }
        }
        *state = StreamState::Open(writer);
        Ok(())
    }
}

/// Returns the error of a stream that is not read.
fn stall() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "it is not read")
}

/// A thread that writes the pieces that it is sent, and reports how each write ended.
struct Writer {
    pieces: Sender<Vec<u8>>,
    ends: Receiver<io::Result<()>>,
}

impl Writer {
    /// Fails if no thread can be started.
    fn start(mut stream: impl Write + Send + 'static) -> io::Result<Self> {
        let (pieces, waiting) = channel::<Vec<u8>>();
        let (ended, ends) = channel();
        thread::Builder::new().name("output".to_owned()).spawn(move || {
            for piece in waiting {
                if ended.send(write_piece(&mut stream, &piece)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { pieces, ends })
    }

    /// Returns `true` if the write that was given up has ended since.
    fn has_ended(&self) -> bool {
        self.ends.try_recv().is_ok()
    }

    /// Returns how the write ended; `None` if it has not ended in this time.
    fn write(&self, piece: &[u8], limit: Duration) -> Option<io::Result<()>> {
        self.pieces.send(piece.to_vec()).ok()?;
        self.ends.recv_timeout(limit).ok()
    }
}

/// Writes a piece, also to a stream that is set not to wait.
fn write_piece(stream: &mut impl Write, mut piece: &[u8]) -> io::Result<()> {
    while !piece.is_empty() {
        match stream.write(piece) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(length) => piece = piece.get(length..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(PAUSE),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    stream.flush()
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_pipe_that_nobody_reads_ends_the_wait_and_takes_nothing_more() {
        let (mut reader, writer) = io::pipe().unwrap();
        let stream = OutputStream::new();
        let write = |bytes: &[u8]| stream.write(bytes, || writer.try_clone());
        write(b"read").unwrap();
        let mut read = [0; 4];
        reader.read_exact(&mut read).unwrap();
        assert_eq!(&read, b"read");
        limit_each(Duration::from_millis(50));
        let begun = Instant::now();
        for _ in 0..3 {
            assert_eq!(write(&vec![b'x'; 1 << 22]).unwrap_err().kind(), io::ErrorKind::TimedOut);
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        limit_each(Duration::from_mins(1));
        thread::spawn(move || io::copy(&mut reader, &mut io::sink()));
        let is_read_again = || {
            thread::sleep(Duration::from_millis(20));
            write(b"read").is_ok()
        };
        assert!((0..500).any(|_| is_read_again()), "the reader came back");
    }

    #[test]
    fn a_closed_pipe_is_told() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let ended = OutputStream::new().write(b"x", || Ok(writer));
        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn a_stream_that_does_not_wait_is_tried_again() {
        struct Busy(u8);
        impl Write for Busy {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 += 1;
                if self.0 < 3 { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(bytes.len()) }
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        write_piece(&mut Busy(0), b"text").unwrap();
    }
}
