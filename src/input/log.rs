//! Streams a log file, or standard input, through the failure reader and the triage.

use std::io;
use std::path::{Path, PathBuf};

use super::MatcherLoader;
use papayu_base::domain::{Failure, FailureClass, FailureReport, Triage};
use papayu_base::text::MaskCommands;
use papayu_logs::failure::{LogReader, Matchers, OnAddMatcher, ReportLimits};
use papayu_logs::triage::{self, CommandEnd, SignalCollector};
use papayu_system::read::read_pieces;
use papayu_system::{Clock, Disk, System};

/// Why an input could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} the log `{}`: {kind}", path.display())]
pub struct InputError {
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// `open` or `read`.
    pub doing: &'static str,
    /// The error of the operating system.
    #[source]
    pub kind: io::Error,
}

/// The failures of a log and their cause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// The failures.
    pub report: FailureReport,
    /// The cause of the failures.
    pub triage: Triage,
    /// The values that the log's own commands declare secret, in the order of the log.
    /// They come from workflow commands such as `::add-mask::`.
    pub masked_values: Vec<String>,
}

/// Reads the log at `path` (`-` is standard input) and returns its failures and their cause.
///
/// The log is read in pieces, so that memory does not grow with it. Matchers of the repository, and those that the log
/// names, read its lines too.
///
/// # Errors
///
/// Fails if the log cannot be opened or read, with kind `Interrupted` if the run is interrupted while it waits for more.
pub fn read_log(
    system: System<'_>,
    path: &Path,
    limits: ReportLimits,
    matcher_loader: MatcherLoader<'_>,
) -> Result<Log, InputError> {
    read_from_disk(system.disk, system.clock, path, limits, matcher_loader)
}

/// Reads the log with the parts of the system that it needs.
fn read_from_disk(
    disk: &dyn Disk,
    clock: &dyn Clock,
    path: &Path,
    limits: ReportLimits,
    matcher_loader: MatcherLoader<'_>,
) -> Result<Log, InputError> {
    let fault = |doing, kind| InputError { path: path.to_owned(), doing, kind };
    let mut source = disk.open(path).map_err(|kind| fault("open", kind))?;
    // The same function reads logs that a forge sends.
    read_stream(limits, matcher_loader, |push| {
        read_pieces(&mut source, clock, push).map_err(|kind| fault("read", kind))
    })
}

/// Reads the log at `path` (`-` is standard input) without a repository and its matchers.
///
/// # Errors
///
/// As [`read_log`].
pub fn read_bare_log(
    disk: &dyn Disk,
    clock: &dyn Clock,
    path: &Path,
    limits: ReportLimits,
) -> Result<Log, InputError> {
    let fault = |doing, kind| InputError { path: path.to_owned(), doing, kind };
    let mut source = disk.open(path).map_err(|kind| fault("open", kind))?;
    read_through(limits, Matchers::default(), None, |push| {
        read_pieces(&mut source, clock, push).map_err(|kind| fault("read", kind))
    })
}

/// Reads a log that `feed` passes on in pieces.
///
/// # Errors
///
/// The error of `feed`; what was read until then is dropped.
pub fn read_stream<E>(
    limits: ReportLimits,
    mut matcher_loader: MatcherLoader<'_>,
    feed: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), E>,
) -> Result<Log, E> {
    let matchers = matcher_loader.load_all();
    // A log can name matchers while it is read; they apply to its later lines.
    let mut on_add_matcher = |path: &str| matcher_loader.load_named(path);
    read_through(limits, matchers, Some(&mut on_add_matcher), feed)
}

/// Passes a log to the readers of failures, signals and masked values, in one pass.
fn read_through<E>(
    limits: ReportLimits,
    matchers: Matchers,
    on_add_matcher: Option<OnAddMatcher<'_>>,
    feed: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), E>,
) -> Result<Log, E> {
    let mut collector = SignalCollector::default();
    let mut on_line = |line: &str, is_claimed: bool| collector.push_line(line, is_claimed);
    let mut reader = LogReader::with_matchers(limits, matchers).with_listener(&mut on_line);
    if let Some(on_add_matcher) = on_add_matcher {
        reader = reader.on_add_matcher(on_add_matcher);
    }
    let mut commands = MaskCommands::default();
    feed(&mut |bytes| {
        reader.push(bytes);
        commands.push(bytes);
    })?;
    let mut report = reader.finish();
    // The end of the command is not known from its log.
    let triage = triage::classify(&collector.finish(), &report, CommandEnd::Unknown);
    triage::put_evidence_first(&mut report, &triage);
    Ok(Log { report, triage, masked_values: commands.finish() })
}

impl Log {
    /// Returns the content of a report; `bytes` are those of its file.
    pub fn of_report(report: FailureReport, bytes: &[u8]) -> Self {
        let signals = SignalCollector::default().finish();
        let triage = triage::classify(&signals, &report, CommandEnd::Unknown);
        let mut commands = MaskCommands::default();
        commands.push(bytes);
        Self { report, triage, masked_values: commands.finish() }
    }

