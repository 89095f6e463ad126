//! Moves the environment out of `/proc/PID/environ`: the program starts itself again without it and reads it from memory.
//!
//! The kernel shows the environment that a program was started with to every process of the same
//! user, for as long as the program runs. Only a new start changes what it shows. The first start
//! therefore writes the variables into an anonymous file in memory and executes the program again
//! with `PUBLIC` variables only. The second start reads the file, empties and seals it, because
//! its descriptor is inherited, and makes itself undumpable: other processes of the user can then
//! neither trace it nor read its memory, and it writes no core dumps.

use std::ffi::{OsStr, OsString};

use super::environment::{self, EnvironmentVariable};

/// The variable that carries the number of the descriptor to the second start.
const HANDOVER: &str = "PAPAYU_HANDOVER";

/// Variables that the second start keeps: the loader, terminals, certificates and the libraries
/// of this program read them from the process, and none carries a secret.
const PUBLIC: [&str; 27] = [
    "CI", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS", "HOME", "LANG", "LANGUAGE",
    "LD_LIBRARY_PATH", "LD_PRELOAD", "LINES", "LLVM_PROFILE_FILE", "NO_COLOR", "PATH", "PWD",
    "RAYON_NUM_THREADS", "RUST_BACKTRACE", "RUST_LIB_BACKTRACE", "RUST_MIN_STACK", "SHLVL",
    "SSL_CERT_DIR", "SSL_CERT_FILE", "TERM", "TMPDIR", "TZ", "TZDIR", "XDG_CONFIG_HOME",
];

/// Takes the environment into memory that no other process of the user can read.
///
/// Call it first in `main`, before any thread: on Linux it may replace the process by a second
/// start of the program with the same arguments. Where that does not work, the program goes on
/// with its environment as it is, and [`environment::exposure`] returns the reason.
///
/// Hidden subcommands have names that begin with `__`. This program starts them itself, with an
/// environment that is not secret, and they keep it.
#[expect(clippy::disallowed_methods, reason = "the environment before it is taken over")]
pub fn take_environment() {
    let variables: Vec<EnvironmentVariable> = std::env::vars_os().collect();
    if std::env::args_os().nth(1).is_some_and(|name| name.as_encoded_bytes().starts_with(b"__")) {
        return environment::set_process_environment(variables, None);
    }
    let number = variables.iter().find(|(name, _)| name == HANDOVER).map(|(_, value)| value);
    let (variables, exposure) = match number {
        Some(number) => match linux::receive_variables(number) {
            Ok(received) => (received, None),
            Err(error) => (variables.clone(), Some(error.to_string())),
        },
        // Nothing to hide needs no second start.
        None if variables.iter().all(|(name, _)| is_public(name)) => {
            let exposure = linux::forbid_dumps().err().map(|error| error.to_string());
            (variables, exposure)
        }
        None => {
            let error = linux::start_again(&variables);
            (variables, Some(error.to_string()))
        }
    };
    let variables = variables.into_iter().filter(|(name, _)| name != HANDOVER).collect();
    environment::set_process_environment(variables, exposure);
}

/// Returns `true` for a variable that the second start may keep.
fn is_public(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    PUBLIC.iter().any(|known| name == *known) || bytes.starts_with(b"LC_")
}

/// Returns the variables in the form of the kernel: `NAME=VALUE`, each followed by a NUL.
fn encode_variables(variables: &[EnvironmentVariable]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, value) in variables {
        bytes.extend_from_slice(name.as_encoded_bytes());
        bytes.push(b'=');
        bytes.extend_from_slice(value.as_encoded_bytes());
        bytes.push(0);
    }
    bytes
}

/// Reads the form of [`encode_variables`]. A name may begin with `=`, as the standard library
/// allows.
fn decode_variables(bytes: &[u8]) -> Vec<EnvironmentVariable> {
    use std::os::unix::ffi::OsStrExt as _;
    let own = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    let entries = bytes.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    let pair = |entry: &[u8]| -> Option<(OsString, OsString)> {
        let end = entry.iter().skip(1).position(|byte| *byte == b'=')? + 1;
        Some((own(entry.get(..end)?), own(entry.get(end + 1..)?)))
    };
    entries.filter_map(pair).collect()
}

#[cfg(target_os = "linux")]
mod linux {
    //! The system calls of the handover.

