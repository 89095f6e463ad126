//! Tries from inside of the sandbox what must not work in it: its level is measured, not assumed.

use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, unlinkat};

use super::job::SandboxProbes;

/// Returns the parts of the sandbox in which a try succeeds, for messages.
pub(super) fn find_leaks(probes: &SandboxProbes) -> Vec<String> {
    let read = probes
        .unreadable
        .iter()
        .find(|file| can_read(file))
        .map(|file| format!("files (`{}` can be read)", file.display()));
    let written = probes
        .unwritable
        .iter()
        .find(|folder| can_write_in(folder))
        .map(|folder| format!("files (`{}` can be changed)", folder.display()));
    read.into_iter().chain(written).collect()
}

fn can_read(file: &Path) -> bool {
    // A pipe in its place would wait for ever.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    openat(CWD, file, flags, Mode::empty()).is_ok()
}

fn can_write_in(folder: &Path) -> bool {
    let file = folder.join(format!(".papayu-probe-{}", std::process::id()));
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let made = openat(CWD, &file, flags, Mode::RUSR | Mode::WUSR).is_ok();
    if made {
        let _ = unlinkat(CWD, &file, AtFlags::empty());
    }
    made
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test makes the files itself")]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_can_be_read_and_a_folder_that_can_be_changed_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let probes = SandboxProbes {
            unreadable: vec![folder.path().join("missing"), file.clone()],
            unwritable: vec![folder.path().join("none"), folder.path().to_owned()],
        };
        assert_eq!(find_leaks(&probes).len(), 1);
        std::fs::write(&file, "x").unwrap();
        let leaks = find_leaks(&probes);
        let (file, folder) = (file.display(), folder.path().display());
        let expected =
            [format!("files (`{file}` can be read)"), format!("files (`{folder}` can be changed)")];
        assert_eq!(leaks, expected);
        assert_eq!(std::fs::read_dir(folder.to_string()).unwrap().count(), 1);
    }
}
