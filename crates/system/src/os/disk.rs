//! Files outside repositories, on the real disk.
#![expect(clippy::disallowed_methods, reason = "only this module uses the disk")]

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::OsTree;
use super::reach::{add_folder, check_place};
use super::sandbox::find_work_tree;
use super::temporary::TemporaryFolder;
use crate::{Disk, Scratch, Tree};

/// The real disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsDisk;

impl Disk for OsDisk {
    fn open_tree(&self, root: &Path) -> io::Result<Box<dyn Tree>> {
        add_folder(root);
        let tree = OsTree::open(root)?;
        let top = find_work_tree(tree.root());
        Ok(Box::new(tree.with_top(&top)?))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        if path == Path::new("-") {
            let stdin = io::stdin().as_fd().try_clone_to_owned()?;
            return Ok(Box::new(Patient(File::from(stdin))));
        }
        let file = OpenOptions::new().read(true).custom_flags(at_once()).open(path)?;
        Ok(if file.metadata()?.is_file() { Box::new(file) } else { Box::new(Patient(file)) })
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let is_replaced = check_place(path)?;
        // Through a link to the file it names, so that the link stays; not where a command can have made it.
        let real = if is_replaced { None } else { fs::canonicalize(path).ok() };
        let target = real.unwrap_or_else(|| path.to_owned());
        if !is_replaced
            && fs::metadata(&target).is_ok_and(|found| !found.is_file() && !found.is_dir())
        {
            // A terminal or a pipe (`/dev/stdout`) cannot be replaced by a rename.
            return OpenOptions::new().write(true).open(&target)?.write_all(bytes);
        }
        let folder = make_folder_of(&target)?;
        let name = target.file_name().ok_or_else(|| no_name(&target))?;
        let temporary = folder.join(temporary_name(name));
        replace_file(&temporary, &target, bytes).inspect_err(|_| {
            let _ = fs::remove_file(&temporary);
        })
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        open_end(path)?.0.write_all(bytes)
    }

    fn append_durably(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let (mut file, is_file) = open_end(path)?;
        if !is_file {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
        }
        file.write_all(bytes)?;
        file.sync_data()
    }

    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        // As if a file were in it.
        check_place(&folder.join("x"))?;
        fs::create_dir_all(folder)
    }

    fn size(&self, folder: &Path) -> io::Result<u64> {
        let (mut bytes, mut open) = (0_u64, vec![folder.to_owned()]);
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                // A file that disappears during the walk occupies no space.
                let Ok(found) = entry.metadata() else { continue };
                if found.is_dir() {
                    open.push(entry.path());
                } else if found.is_file() {
                    bytes = bytes.saturating_add(found.len());
                }
            }
        }
        Ok(bytes)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        paths.sort();
        Ok(paths)
    }

    fn delete_folder(&self, folder: &Path) -> io::Result<()> {
        super::temporary::remove_all(folder)
    }

    fn walk(&self, root: &Path, limit: usize) -> io::Result<Vec<String>> {
        super::walk::walk(root, limit)
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn scratch(&self) -> io::Result<Box<dyn Scratch>> {
        let folder = TemporaryFolder::create(&uuid::Uuid::new_v4().to_string())?;
        Ok(Box::new(ScratchFolder(folder)))
    }
}

/// A temporary folder, removed when it is dropped.
struct ScratchFolder(TemporaryFolder);

impl Scratch for ScratchFolder {
    fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Reads a pipe in short waits. One in which nothing arrived ends with `Interrupted`, so that
/// the caller can give up.
struct Patient<R>(R);

impl<R: Read + AsFd> Read for Patient<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let nap = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
        let mut source = [PollFd::new(&self.0, PollFlags::IN)];
        if poll(&mut source, Some(&nap))? == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match self.0.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                Err(io::ErrorKind::Interrupted.into())
            }
            count => count,
        }
    }
}

/// Returns the flag for opening without waiting: opening a pipe would wait for its other end,
/// whatever signal arrives.
fn at_once() -> i32 {
    flag(OFlags::NONBLOCK)
}

/// Returns a flag as the standard library takes it.
fn flag(flag: OFlags) -> i32 {
    i32::try_from(flag.bits()).unwrap_or_default()
}

