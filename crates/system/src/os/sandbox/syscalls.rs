//! The system calls that a command may not use, as filters of seccomp.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

/// The kinds of sockets that a command may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Families {
    /// Those of the network and of this machine.
    Network,
    /// Those of the network; the command has one of its own, with nothing but itself.
    Loopback,
    /// None but pairs.
    None,
}

/// Calls that look into other processes, change the machine, or enter other namespaces.
const REFUSED: [i64; 38] = [
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapon,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
];

/// Calls that reach shared memory, semaphores and queues of other processes by their numbers and names.
const SHARED: [i64; 13] = [
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_msgctl,
    libc::SYS_msgget,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_semctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmget,
];

/// Calls that programs replace by others where the kernel does not have them. The flags of `clone3` cannot be read here.
const ABSENT: [i64; 4] = [
    libc::SYS_clone3,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
];

/// Calls that change the mode of a file, with the number of the argument that is the mode.
const MODES: &[(i64, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
];

/// The bit of a mode by which a program runs with the rights of its owner. Nothing else restricts changes of modes outside of the
/// working tree.
const SET_USER: i32 = 0o4000;

/// Flags of `clone` that make a namespace.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// The bits of a socket's kind; the others are flags.
const SOCKET_KIND: u64 = 0xf;

/// The bit in the numbers of a second set of calls.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;
/// The numbers of the same calls that the second set has in its own part of the table.
#[cfg(target_arch = "x86_64")]
const X32_OWN: [i64; 4] = [521, 528, 539, 540];

/// Applies the filters to this process and its descendants. `own_ipc` is `true` if no other process shares memory and
/// queues with them.
pub(super) fn filter(families: Families, own_ipc: bool) -> io::Result<()> {
    let mut refused = refused_calls(families)?;
    if !own_ipc {
        refused.extend(SHARED.into_iter().flat_map(numbers).map(|it| (it, Vec::new())));
    }
    let refused = compile(refused, libc::EPERM)?;
    let absent = compile(absent_calls(), libc::ENOSYS)?;
    // The second is applied under the first.
    for program in [absent, refused] {
        apply_filter(&program).map_err(io::Error::other)?;
    }
    Ok(())
}

type SyscallRules = BTreeMap<i64, Vec<SeccompRule>>;

/// Returns the system calls that fail as on a kernel that lacks them.
fn absent_calls() -> SyscallRules {
    let mut rules: SyscallRules =
        ABSENT.into_iter().flat_map(numbers).map(|it| (it, Vec::new())).collect();
    #[cfg(target_arch = "x86_64")]
    rules.extend(X32_OWN.map(|number| (number | X32, Vec::new())));
    rules
}

/// Returns the system calls that are refused: those of [`REFUSED`], new namespaces, and sockets of other
/// families.
fn refused_calls(families: Families) -> io::Result<SyscallRules> {
    let mut rules: SyscallRules =
        REFUSED.into_iter().flat_map(numbers).map(|it| (it, Vec::new())).collect();
    let allowed: &[i32] = match families {
        Families::Network => &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
        Families::Loopback => &[libc::AF_INET, libc::AF_INET6],
        Families::None => &[],
    };
    let others = allowed.iter().map(|family| condition(SeccompCmpOp::Ne, *family));
    let others = others.collect::<io::Result<Vec<_>>>()?;
    // Without conditions every socket is refused.
    let others = match allowed {
        [] => Vec::new(),
        _ => vec![SeccompRule::new(others).map_err(io::Error::other)?],
    };
    let namespaces = NAMESPACES.into_iter().map(|flag| {
        let flag_set = condition(SeccompCmpOp::MaskedEq(u64::from(flag.unsigned_abs())), flag)?;
        SeccompRule::new(vec![flag_set]).map_err(io::Error::other)
    });
    let namespaces = namespaces.collect::<io::Result<Vec<_>>>()?;
    for number in numbers(libc::SYS_socket) {
        rules.insert(number, others.clone());
    }
    if families != Families::Network {
        for number in numbers(libc::SYS_socketpair) {
            rules.insert(number, datagram_pairs()?);
        }
    }
    for number in numbers(libc::SYS_clone) {
        rules.insert(number, namespaces.clone());
    }
    for (call, argument) in MODES {
        let bit_set = SeccompCmpOp::MaskedEq(u64::from(SET_USER.unsigned_abs()));
        let bit_set = vec![condition_on(*argument, bit_set, SET_USER)?];
        let rule = SeccompRule::new(bit_set).map_err(io::Error::other)?;
        rules.extend(numbers(*call).into_iter().map(|number| (number, vec![rule.clone()])));
    }
    // Limits of other processes of the user, which could end them.
    let other =
        SeccompRule::new(vec![condition(SeccompCmpOp::Ne, 0)?]).map_err(io::Error::other)?;
    for number in numbers(libc::SYS_prlimit64) {
        rules.insert(number, vec![other.clone()]);
    }
    Ok(rules)
}

/// Returns the rules for pairs of which an end can send to the address of any other socket; the kernel makes raw ones
/// such pairs, too.
fn datagram_pairs() -> io::Result<Vec<SeccompRule>> {
    let kinds = [libc::SOCK_DGRAM, libc::SOCK_RAW].into_iter().map(|kind| {
        let condition = condition_on(1, SeccompCmpOp::MaskedEq(SOCKET_KIND), kind)?;
        SeccompRule::new(vec![condition]).map_err(io::Error::other)
    });
    kinds.collect()
}

/// Returns a condition on the first argument.
fn condition(operator: SeccompCmpOp, value: i32) -> io::Result<SeccompCondition> {
    condition_on(0, operator, value)
}

/// Returns a condition on the argument with this number.
fn condition_on(argument: u8, operator: SeccompCmpOp, value: i32) -> io::Result<SeccompCondition> {
    let value = u64::from(value.unsigned_abs());
    let length = SeccompCmpArgLen::Dword;
    SeccompCondition::new(argument, length, operator, value).map_err(io::Error::other)
}

/// Returns every number of a call.
fn numbers(call: i64) -> Vec<i64> {
    #[cfg(target_arch = "x86_64")]
    return vec![call, call | X32];
    #[cfg(not(target_arch = "x86_64"))]
    vec![call]
}

/// Programs of another architecture, such as 32-bit ones, are killed.
fn compile(rules: SyscallRules, error: i32) -> io::Result<BpfProgram> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    let refuse = SeccompAction::Errno(error.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture);
    filter.and_then(BpfProgram::try_from).map_err(io::Error::other)
}
