//! The files that a command may read and change, as rules of Landlock.

use std::io;

use landlock::{
    ABI, Access as _, AccessFs, LandlockStatus, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    Scope, path_beneath_rules,
};

use super::job::SandboxJob;

/// Devices without content, and shared memory.
const DEVICES: [&str; 7] =
    ["/dev/full", "/dev/null", "/dev/random", "/dev/shm", "/dev/tty", "/dev/urandom", "/dev/zero"];

/// The devices that make terminals.
const TERMINALS: [&str; 2] = ["/dev/ptmx", "/dev/pts"];

/// Restricts this process and its descendants; returns the version of Landlock that does so, 0 where there is none.
/// `own_devices` is `true` if no other process uses the terminals.
pub(super) fn restrict(job: &SandboxJob, own_devices: bool) -> io::Result<u32> {
    let all = AccessFs::from_all(ABI::V5);
    let change = all & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    // A rule for a folder also counts for the terminals that are in it, such as the user's.
    let terminals: &[&str] = if own_devices || !has_terminals() { &TERMINALS } else { &[] };
    // Root could read disks, and with them every file; and without terminals of its own, the keys that a user types.
    let readable = job.readable.iter().filter(|path| !path.starts_with("/dev"));
    let restrict = || {
        Ruleset::default()
            .handle_access(all)?
            .scope(Scope::from_all(ABI::V6))?
            .create()?
            // Names are not secret; programs list the folders above the one they work in.
            .add_rules(path_beneath_rules(["/"], AccessFs::ReadDir))?
            .add_rules(path_beneath_rules(readable, AccessFs::from_read(ABI::V5)))?
            .add_rules(path_beneath_rules(&job.writable, change))?
            .add_rules(path_beneath_rules(DEVICES, change))?
            .add_rules(path_beneath_rules(terminals, change))?
            .restrict_self()
    };
    let status = restrict().map_err(|error: landlock::RulesetError| io::Error::other(error))?;
    Ok(match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => effective_abi as u32,
        _ => 0,
    })
}

/// Returns `true` if some process has a terminal.
fn has_terminals() -> bool {
    let entries = std::fs::read_dir("/dev/pts").into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.file_name() != "ptmx")
}

/// Returns the parts of the sandbox that a version of Landlock's interface (0: none) lacks, for messages.
pub(super) fn missing_parts(version: u32, network: bool) -> Vec<String> {
    let since = |first: u32, part: &str| (version < first).then(|| part.to_owned());
    if version == 0 {
        return vec!["files and signals (the kernel has no Landlock)".to_owned()];
    }
    let parts = [
        since(3, "truncation of files"),
        since(5, "control of devices"),
        since(6, "signals to other processes"),
        since(6, "abstract sockets").filter(|_| network),
    ];
    parts.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_kernels_lack_parts_that_are_named() {
        let count = |version, network| missing_parts(version, network).len();
        assert_eq!(missing_parts(0, true), ["files and signals (the kernel has no Landlock)"]);
        assert_eq!((count(1, true), count(2, false)), (4, 3));
        assert_eq!(
            missing_parts(4, false),
            ["control of devices", "signals to other processes"],
            "Ubuntu 24.04"
        );
        assert_eq!(missing_parts(5, true), ["signals to other processes", "abstract sockets"]);
        assert_eq!((count(6, true), count(7, false)), (0, 0));
    }
}