/// Opens a file for appending. The flag is true for a regular file; a pipe without a reader is an
/// error.
fn open_end(path: &Path) -> io::Result<(File, bool)> {
    let is_shared = check_place(path)?;
    make_folder_of(path)?;
    let no_links = if is_shared { flag(OFlags::NOFOLLOW) } else { 0 };
    let flags = at_once() | no_links;
    let file = OpenOptions::new().append(true).create(true).custom_flags(flags).open(path)?;
    let is_file = file.metadata()?.is_file();
    if !is_file {
        fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    }
    Ok((file, is_file))
}

/// Writes a file under another name and renames it, so that no reader sees half of it. The
/// permissions of the old file are kept.
fn replace_file(temporary: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(temporary)?;
    file.write_all(bytes)?;
    // The permissions of a link or pipe are not those of a file.
    if let Some(found) = fs::symlink_metadata(target).ok().filter(fs::Metadata::is_file) {
        file.set_permissions(found.permissions())?;
        // Else a power cut after the rename could leave an empty file where a whole one stood. A
        // new file loses nothing: traces and results are the run's last words, not its journal.
        file.sync_all()?;
    }
    fs::rename(temporary, target)
}

/// Creates the folder of a file and returns it.
fn make_folder_of(path: &Path) -> io::Result<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Returns a name for a temporary file that no other thread or process of this machine chooses.
fn temporary_name(name: &std::ffi::OsStr) -> OsString {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut out = OsString::from(".");
    out.push(name);
    out.push(format!(".{}-{number}.tmp", std::process::id()));
    out
}

/// Returns the error of a path that names no file.
fn no_name(path: &Path) -> io::Error {
    let message = format!("`{}` does not name a file", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_whole_with_its_folders_and_leaves_nothing_beside_it() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("с пробелом/a/out.json");
        for text in ["one", "two"] {
            OsDisk.write(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        OsDisk.append(&path, b" three").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two three");
        assert_eq!(OsDisk.list(path.parent().unwrap()).unwrap(), std::slice::from_ref(&path));
        assert!(OsDisk.is_file(&path) && !OsDisk.is_file(root.path()));
    }

    #[test]
    fn a_write_through_a_link_or_to_a_device_keeps_it() {
        let root = tempfile::tempdir().unwrap();
        let (file, link) = (root.path().join("file"), root.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        OsDisk.write(&link, b"new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        OsDisk.write(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!OsDisk.is_file(Path::new("/dev/null")));
    }

    #[test]
    fn a_durable_append_adds_to_what_others_appended() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("journal");
        OsDisk.append_durably(&path, b"one").unwrap();
        OsDisk.append(&path, b"two").unwrap();
        OsDisk.append_durably(&path, b"three").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "onetwothree");
    }

    #[test]
    fn the_end_of_a_pipe_that_nobody_reads_is_an_error_and_not_a_wait() {
        let root = tempfile::tempdir().unwrap();
        let pipe = root.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        assert!(OsDisk.append(&pipe, b"x").is_err());
        assert!(OsDisk.append_durably(&pipe, b"x").is_err());
        let told = OsDisk.append_durably(Path::new("/dev/null"), b"x").unwrap_err();
        assert_eq!(told.to_string(), "it is no file");
        let mut reader = OpenOptions::new().read(true).custom_flags(at_once()).open(&pipe).unwrap();
        OsDisk.append(&pipe, b"told").unwrap();
        let mut told = [0; 4];
        reader.read_exact(&mut told).unwrap();
        assert_eq!(&told, b"told");
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_alone() {
        let root = tempfile::tempdir().unwrap();
        assert!(OsDisk.write(root.path(), b"x").is_err());
        assert!(OsDisk.write(Path::new("/proc/none/file"), b"x").is_err());
        assert_eq!(OsDisk.list(&root.path().join("missing")).unwrap(), Vec::<PathBuf>::new());
        let ours = format!(".{}-", std::process::id());
        let left: Vec<_> = fs::read_dir(root.path().parent().unwrap())
            .unwrap()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.contains(&ours))
            .collect();
        assert_eq!(left, Vec::<String>::new());
    }
}
