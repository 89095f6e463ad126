//! Namespaces in which a command reaches nothing but itself: network, shared memory and queues, terminals.

use std::fs;
use std::io;

use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketType, recv, send, socket};
use rustix::process::{getegid, geteuid};
use rustix::thread::UnshareFlags;

/// The request to set the first interface, which is the loopback device, up: an `nlmsghdr` and an `ifinfomsg`.
struct LinkUp;

impl LinkUp {
    const LENGTH: u32 = 32;
    const RTM_NEWLINK: u16 = 16;
    const REQUEST_WITH_ANSWER: u16 = 1 | 4;
    const LOOPBACK: i32 = 1;
    const UP: u32 = 1;

    /// Returns the message in the byte order of the machine (rtnetlink(7), `RTM_NEWLINK`).
    fn to_bytes() -> Vec<u8> {
        let mut bytes = Self::LENGTH.to_ne_bytes().to_vec();
        bytes.extend(Self::RTM_NEWLINK.to_ne_bytes());
        bytes.extend(Self::REQUEST_WITH_ANSWER.to_ne_bytes());
        // Sequence number, port, family, type.
        bytes.extend([0; 12]);
        bytes.extend(Self::LOOPBACK.to_ne_bytes());
        bytes.extend(Self::UP.to_ne_bytes());
        bytes.extend(Self::UP.to_ne_bytes());
        bytes
    }
}

/// The parts of the machine that a command has for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnParts {
    /// A network with nothing but a loopback device.
    pub(super) network: bool,
    /// Shared memory, semaphores and queues of System V, and queues of POSIX.
    pub(super) ipc: bool,
    /// Terminals and `/dev/shm`.
    pub(super) devices: bool,
}

/// Moves this process to namespaces of its own; none where the user may not do that.
///
/// Fails with the error of the system if the process is in a new user namespace and cannot keep its user there.
/// A part that cannot be set up is only reported as missing.
pub(super) fn enter_namespaces(own_network: bool) -> io::Result<OwnParts> {
    let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
    let network = if own_network { UnshareFlags::NEWNET } else { UnshareFlags::empty() };
    let flags = network | UnshareFlags::NEWIPC | UnshareFlags::NEWNS;
    if unshare(flags).is_err() {
        if !allows_user_namespaces() || unshare(flags | UnshareFlags::NEWUSER).is_err() {
            return Ok(OwnParts::default());
        }
        keep_user(uid, gid)?;
    }
    Ok(OwnParts {
        network: own_network && set_loopback_up().is_ok(),
        ipc: true,
        devices: mount_devices().is_ok(),
    })
}

/// Mounts terminals and shared memory of its own.
fn mount_devices() -> io::Result<()> {
    let plain = MountFlags::NOSUID | MountFlags::NOEXEC;
    // Mounts do not reach the other processes.
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
    mount("devpts", "/dev/pts", "devpts", plain, c"newinstance,ptmxmode=0666,mode=0600")?;
    mount("tmpfs", "/dev/shm", "tmpfs", plain | MountFlags::NODEV, c"mode=1777")?;
    Ok(())
}

/// Ubuntu allows the namespace, but nothing in it.
#[expect(clippy::disallowed_methods, reason = "the file is a setting of the kernel")]
fn allows_user_namespaces() -> bool {
    let restricted = fs::read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    !restricted.is_ok_and(|text| text.starts_with(b"1"))
}

#[expect(deprecated, reason = "the process has one thread and no descriptor that depends on it")]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}

/// Gives the user the same number in the new namespace.
#[expect(clippy::disallowed_methods, reason = "the files are settings of this process")]
fn keep_user(uid: u32, gid: u32) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
}

/// Enables the loopback device of the own network namespace. Fails with `PermissionDenied` if the kernel
/// refuses it.
fn set_loopback_up() -> io::Result<()> {
    // The first protocol of these sockets is that of routes and devices.
    let socket = socket(AddressFamily::NETLINK, SocketType::RAW, None)?;
    send(&socket, &LinkUp::to_bytes(), SendFlags::empty())?;
    let mut answer = [0; 64];
    recv(&socket, &mut answer[..], RecvFlags::empty())?;
    // The error number follows the header of 16 bytes; 0 is none.
    match answer.get(16..20) {
        Some([0, 0, 0, 0]) => Ok(()),
        _ => Err(io::ErrorKind::PermissionDenied.into()),
    }
}
