//! The files that a command may read and change, as rules of Landlock.

#[cfg(target_os = "linux")]
pub(super) use linux::{FileRules, has_terminals, restrict};
#[cfg(not(target_os = "linux"))]
pub(super) use other::{FileRules, has_terminals};

/// The use that a command may make of a file, or of all in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileRight {
    /// Read and execute it.
    Read,
    /// Change it as well.
    Change,
}

/// The rules of Linux.
#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, AsRawFd as _, IntoRawFd as _, OwnedFd};

    use landlock::{
        ABI, Access as _, AccessFs, BitFlags, LandlockStatus, PathBeneath, Ruleset,
        RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
        path_beneath_rules,
    };

    use super::FileRight;
    use crate::os::sandbox::place::OpenedPlace;

    /// Devices without content.
    const DEVICES: [&str; 6] =
        ["/dev/full", "/dev/null", "/dev/random", "/dev/tty", "/dev/urandom", "/dev/zero"];
    /// Memory that processes share by names.
    const SHARED_MEMORY: &str = "/dev/shm";
    /// The devices that make terminals.
    const TERMINALS: [&str; 2] = ["/dev/ptmx", "/dev/pts"];

    /// Rules that are being made. They belong to no process until one restricts itself with them.
    pub(in super::super) struct FileRules(RulesetCreated);

    impl FileRules {
        /// Returns rules for devices and the names in folders. A rule for a folder also counts for the terminals that are in
        /// it, such as the user's, so terminals are allowed only `with_terminals`.
        ///
        /// Fails with the error of the system; a kernel without such rules is none.
        pub(in super::super) fn create(with_terminals: bool) -> io::Result<Self> {
            let terminals: &[&str] = if with_terminals { &TERMINALS } else { &[] };
            let devices = DEVICES.iter().chain([&SHARED_MEMORY]).chain(terminals);
            let rules = create_empty().and_then(|rules| {
                // Names are not secret; programs list the folders above the one they work in.
                rules
                    .add_rules(path_beneath_rules(["/"], AccessFs::ReadDir))?
                    .add_rules(path_beneath_rules(devices, change()))
            });
            Ok(Self(rules.map_err(io::Error::other)?))
        }

        /// Adds a rule for an open file or folder.
        ///
        /// Fails with the error of the system.
        pub(in super::super) fn allow(
            &mut self,
            place: &OpenedPlace,
            right: FileRight,
        ) -> io::Result<()> {
            let access = match right {
                FileRight::Read => AccessFs::from_read(ABI::V5),
                FileRight::Change => change(),
            };
            let of_files = if place.is_folder() { all() } else { AccessFs::from_file(ABI::V5) };
            let rule = PathBeneath::new(place.as_fd(), access & of_files);
            (&mut self.0).add_rule(rule).map(drop).map_err(io::Error::other)
        }

        /// Returns the rules as a descriptor; `None` where the kernel has none.
        pub(in super::super) fn into_descriptor(self) -> Option<OwnedFd> {
            self.0.into()
        }
    }

    fn all() -> BitFlags<AccessFs> {
        AccessFs::from_all(ABI::V5)
    }

    fn change() -> BitFlags<AccessFs> {
        all() & !(AccessFs::MakeChar | AccessFs::MakeBlock)
    }

    fn create_empty() -> Result<RulesetCreated, RulesetError> {
        Ruleset::default().handle_access(all())?.scope(Scope::from_all(ABI::V6))?.create()
    }

    /// Restricts this process and its descendants; returns the version of Landlock that does so, 0 where there is none.
    /// `own_devices` is `true` if the process has its own terminals and shared memory. The standard input is empty after it.
    ///
    /// Fails with the error of the system; the process must not become the command then.
    pub(in super::super) fn restrict(rules: Option<OwnedFd>, own_devices: bool) -> io::Result<u32> {
        let Some(rules) = rules else { return Ok(0) };
        let own = if own_devices { &TERMINALS[..] } else { &[] };
        let own = own.iter().chain(own_devices.then_some(&SHARED_MEMORY));
        let status = adopt(&rules)?
            .add_rules(path_beneath_rules(own, change()))
            .and_then(RulesetCreated::restrict_self)
            .map_err(io::Error::other);
        // The descriptor was closed with the rules, so the next file gets its number; it stays open.
        let input = empty_input()?;
        rustix::stdio::dup2_stdin(&input)?;
        if input.as_raw_fd() == 0 {
            let _ = input.into_raw_fd();
        }
        Ok(match status?.landlock {
            LandlockStatus::Available { effective_abi, .. } => effective_abi as u32,
            _ => 0,
        })
    }

    /// Returns rules that another process made as rules of this one. They take the number of the standard input: of all
    /// descriptors only its three first ones can be replaced without `unsafe`.
    fn adopt(rules: &OwnedFd) -> io::Result<RulesetCreated> {
        // A new descriptor gets the lowest free number, and this process has one thread.
        nix::unistd::close(0)?;
        let own = create_empty().map_err(io::Error::other)?;
        rustix::stdio::dup2_stdin(rules.as_fd())?;
        Ok(own)
    }

    #[expect(clippy::disallowed_methods, reason = "the file is a device")]
    fn empty_input() -> io::Result<File> {
        File::open("/dev/null")
    }

    /// Returns `true` if some process has a terminal.
    pub(in super::super) fn has_terminals() -> bool {
        let entries = std::fs::read_dir("/dev/pts").into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name() != "ptmx")
    }
}

/// No rules.
#[cfg(not(target_os = "linux"))]
mod other {
    use std::io;
    use std::os::fd::OwnedFd;

    use super::FileRight;
    use crate::os::sandbox::place::OpenedPlace;

    /// Rules that no system keeps.
    pub(in super::super) struct FileRules;

    impl FileRules {
        pub(in super::super) fn create(_: bool) -> io::Result<Self> {
            Ok(Self)
        }

        pub(in super::super) fn allow(&mut self, _: &OpenedPlace, _: FileRight) -> io::Result<()> {
            Ok(())
        }

        pub(in super::super) fn into_descriptor(self) -> Option<OwnedFd> {
            None
        }
    }

    pub(in super::super) fn has_terminals() -> bool {
        true
    }
}

/// Returns the parts of the sandbox that a version of Landlock's interface (0: none) lacks, for messages.
#[cfg(target_os = "linux")]
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

#[cfg(all(test, target_os = "linux"))]
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
