//! Commands as child processes: a process group each, a time limit, an output limit, no secrets.
//!
//! A command that runs the repository's code is the child of a supervisor in a sandbox, see [`super::sandbox`].
//!
//! A child's stdout and stderr are one pipe, so the output arrives in the order it was printed. The
//! pipe is polled, not read by a thread: a process that left the group and keeps the pipe open can
//! then neither block the run nor leave a thread behind.

use std::fs::File;
use std::io::Write as _;
use std::io::{self, PipeReader, Read as _};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
};

use super::sandbox::job::{PreparedJob, SupervisorAnswer, TERMINATE, decode, encode};
use super::sandbox::{GitGuard, SUPERVISE, Sandbox, send_with};
use super::temporary::TemporaryFolder;
use crate::environment::{public, scrubbed};
use crate::{CommandSpec, End, Process, SandboxConfig, Stream};
use papayu_base::domain::SandboxRecord;

/// The interval at which limits and interruptions are checked while a command is silent.
const TICK: Duration = Duration::from_millis(10);
/// First sleep after a command has closed its output, because most commands end then; the
/// following sleeps are longer.
const BLINK: Duration = Duration::from_micros(50);
/// Time for a group to end by itself after SIGTERM, before SIGKILL.
const GRACE: Duration = Duration::from_secs(1);
/// Longest wait for the last output once every process of the group is killed.
const DRAIN: Duration = Duration::from_millis(200);
/// Longest wait for a supervisor, which gives up earlier itself.
const SUPERVISOR: Duration = Duration::from_secs(8);
/// Longest wait for a killed group. In a container without a process that reaps orphans,
/// zombies stay forever.
const REAP: Duration = Duration::from_millis(50);

/// Runs commands on this machine.
#[derive(Debug)]
pub struct OsProcess {
    interrupted: Arc<AtomicBool>,
    /// The variables that children may inherit.
    environment: Vec<(String, String)>,
    sandbox: Sandbox,
}

impl OsProcess {
    /// Takes the flag of [`super::signal::watch`] and the variables that children may inherit,
    /// usually [`super::environment::snapshot`].
    pub fn new(interrupted: Arc<AtomicBool>, environment: Vec<(String, String)>) -> Self {
        Self { interrupted, environment, sandbox: Sandbox::default() }
    }

    /// Returns the same with this sandbox for commands that run the repository's code.
    #[must_use]
    pub fn with_sandbox(self, config: SandboxConfig) -> Self {
        Self { sandbox: Sandbox::new(config), ..self }
    }

