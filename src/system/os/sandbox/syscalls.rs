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

/// Calls that programs replace by others where the kernel does not have them. The flags of `clone3` cannot be read here.
const ABSENT: [i64; 4] = [
    libc::SYS_clone3,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
];

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

/// The bit in the numbers of a second set of calls.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;
/// The numbers of the same calls that the second set has in its own part of the table.
#[cfg(target_arch = "x86_64")]
const X32_OWN: [i64; 4] = [521, 528, 539, 540];

/// Applies the filters to this process and its descendants.
pub(super) fn filter(families: Families) -> io::Result<()> {
    let refused = compile(refused_calls(families)?, libc::EPERM)?;
    let absent = compile(absent_calls(), libc::ENOSYS)?;
    // The second is applied under the first.
    for program in [absent, refused] {
        apply_filter(&program).map_err(io::Error::other)?;
    }
    Ok(())
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn absent_calls() -> Rules {
    let mut rules: Rules =
        ABSENT.into_iter().flat_map(numbers).map(|it| (it, Vec::new())).collect();
    #[cfg(target_arch = "x86_64")]
    rules.extend(X32_OWN.map(|number| (number | X32, Vec::new())));
    rules
}

fn refused_calls(families: Families) -> io::Result<Rules> {
    let mut rules: Rules =
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
    for number in numbers(libc::SYS_clone) {
        rules.insert(number, namespaces.clone());
    }
    // Limits of other processes of the user, which could end them.
    let other =
        SeccompRule::new(vec![condition(SeccompCmpOp::Ne, 0)?]).map_err(io::Error::other)?;
    for number in numbers(libc::SYS_prlimit64) {
        rules.insert(number, vec![other.clone()]);
    }
    Ok(rules)
}

/// Returns a condition on the first argument.
fn condition(operator: SeccompCmpOp, value: i32) -> io::Result<SeccompCondition> {
    let value = u64::from(value.unsigned_abs());
    SeccompCondition::new(0, SeccompCmpArgLen::Dword, operator, value).map_err(io::Error::other)
}

/// Returns every number of a call.
fn numbers(call: i64) -> Vec<i64> {
    #[cfg(target_arch = "x86_64")]
    return vec![call, call | X32];
    #[cfg(not(target_arch = "x86_64"))]
    vec![call]
}

/// Programs of another architecture, such as 32-bit ones, are killed.
fn compile(rules: Rules, error: i32) -> io::Result<BpfProgram> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    let refuse = SeccompAction::Errno(error.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture);
    filter.and_then(BpfProgram::try_from).map_err(io::Error::other)
}
