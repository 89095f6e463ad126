//! The confined process: restricts itself, then becomes the command.
#![expect(clippy::disallowed_methods, reason = "it becomes the command")]

use std::fs::File;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use rustix::process::{Resource, Rlimit, setrlimit, setsid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};

use super::job::{SandboxJob, SupervisorAnswer, decode, encode};
use super::passing::{receive_line, send_with};
use super::proxy::proxy_variables;
use super::syscalls::Families;
use super::{files, namespace, probe, syscalls};
use crate::CommandNetwork;

/// The reason why a command cannot reach only registries.
const NO_NAMESPACE: &str =
    "`--network deps` needs a network namespace, which this user may not make; use `on` or `off`";

/// The part that is missing where the command has no mounts of its own.
const SHARED_MEMORY: &str = "a `/dev/shm` of its own";

/// The capabilities that a command keeps if the program has them: those that concern its own files and users.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::NET_BIND_SERVICE)
    .union(CapabilitySet::SYS_CHROOT);

/// Becomes the command; returns only if that fails, which is reported on the socket.
pub(super) fn run() -> ExitCode {
    if let Ok(mut socket) = take_socket() {
        let error = confine(&mut socket);
        let _ = encode(&SupervisorAnswer::failure(&error)).and_then(|line| socket.write_all(&line));
    }
    ExitCode::FAILURE
}

/// Moves the socket away from the standard input, which the command gets empty.
fn take_socket() -> io::Result<UnixStream> {
    let socket = UnixStream::from(rustix::stdio::stdin().try_clone_to_owned()?);
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(socket)
}

/// Reads a job, restricts this process, and executes the command. Returns only after an error.
fn confine(socket: &mut UnixStream) -> io::Error {
    let (job, rules) = match receive_job(socket) {
        Ok(received) => received,
        Err(error) => return error,
    };
    match restrict(&job, rules)
        .and_then(|(answer, listener)| report(socket, &answer, listener.as_ref()))
    {
        Ok(proxy) => execute(&job, proxy),
        Err(error) => error,
    }
}

/// Reads the job, and the rules for files that came with it.
fn receive_job(socket: &UnixStream) -> io::Result<(SandboxJob, Option<OwnedFd>)> {
    let (line, rules) = receive_line(socket)?;
    let job = decode(&line)?.pop().ok_or(io::ErrorKind::InvalidData)?;
    Ok((job, rules))
}

/// Sends the answer, and with it the listener to the supervisor, which serves it outside the namespace; returns its
/// address.
fn report(
    socket: &UnixStream,
    answer: &SupervisorAnswer,
    listener: Option<&TcpListener>,
) -> io::Result<Option<SocketAddr>> {
    let address = listener.map(TcpListener::local_addr).transpose()?;
    send_with(socket, &encode(answer)?, listener.map(AsFd::as_fd))?;
    Ok(address)
}

/// Replaces this process by the command. Returns only after an error.
fn execute(job: &SandboxJob, proxy: Option<SocketAddr>) -> io::Error {
    let Some((program, arguments)) = job.argv.split_first() else {
        return io::ErrorKind::InvalidInput.into();
    };
    let variables = job.env.iter().map(|(name, value)| (name, value));
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&job.cwd).env_clear().envs(variables);
    if let Some(proxy) = proxy {
        command.envs(proxy_variables(job, proxy));
    }
    command.exec()
}

/// Applies every part of the sandbox that the kernel provides.
fn restrict(
    job: &SandboxJob,
    rules: Option<OwnedFd>,
) -> io::Result<(SupervisorAnswer, Option<TcpListener>)> {
    // Without a terminal, no input can be faked for the user's shell.
    setsid()?;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    let has_network = job.network == CommandNetwork::On;
    let own = namespace::enter_namespaces(!has_network)?;
    let families = match (has_network, own.network) {
        (true, _) => Families::Network,
        (false, true) => Families::Loopback,
        (false, false) => Families::None,
    };
    let listener = match job.network {
        CommandNetwork::Deps if own.network => Some(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?),
        CommandNetwork::Deps => return Err(io::Error::other(NO_NAMESPACE)),
        CommandNetwork::Off | CommandNetwork::On => None,
    };
    drop_capabilities()?;
    set_no_new_privs(true)?;
    let version = files::restrict(rules, own.devices)?;
    let filtered = syscalls::filter(families, own.ipc);
    let mut missing = files::missing_parts(version, has_network);
    // Without Landlock it is one of many files.
    missing.extend((!own.devices && version > 0).then(|| SHARED_MEMORY.to_owned()));
    missing.extend(filtered.as_ref().err().map(|error| format!("system calls ({error})")));
    missing.extend(job.gaps.iter().cloned());
    // Rules that are wrong would be found here; without any, every try succeeds.
    missing.extend(if version > 0 { probe::find_leaks(&job.probes) } else { Vec::new() });
    if job.required && !missing.is_empty() {
        let parts = missing.join("; ");
        return Err(io::Error::other(format!("the sandbox is not complete: it lacks {parts}")));
    }
    if !has_network && filtered.is_err() {
        return Err(io::Error::other("the network cannot be turned off without seccomp"));
    }
    let nothing = version == 0 && filtered.is_err();
    Ok((SupervisorAnswer::Confined { missing, nothing }, listener))
}

/// Removes all capabilities but those of [`KEPT`], also for programs that the command executes.
fn drop_capabilities() -> io::Result<()> {
    let CapabilitySets { effective, permitted, .. } = capabilities(None)?;
    // A program that root executes gets the bounding set.
    for capability in CapabilitySet::all().difference(KEPT).iter() {
        match remove_capability_from_bounding_set(capability) {
            // The kernel does not know it, or the user has no capability at all.
            Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    clear_ambient_capability_set()?;
    let (effective, permitted) = (effective & KEPT, permitted & KEPT);
    set_capabilities(
        None,
        CapabilitySets { effective, permitted, inheritable: CapabilitySet::empty() },
    )?;
    Ok(())
}