    /// Returns `true` once a signal has asked to stop.
    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Starts the command in a process group of its own.
    ///
    /// # Errors
    ///
    /// Returns `InvalidInput` for an empty command, `NotFound` for a missing folder, and the
    /// error of the system with the name of the program.
    fn spawn_group(&self, spec: &CommandSpec, pipes: Pipes) -> io::Result<(ProcessGroup, Readers)> {
        let Some(program) = spec.argv.first() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"));
        };
        if !spec.cwd.is_dir() {
            let message = format!("`{}` is not a folder to run in", spec.cwd.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        let (reader, writer) = io::pipe()?;
        let (second, errors) = match pipes {
            Pipes::Joined => (None, None),
            Pipes::Apart(_) => io::pipe().map(|(r, w)| (Some(r), Some(w)))?,
        };
        let given = if let Pipes::Apart(Some(file)) = pipes { Some(file) } else { None };
        let errors = errors.map_or_else(|| writer.try_clone(), Ok)?;
        let (mut command, job) = self.build_command(spec)?;
        let (ours, theirs) = job.is_some().then(UnixStream::pair).transpose()?.unzip();
        let given = given.map(OwnedFd::from).or(theirs.map(OwnedFd::from));
        let input = given.map_or_else(Stdio::null, Stdio::from);
        command.stdin(input).stdout(writer).stderr(errors).process_group(0);
        let child = command.spawn().map_err(|error| {
            io::Error::new(error.kind(), format!("cannot run `{program}`: {error}"))
        })?;
        // Our ends of the pipes go with it.
        drop(command);
        let group = ProcessGroup::new(child, ours)?;
        if let (Some(socket), Some(job)) = (group.socket.as_ref(), job) {
            send_with(socket, &encode(&job.job)?, job.rules.as_ref().map(AsFd::as_fd))?;
        }
        Ok((group, [Some(reader), second]))
    }

    /// Returns what is started for a command, and the job of the supervisor where that is one.
    fn build_command(&self, spec: &CommandSpec) -> io::Result<(Command, Option<PreparedJob>)> {
        let inherited: Vec<(String, String)> = match spec.confinement {
            Some(_) => owned(public(&self.environment, &spec.keep_env)),
            None => owned(scrubbed(&self.environment, &spec.keep_env)),
        };
        let job = match &spec.confinement {
            Some(it) => self.sandbox.prepare(spec, it, &inherited, &self.environment)?,
            None => None,
        };
        #[expect(clippy::disallowed_methods, reason = "the only module that starts processes")]
        let start = |program: &str| {
            let mut command = Command::new(program);
            command.env_clear();
            command
        };
        if job.is_some() {
            let mut command = start("/proc/self/exe");
            command.arg(SUPERVISE).current_dir("/");
            return Ok((command, job));
        }
        let (program, arguments) = spec.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        // A bare name is searched for in the child's own `PATH`, since that is set below.
        let mut command = start(program);
        command
            .args(arguments)
            .current_dir(&spec.cwd)
            .envs(inherited)
            .env("PWD", &spec.cwd)
            .envs(spec.env.iter().map(|(name, value)| (name, value)));
        Ok((command, None))
    }

    /// Passes output on until the main process has ended. Returns the reason if this program
    /// has to end it: a limit or an interruption.
    fn watch_group(
        &self,
        group: &ProcessGroup,
        output: &mut ChildOutput<'_>,
        timeout: Duration,
    ) -> io::Result<Option<End>> {
        let start = now();
        loop {
            output.pump_output(TICK)?;
            if output.over {
                return Ok(Some(End::TooMuchOutput));
            } else if group.leader_ended()? {
                return Ok(None);
            } else if self.is_interrupted() {
                return Ok(Some(End::Interrupted));
            } else if start.elapsed() >= timeout {
                return Ok(Some(End::TimedOut));
            }
        }
    }
}

impl Process for OsProcess {
    fn run(&self, command: &CommandSpec, output: &mut dyn FnMut(&[u8])) -> io::Result<End> {
        self.run_to_end(command, Pipes::Joined, &mut |_, bytes| output(bytes))
    }

    fn run_apart(
        &self,
        command: &CommandSpec,
        input: &[u8],
        output: &mut dyn FnMut(Stream, &[u8]),
    ) -> io::Result<End> {
        let input = (!input.is_empty()).then(|| file_of(input)).transpose()?;
        self.run_to_end(command, Pipes::Apart(input), output)
    }

    fn sandbox_record(&self) -> Option<SandboxRecord> {
        self.sandbox.record()
    }
}

/// The standard streams of a command.
enum Pipes {
    /// Standard output and standard error are one pipe.
    Joined,
    /// Each has its own pipe; the file is the standard input, if there is one.
    Apart(Option<File>),
}

/// Returns a file without a name that has this text. A pipe would have to be written while the output is read.
fn file_of(input: &[u8]) -> io::Result<File> {
    let folder = TemporaryFolder::create(&uuid::Uuid::new_v4().to_string())?;
    let path = folder.path().join("input");
    #[expect(clippy::disallowed_methods, reason = "the folder is this program's own")]
    std::fs::write(&path, input)?;
    #[expect(clippy::disallowed_methods, reason = "the folder is this program's own")]
    File::open(&path)
}

/// Returns the variables as owned texts.
fn owned<'a>(variables: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

impl OsProcess {
    /// Runs a command from its start to its end.
    fn run_to_end(
        &self,
        command: &CommandSpec,
        pipes: Pipes,
        output: &mut dyn FnMut(Stream, &[u8]),
    ) -> io::Result<End> {
        if self.is_interrupted() {
            return Ok(End::Interrupted);
        }
        let guard = command.confinement.as_ref().map(|it| self.sandbox.guard_git(&it.tree));
        let guard = guard.transpose()?.flatten();
        let (mut group, readers) = self.spawn_group(command, pipes)?;
        let mut output = ChildOutput::new(readers, command.max_output, output);
        let ours = self.watch_group(&group, &mut output, command.timeout)?;
        // SIGTERM first, so that a test runner can remove its temporary files.
        if ours.is_some() {
            group.send_signal(Signal::TERM);
            let start = now();
            while start.elapsed() < GRACE && !(output.is_closed() && group.leader_ended()?) {
                output.pump_output(TICK)?;
            }
        }
        group.send_signal(Signal::KILL);
        let start = now();
        while start.elapsed() < DRAIN && !output.is_closed() {
            output.pump_output(TICK)?;
        }
        let status = group.reap_leader()?;
        // Before the result is used: hooks that the command installed must not run with the
        // next git command.
        guard.as_ref().map_or(Ok(()), GitGuard::restore)?;
        let end = match &command.confinement {
            Some(it) if group.socket.is_some() => {
                let answers = group.read_answers()?;
                answers.first().inspect(|answer| self.sandbox.note_answer(it, answer));
                ours.map_or_else(|| end_of_confined(command, &answers), Ok)?
            }
            _ => ours.unwrap_or_else(|| end_of(status)),
        };
        Ok(if output.over { ours.unwrap_or(End::TooMuchOutput) } else { end })
    }
}

/// Returns the end of a process from its exit status.
fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Code(code),
        (None, signal) => End::Signal(signal.unwrap_or(0)),
    }
}

