//! Reasons to start no task for the moment: a file that a person makes, and hours of the day.

use std::path::PathBuf;

use papayu_system::System;

/// The reasons to start no task for the moment. Running tasks go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchHold {
    /// While this file exists.
    pub pause_file: Option<PathBuf>,
    /// Within these hours.
    pub quiet: Option<QuietHours>,
}

/// A part of each day in UTC, which may contain midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietHours {
    /// Minutes after midnight.
    from: u16,
    /// The first minute after it.
    to: u16,
}

impl QuietHours {
    /// Parses `22:00-06:00`.
    ///
    /// # Errors
    ///
    /// The expected form, for another text and for two equal times.
    ///
    /// ```
    /// use papayu_batch::batch::QuietHours;
    ///
    /// assert!(QuietHours::parse("22:00-06:00").is_ok());
    /// assert!(QuietHours::parse("22-6").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let times = text.split_once('-');
        let times = times.and_then(|(from, to)| Some((read_time(from)?, read_time(to)?)));
        let hours = times.map(|(from, to)| Self { from, to });
        let hours = hours.filter(|hours| hours.from != hours.to);
        hours.ok_or_else(|| "expected two times of the day in UTC, as `22:00-06:00`".to_owned())
    }

    /// Returns whether a minute of the day is within the hours.
    fn contains(self, minute: u16) -> bool {
        if self.from < self.to {
            (self.from..self.to).contains(&minute)
        } else {
            minute >= self.from || minute < self.to
        }
    }
}

/// Reads `HH:MM` as minutes after midnight.
fn read_time(text: &str) -> Option<u16> {
    let (hour, minute) = text.trim().split_once(':')?;
    let read = |text: &str, most: u16| text.parse().ok().filter(|number: &u16| *number < most);
    Some(read(hour, 24)? * 60 + read(minute, 60)?)
}

impl BatchHold {
    /// Returns the reason why no task is started now; `None` if there is none.
    pub(super) fn reason(&self, system: System<'_>) -> Option<String> {
        if let Some(path) = self.pause_file.as_ref().filter(|path| system.disk.is_file(path)) {
            return Some(format!("no task is started while `{}` exists", path.display()));
        }
        // RFC 3339 has the time of the day at a fixed place.
        let quiet = self.quiet?;
        let minute = read_time(system.clock.timestamp().get(11..16)?)?;
        quiet.contains(minute).then(|| "no task is started in the quiet hours".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_hours_may_contain_midnight() {
        let within = |text: &str, minute: u16| QuietHours::parse(text).unwrap().contains(minute);
        for (text, minute, is_quiet) in [
            ("22:00-06:00", 22 * 60, true),
            ("22:00-06:00", 0, true),
            ("22:00-06:00", 6 * 60, false),
            ("22:00-06:00", 12 * 60, false),
            ("09:30-10:00", 9 * 60 + 30, true),
            ("09:30-10:00", 10 * 60, false),
            ("09:30-10:00", 9 * 60 + 29, false),
        ] {
            assert_eq!(within(text, minute), is_quiet, "{text} {minute}");
        }
        for text in ["", "22-6", "22:00", "22:00-24:00", "22:60-23:00", "a:b-c:d", "9:00-9:00"] {
            assert!(QuietHours::parse(text).is_err(), "{text}");
        }
    }
}