    /// Merges several logs in their order: each failure once, excerpts up to `max_chars`, the first
    /// class with evidence.
    /// Returns `None` for no logs. Failures are equal if their identities are, whatever their
    /// locations.
    pub fn merge(logs: Vec<Self>, max_chars: usize) -> Option<Self> {
        let mut logs = logs.into_iter();
        let mut all = logs.next()?;
        for Self { report, triage, masked_values } in logs {
            all.masked_values.extend(masked_values);
            // Logs of a matrix build repeat the same failures.
            let new = |known: &Vec<Failure>, failure: &Failure| {
                known.iter().all(|one| one.identity() != failure.identity())
            };
            for failure in report.failures {
                if new(&all.report.failures, &failure) {
                    all.report.failures.push(failure);
                }
            }
            all.report.passed &= report.passed;
            all.report.mentions.extend(report.mentions);
            all.report.log_bytes = all.report.log_bytes.saturating_add(report.log_bytes);
            // The first log that names a command decides.
            all.report.command = all.report.command.or(report.command);
            all.report.exit_code = all.report.exit_code.or(report.exit_code);
            // The first logs have priority, as they do in the list of failures.
            // One character is for the line end between two excerpts.
            let left = max_chars.saturating_sub(all.report.excerpt.chars().count() + 1);
            if left > 0 && !report.excerpt.is_empty() {
                all.report.excerpt.push('\n');
                all.report.excerpt.extend(report.excerpt.chars().take(left));
            }
            all.report.raw.push_str(&report.raw);
            all.report.moved.extend(report.moved);
            // A class with evidence is better than none, and the first one is kept.
            if all.triage.class == FailureClass::Unknown {
                all.triage = triage;
            }
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;
    use papayu_base::domain::event::NoEvents;
    use papayu_base::domain::{FailureKind, Location};
    use papayu_system::Tree;
    use papayu_system::in_memory::MemoryTree;

    /// A disk that holds one log, read in crumbs and interrupted now and then, or breaking half-way.
    struct OneLog(&'static [u8], io::ErrorKind);

    struct Crumbs(&'static [u8], io::ErrorKind, bool);

    impl io::Read for Crumbs {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.2 = !self.2;
            if self.2 {
                return Err(self.1.into());
            }
            let (now, later) = self.0.split_at(self.0.len().min(7));
            self.0 = later;
            buffer[..now.len()].copy_from_slice(now);
            Ok(now.len())
        }
    }

    impl Disk for OneLog {
        fn open(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
            if path != Path::new("build.log") {
                return Err(io::ErrorKind::NotFound.into());
            }
            Ok(Box::new(Crumbs(self.0, self.1, false)))
        }
        fn open_tree(&self, _: &Path) -> io::Result<Box<dyn Tree>> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn append(&self, _: &Path, _: &[u8]) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn list(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn walk(&self, _: &Path, _: usize) -> io::Result<Vec<String>> {
            Ok(Vec::new())
        }

        fn delete_folder(&self, _: &Path) -> io::Result<()> {
            unreachable!()
        }
        fn is_file(&self, _: &Path) -> bool {
            true
        }
    }

    /// A clock that nobody interrupts.
    struct Still;

    impl Clock for Still {
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
            false
        }
    }

    fn one(disk: &OneLog, path: &str) -> Result<Log, InputError> {
        let tree = MemoryTree::new(BTreeMap::new());
        let matcher_loader = MatcherLoader::new(&tree, &NoEvents);
        read_from_disk(disk, &Still, Path::new(path), ReportLimits::default(), matcher_loader)
    }

    const LOG: &[u8] = b"src/a.ts(1,2): error TS2304: Cannot find name 'x'.\n";

    #[test]
    fn a_log_that_comes_in_crumbs_is_read_whole() {
        let disk = OneLog(LOG, io::ErrorKind::Interrupted);
        let report = one(&disk, "build.log").unwrap();
        let Log { report, triage, .. } = report;
        assert_eq!(triage.class, FailureClass::Code);
        let failure = &report.failures[0];
        let place = Location { path: "src/a.ts".into(), line: Some(1), column: Some(2) };
        assert_eq!((failure.kind, &failure.locations), (FailureKind::Compile, &vec![place]));
        assert_eq!(report.log_bytes, 51);
    }

    #[test]
    fn errors_name_the_file_and_what_was_being_done() {
        let fail = |path: &str, kind| one(&OneLog(LOG, kind), path).unwrap_err().to_string();
        let broken = io::ErrorKind::BrokenPipe;
        assert_eq!(fail("none.log", broken), "cannot open the log `none.log`: entity not found");
        assert_eq!(fail("build.log", broken), "cannot read the log `build.log`: broken pipe");
    }
}