/// Returns the end that the supervisor reports.
fn end_of_confined(command: &CommandSpec, answers: &[SupervisorAnswer]) -> io::Result<End> {
    let program = command.argv.first().map_or("", String::as_str);
    match answers.last() {
        Some(SupervisorAnswer::Exited(code)) => Ok(End::Code(*code)),
        Some(SupervisorAnswer::Signaled(signal)) => Ok(End::Signal(*signal)),
        Some(SupervisorAnswer::NotStarted { code, reason }) => {
            let kind =
                code.map_or(io::ErrorKind::Other, |it| io::Error::from_raw_os_error(it).kind());
            Err(io::Error::new(kind, format!("cannot run `{program}`: {reason}")))
        }
        Some(SupervisorAnswer::Survivors) => {
            Err(io::Error::other(format!("processes of `{program}` do not end when killed")))
        }
        Some(SupervisorAnswer::Confined { .. }) | None => {
            Err(io::Error::other(format!("the sandbox of `{program}` ended early")))
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "only this module starts processes")]
/// Returns the present time. A function of its own keeps the lint's exception small.
fn now() -> Instant {
    Instant::now()
}

/// The read ends of the child's output: stdout, which includes stderr unless that has its own pipe;
/// `None` once every write end is closed.
type Readers = [Option<PipeReader>; 2];

/// The output of a child.
struct ChildOutput<'a> {
    readers: Readers,
    buffer: Vec<u8>,
    /// The number of bytes that are still allowed.
    left: u64,
    /// True once more output arrived than is allowed.
    over: bool,
    /// The next sleep once every write end is closed.
    rest: Duration,
    sink: &'a mut dyn FnMut(Stream, &[u8]),
}

impl<'a> ChildOutput<'a> {
    /// Returns the output of pipes with a limit in bytes.
    fn new(readers: Readers, limit: u64, sink: &'a mut dyn FnMut(Stream, &[u8])) -> Self {
        Self { readers, buffer: vec![0; 64 * 1024], left: limit, over: false, rest: BLINK, sink }
    }

    /// Returns `true` once every write end is closed.
    fn is_closed(&self) -> bool {
        self.readers.iter().all(Option::is_none)
    }

    /// Waits up to `time` for output and hands over what is there, up to the limit.
    fn pump_output(&mut self, time: Duration) -> io::Result<()> {
        if self.is_closed() {
            // The main process is about to end, or closed its output and works on.
            thread::sleep(self.rest);
            self.rest = (self.rest * 2).min(time / 10);
            return Ok(());
        }
        let ready = find_readable(&self.readers, time)?;
        for (index, stream) in [Stream::Out, Stream::Err].into_iter().enumerate() {
            if ready.contains(&index) {
                self.take_output(index, stream)?;
            }
        }
        Ok(())
    }

