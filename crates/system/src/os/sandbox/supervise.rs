//! The supervisor: starts the confined process, adopts its orphans, and ends every descendant.
#![expect(clippy::disallowed_methods, reason = "it starts a process and reads `/proc`")]

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, kill_process,
    kill_process_group, pidfd_open, set_child_subreaper, set_dumpable_behavior, wait, waitpid,
};

use super::job::{SandboxJob, SupervisorAnswer, TERMINATE, decode, encode};
use super::passing::{receive_line, receive_with, send_with};
use super::proxy::serve;
use super::subcommand::CONFINE;

/// The interval at which ended orphans are removed.
const TICK: Duration = Duration::from_millis(200);
/// The longest time for killed processes to end; one that waits for a device ends later.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs one command and reports its end on the socket.
pub(super) fn run() -> ExitCode {
    // A closed socket has no reader for an error.
    let done = open_socket().and_then(|mut socket| {
        let end =
            supervise(&mut socket).unwrap_or_else(|error| Some(SupervisorAnswer::failure(&error)));
        end.map_or(Ok(()), |end| socket.write_all(&encode(&end)?))
    });
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn open_socket() -> io::Result<UnixStream> {
    Ok(UnixStream::from(rustix::stdio::stdin().try_clone_to_owned()?))
}

/// Returns the end of the command; `None` when it did not start, which was reported.
fn supervise(socket: &mut UnixStream) -> io::Result<Option<SupervisorAnswer>> {
    close_inherited(socket)?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    // Its value does not matter, only that there is one.
    set_child_subreaper(Some(rustix::process::getpid()))?;
    let (job, rules) = receive_line(socket)?;
    let (ours, theirs) = UnixStream::pair()?;
    let child = Command::new("/proc/self/exe")
        .arg(CONFINE)
        .env_clear()
        .stdin(OwnedFd::from(theirs))
        .spawn()?;
    let child = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
    let mut answers = Vec::new();
    send_with(&ours, &job, rules.as_ref().map(AsFd::as_fd))?;
    drop(rules);
    // The socket closes when the command is executed.
    let listener = receive_with(&ours, &mut answers, |_| false)?.map(TcpListener::from);
    if let Some(listener) = listener {
        let hosts = decode::<SandboxJob>(&job)?.pop().map(|job| job.registries).unwrap_or_default();
        thread::spawn(move || serve(&listener, &hosts));
    }
    socket.write_all(&answers)?;
    let started = decode::<SupervisorAnswer>(&answers)?;
    if matches!(started.last(), Some(SupervisorAnswer::Confined { .. })) {
        watch(child, socket)?;
    }
    let status = end_descendants(child)?;
    Ok(match started.last() {
        Some(SupervisorAnswer::Confined { .. }) => {
            Some(status.map_or(SupervisorAnswer::Survivors, end_of))
        }
        Some(_) => None,
        None => Some(SupervisorAnswer::failure(&io::Error::other("the sandbox ended early"))),
    })
}

/// Returns the end of the command: its exit code, or the number of the signal.
fn end_of(status: WaitStatus) -> SupervisorAnswer {
    match status.exit_status() {
        Some(code) => SupervisorAnswer::Exited(code),
        None => SupervisorAnswer::Signaled(status.terminating_signal().unwrap_or(0)),
    }
}

/// Closes the descriptors that a program further up did not close, except for the socket.
fn close_inherited(socket: &UnixStream) -> io::Result<()> {
    let entries = fs::read_dir("/proc/self/fd")?.flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    // The folder's own descriptor is closed with the iterator.
    let numbers: Vec<_> = numbers.collect();
    for number in numbers.into_iter().filter(|number| *number > 2 && *number != socket.as_raw_fd())
    {
        let _ = nix::unistd::close(number);
    }
    Ok(())
}

/// Waits until the command ends, or the program asks for its end.
fn watch(child: Pid, socket: &mut UnixStream) -> io::Result<()> {
    let process = pidfd_open(child, PidfdFlags::empty())?;
    let tick = Timespec::try_from(TICK).map_err(io::Error::other)?;
    loop {
        let mut polled = [
            PollFd::new(&process, PollFlags::IN),
            PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::IN),
        ];
        match poll(&mut polled, Some(&tick)) {
            Err(Errno::INTR) => continue,
            ready => ready?,
        };
        let [ended, asked] = polled.map(|it| !it.revents().is_empty());
        if ended {
            return Ok(());
        }
        if asked {
            let mut request = [0];
            match socket.read(&mut request)? {
                0 => return Ok(()),
                _ if request == [TERMINATE] => {
                    // The command has a session of its own; its group has no other number.
                    let _ = kill_process_group(child, Signal::TERM);
                }
                _ => {}
            }
        }
        remove_ended_orphans(child)?;
    }
}

/// Removes ended children other than the command itself, which would use up process numbers.
fn remove_ended_orphans(child: Pid) -> io::Result<()> {
    for orphan in children_of(rustix::process::getpid()) {
        if orphan != child {
            waitpid(Some(orphan), WaitOptions::NOHANG)?;
        }
    }
    Ok(())
}

/// Kills every descendant until none is left; returns the status of the command, `None` when
/// some process does not end.
fn end_descendants(child: Pid) -> io::Result<Option<WaitStatus>> {
    let (start, mut rest) = (Instant::now(), Duration::from_micros(50));
    let mut status = None;
    loop {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, end))) if pid == child => status = Some(end),
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(Errno::CHILD) => return Ok(status),
                Err(error) => return Err(error.into()),
            }
        }
        if start.elapsed() > PATIENCE {
            return Ok(None);
        }
        let mut found = children_of(rustix::process::getpid());
        while let Some(pid) = found.pop() {
            found.extend(children_of(pid));
            let _ = kill_process(pid, Signal::KILL);
        }
        thread::sleep(rest);
        rest = (rest * 2).min(Duration::from_millis(5));
    }
}

/// Returns the children of all threads of a process.
fn children_of(pid: Pid) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let numbers: Vec<String> = lists.collect();
    let words = numbers.iter().flat_map(|list| list.split_whitespace());
    words.filter_map(|word| word.parse().ok().and_then(Pid::from_raw)).collect()
}
