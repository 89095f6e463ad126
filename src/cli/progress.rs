//! A status line on a terminal that shows the current step of a run.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use serde_json::{Map, Value};

use super::event_text::{Mask, describe_event};
use super::streams::Stderr;
use papayu_base::domain::EventName;
use papayu_system::trace::EventOutput;

/// Time between two drawings of the spinner.
const TICK: Duration = Duration::from_millis(120);
/// Most drawings of a bar in a second.
const REFRESH_RATE: u8 = 20;

/// Returns the terminal on stderr as a place for a bar. As with other text, nothing waits for it without an end.
pub(super) fn bar_target() -> ProgressDrawTarget {
    ProgressDrawTarget::term_like_with_hz(Box::new(StatusTerminal), REFRESH_RATE)
}

/// The terminal on stderr.
#[derive(Debug)]
struct StatusTerminal;

impl StatusTerminal {
    /// Moves the cursor in the direction of a control sequence.
    fn move_cursor(steps: usize, direction: char) -> io::Result<()> {
        if steps == 0 { Ok(()) } else { write!(Stderr, "\x1b[{steps}{direction}") }
    }
}

impl TermLike for StatusTerminal {
    fn width(&self) -> u16 {
        terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| width.0)
    }

    fn height(&self) -> u16 {
        terminal_size::terminal_size_of(io::stderr()).map_or(24, |(_, height)| height.0)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        Self::move_cursor(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        Self::move_cursor(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        Self::move_cursor(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        Self::move_cursor(n, 'D')
    }

    fn write_line(&self, s: &str) -> io::Result<()> {
        Stderr.write_all(format!("{s}\n").as_bytes())
    }

    fn write_str(&self, s: &str) -> io::Result<()> {
        Stderr.write_all(s.as_bytes())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.write_str("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

/// A spinner driven by events. Important events are also printed as lines above it.
pub(super) struct Spinner {
    bar: ProgressBar,
    mask: Mask,
}

impl Spinner {
    /// Returns whether stderr is a terminal.
    pub(super) fn is_possible() -> bool {
        io::stderr().is_terminal()
    }

    /// Returns a spinner with the elapsed time and a message.
    pub(super) fn new(mask: Mask) -> Self {
        let bar = ProgressBar::with_draw_target(None, bar_target());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed:>4} {wide_msg}") {
            bar.set_style(style);
        }
        Self { bar, mask }
    }
}

impl EventOutput for Spinner {
    fn print_event(&self, name: &str, fields: &Map<String, Value>) {
        let Some(name) = EventName::parse(name) else { return };
        if name == EventName::RunFinished {
            self.bar.finish_and_clear();
            return;
        }
        let Some(event) = describe_event(name, fields, &self.mask) else { return };
        // A bar overwrites its own line; lasting messages go above it.
        if event.is_lasting {
            self.bar.println(&event.text);
        }
        // The first step shows the line: an error before it leaves nothing on the screen.
        if self.bar.message().is_empty() {
            self.bar.enable_steady_tick(TICK);
        }
        self.bar.set_message(event.text);
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