    /// Reads what is available from one pipe, and passes on the part within the limit.
    fn take_output(&mut self, index: usize, stream: Stream) -> io::Result<()> {
        let Some(slot) = self.readers.get_mut(index) else { return Ok(()) };
        let Some(reader) = slot else { return Ok(()) };
        let count = match reader.read(&mut self.buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            count => count?,
        };
        if count == 0 {
            *slot = None;
        }
        let allowed = usize::try_from(self.left).map_or(count, |left| left.min(count));
        self.left -= allowed as u64;
        self.over |= allowed < count;
        if let Some(bytes) = self.buffer.get(..allowed).filter(|bytes| !bytes.is_empty()) {
            (self.sink)(stream, bytes);
        }
        Ok(())
    }
}

/// Returns the numbers of the readers that have something to say.
fn find_readable(readers: &Readers, time: Duration) -> io::Result<Vec<usize>> {
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    let open: Vec<(usize, &PipeReader)> =
        readers.iter().enumerate().filter_map(|(index, it)| Some((index, it.as_ref()?))).collect();
    let mut polled: Vec<PollFd<'_>> =
        open.iter().map(|(_, reader)| PollFd::new(*reader, PollFlags::IN)).collect();
    match poll(&mut polled, Some(&time)) {
        // A signal came; the caller looks at the flag it set.
        Err(rustix::io::Errno::INTR) => return Ok(Vec::new()),
        ready => ready?,
    };
    let ready = open.iter().zip(&polled).filter(|(_, it)| !it.revents().is_empty());
    Ok(ready.map(|((index, _), _)| *index).collect())
}

/// A child and every process that stayed in its group. Dropping it kills them.
struct ProcessGroup {
    child: Child,
    /// The number of the process and of its group, which are equal.
    id: Pid,
    /// `true` after the wait, when the number may belong to another process.
    reaped: bool,
    /// The way to the supervisor, where the child is one.
    socket: Option<UnixStream>,
}

impl ProcessGroup {
    /// Takes a child that was started as the leader of its group.
    fn new(child: Child, socket: Option<UnixStream>) -> io::Result<Self> {
        let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let id = id.ok_or_else(|| io::Error::other("the child has no process id"))?;
        Ok(Self { child, id, reaped: false, socket })
    }

    /// Returns true once the main process has ended, and leaves it as a zombie: until it is reaped
    /// the group's number cannot be reused.
    fn leader_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(self.id), options) {
            Err(rustix::io::Errno::INTR) => Ok(false),
            status => Ok(status?.is_some()),
        }
    }

    /// Sends a signal to the command and its group. A supervisor does that itself, and kills all descendants.
    fn send_signal(&self, signal: Signal) {
        // The only possible error is that all have ended.
        let _ = match self.socket.as_ref() {
            None => kill_process_group(self.id, signal).map_err(io::Error::from),
            Some(socket) if signal == Signal::KILL => socket.shutdown(Shutdown::Write),
            Some(socket) => { socket }.write_all(&[TERMINATE]),
        };
    }

    /// Returns the answers of a supervisor that has ended.
    fn read_answers(&self) -> io::Result<Vec<SupervisorAnswer>> {
        let mut bytes = Vec::new();
        if let Some(mut socket) = self.socket.as_ref() {
            socket.read_to_end(&mut bytes)?;
        }
        decode(&bytes)
    }

    /// Kills a supervisor that does not end by itself.
    fn end_supervisor(&self) -> io::Result<()> {
        let start = now();
        while self.socket.is_some() && !self.leader_ended()? {
            if start.elapsed() > SUPERVISOR {
                let _ = kill_process_group(self.id, Signal::KILL);
                return Ok(());
            }
            thread::sleep(BLINK);
        }
        Ok(())
    }

    /// Waits for the main process, which has been killed or has ended, and for the rest to go.
    fn reap_leader(&mut self) -> io::Result<ExitStatus> {
        self.end_supervisor()?;
        let status = self.child.wait()?;
        self.reaped = true;
        let start = now();
        while start.elapsed() < REAP && test_kill_process_group(self.id).is_ok() {
            thread::sleep(TICK / 10);
        }
        Ok(status)
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.reaped {
            self.send_signal(Signal::KILL);
            let _ = self.end_supervisor();
            let _ = self.child.wait();
        }
    }
}