    use std::ffi::OsStr;
    use std::fs::File;
    use std::io::{self, Read as _, Write as _};
    use std::os::fd::AsRawFd as _;
    use std::os::unix::process::CommandExt as _;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, memfd_create};
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};

    use super::{EnvironmentVariable, HANDOVER, decode_variables, encode_variables, is_public};

    /// The program's own file, whatever it is called.
    const SELF: &str = "/proc/self/exe";

    /// Forbids core dumps, and other processes of the user to trace this one.
    ///
    /// Fails with the error of `prctl(PR_SET_DUMPABLE)`.
    pub(super) fn forbid_dumps() -> io::Result<()> {
        Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
    }

    /// Starts the program again with the public variables; returns only where that fails.
    pub(super) fn start_again(variables: &[EnvironmentVariable]) -> io::Error {
        match write_memory(variables) {
            Ok(memory) => execute_again(variables, &memory),
            Err(error) => error,
        }
    }

    /// Writes the variables to an anonymous file in memory, which the second start inherits.
    fn write_memory(variables: &[EnvironmentVariable]) -> io::Result<File> {
        // Without `CLOEXEC`: the second start inherits it.
        let memory = memfd_create("papayu-environment", MemfdFlags::ALLOW_SEALING)?;
        let mut memory = File::from(memory);
        memory.write_all(&encode_variables(variables))?;
        Ok(memory)
    }

    /// Executes the program again; returns only if that fails.
    #[expect(clippy::disallowed_methods, reason = "the one program that is not a child")]
    fn execute_again(variables: &[EnvironmentVariable], memory: &File) -> io::Error {
        let mut arguments = std::env::args_os();
        // By its path, so that process lists show its name.
        let path = std::fs::read_link(SELF).ok().filter(|path| path.is_file());
        let mut command = Command::new(path.unwrap_or_else(|| PathBuf::from(SELF)));
        if let Some(name) = arguments.next() {
            command.arg0(name);
        }
        let number = memory.as_raw_fd().to_string();
        let kept = variables.iter().filter(|(name, _)| is_public(name));
        command
            .args(arguments)
            .env_clear()
            .envs(kept.map(|(name, value)| (name, value)))
            .env(HANDOVER, number);
        let error = command.exec();
        // Children of a program that goes on with its environment need not see it as a file.
        let _ = memory.set_len(0);
        error
    }

    /// Reads the variables of the first start, and empties the file that they came in.
    ///
    /// `number` is the file descriptor. Fails with an error of kind `InvalidData` if the descriptor is not the
    /// unsealed memory file of the first start, and with the error of the system if it cannot be read, emptied
    /// or sealed.
    pub(super) fn receive_variables(number: &OsStr) -> io::Result<Vec<EnvironmentVariable>> {
        forbid_dumps()?;
        let invalid = || io::Error::new(io::ErrorKind::InvalidData, "no handover of variables");
        let number: u32 = number.to_str().and_then(|text| text.parse().ok()).ok_or_else(invalid)?;
        let path = PathBuf::from(format!("/proc/self/fd/{number}"));
        // Only an anonymous file that no other program can have put there is read and emptied.
        let target = std::fs::read_link(&path)?;
        if target != Path::new("/memfd:papayu-environment (deleted)") {
            return Err(invalid());
        }
        let mut memory = File::options().read(true).write(true).open(&path)?;
        if !fcntl_get_seals(&memory)?.is_empty() {
            return Err(invalid());
        }
        let mut bytes = Vec::new();
        memory.read_to_end(&mut bytes)?;
        memory.set_len(0)?;
        fcntl_add_seals(
            &memory,
            SealFlags::GROW | SealFlags::SHRINK | SealFlags::WRITE | SealFlags::SEAL,
        )?;
        Ok(decode_variables(&bytes))
    }
}

#[cfg(not(target_os = "linux"))]
mod linux {
    //! Other systems have neither anonymous files in memory nor `/proc`.

    use std::ffi::OsStr;
    use std::io;

    use super::EnvironmentVariable;

    /// Succeeds, because there is nothing to forbid; the error is that of other systems.
    pub(super) fn forbid_dumps() -> io::Result<()> {
        Ok(())
    }

    /// Returns the error of a missing feature; the program continues with its environment.
    pub(super) fn start_again(_: &[EnvironmentVariable]) -> io::Error {
        io::ErrorKind::Unsupported.into()
    }

    /// Returns the error of a missing feature.
    pub(super) fn receive_variables(_: &OsStr) -> io::Result<Vec<EnvironmentVariable>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_back_as_they_were_written() {
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let variables =
            [pair("A", "1=2"), pair("EMPTY", ""), pair("LINES_OF_TEXT", "a\nb"), pair("=C:", "x")];
        assert_eq!(decode_variables(&encode_variables(&variables)), variables);
        assert_eq!(decode_variables(b"no equals sign\0"), []);
    }

    #[test]
    fn no_public_name_is_one_of_a_secret() {
        for name in PUBLIC {
            assert!(!crate::environment::is_secret(name), "{name}");
        }
        for name in ["GITHUB_TOKEN", "HTTPS_PROXY", "DATABASE_URL", "PAPAYU_API_KEY"] {
            assert!(!is_public(OsStr::new(name)), "{name}");
        }
    }
}
