//! The file of a layer: read with its faults, and replaced as a whole.

use std::io;

use super::key::Layer;
use super::layer::{Dropped, MAX_FILE, Memory, read_layer};
use crate::{Clock, Entry, Lock, Tree, replace_file, wait_for_lock};
use papayu_base::domain::{PathFault, RepoPath};

/// Why a file of the memory cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The file system.
    #[error("cannot use `{path}`: {source}")]
    File {
        /// The file.
        path: String,
        /// The error of the file system.
        source: io::Error,
    },
    /// Its content: a change would lose what it has.
    #[error("`{path}` is not usable: {reason}")]
    Content {
        /// The file.
        path: String,
        /// The fault in words.
        reason: String,
    },
    /// The file's name.
    #[error(transparent)]
    Path(#[from] PathFault),
}

/// The file of a layer in the folder that has it.
pub struct MemoryFile<'a> {
    tree: &'a dyn Tree,
    path: RepoPath,
    layer: Layer,
}

impl<'a> MemoryFile<'a> {
    /// Returns `preferences.json` in the user's data folder.
    ///
    /// # Errors
    ///
    /// The name is valid, so [`MemoryError::Path`] does not occur. A missing file is no error.
    pub fn of_user(folder: &'a dyn Tree) -> Result<Self, MemoryError> {
        Self::new(folder, "preferences.json", Layer::User)
    }

    /// Returns `.papa-yu/project.json` in the repository.
    ///
    /// # Errors
    ///
    /// The name is valid, so [`MemoryError::Path`] does not occur. A missing file is no error.
    pub fn of_project(repository: &'a dyn Tree) -> Result<Self, MemoryError> {
        Self::new(repository, ".papa-yu/project.json", Layer::Project)
    }

    fn new(tree: &'a dyn Tree, path: &str, layer: Layer) -> Result<Self, MemoryError> {
        Ok(Self { tree, path: RepoPath::parse(path)?, layer })
    }

    /// Returns the text; `None` without a file.
    ///
    /// # Errors
    ///
    /// [`MemoryError::File`] if the path is a link or a folder, or the file cannot be read, is not UTF-8, or is
    /// longer than [`MAX_FILE`] bytes.
    pub fn read_text(&self) -> Result<Option<String>, MemoryError> {
        let invalid = |reason: &str| self.fault(io::Error::new(io::ErrorKind::InvalidData, reason));
        // A link could lead to any other file of the folder.
        match self.tree.entry(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.fault(error)),
            Ok(Entry::Missing) => return Ok(None),
            Ok(Entry::File { .. }) => {}
            Ok(_) => return Err(invalid("it is not a regular file")),
        }
        let bytes = self.tree.read(&self.path, MAX_FILE as u64).map_err(|it| self.fault(it))?;
        String::from_utf8(bytes).map(Some).map_err(|_| invalid("it is not UTF-8"))
    }

    /// Returns the values, and the keys that are not used; empty without a file.
    ///
    /// # Errors
    ///
    /// [`MemoryError::File`] as for [`read_text`](Self::read_text), and [`MemoryError::Content`] if the text is
    /// no flat JSON object or has a key twice. An unknown key or a value of another form is not an error: the
    /// key is returned with the reason.
    pub fn read(&self) -> Result<(Memory, Dropped), MemoryError> {
        let Some(text) = self.read_text()? else { return Ok(Default::default()) };
        read_layer(self.layer, &text).map_err(|reason| self.unusable(reason))
    }

    /// Changes the values and replaces the file at once, so that a reader and a kill see the old or the new one.
    /// Other writers are waited for.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read), [`MemoryError::Content`] also if the file has keys that are not used,
    /// because it would lose them, and [`MemoryError::File`] if the lock is not free within some seconds or the
    /// file cannot be written.
    pub fn change(
        &self,
        clock: &dyn Clock,
        change: impl FnOnce(&mut Memory),
    ) -> Result<Memory, MemoryError> {
        let _lock = self.lock(clock)?;
        let (mut memory, dropped) = self.read()?;
        if let Some((name, reason)) = dropped.first_key_value() {
            return Err(self.unusable(format!("`{name}`: {reason}")));
        }
        change(&mut memory);
        let text = format!("{:#}\n", memory.to_json(self.layer));
        replace_file(self.tree, &self.path, text.as_bytes(), 0o644).map_err(|it| self.fault(it))?;
        Ok(memory)
    }

    /// Waits for other writers.
    fn lock(&self, clock: &dyn Clock) -> Result<Box<dyn Lock>, MemoryError> {
        let folder = self.path.as_str().rsplit_once('/').map(|(folder, _)| folder);
        let name = match folder {
            // The name is among those that the folder's `.gitignore` has.
            Some(folder) => format!("{folder}/lock"),
            None => "lock".to_owned(),
        };
        if let Some(folder) = folder.map(RepoPath::parse).transpose()? {
            match self.tree.create_dir(&folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(self.fault(error));
                }
                _ => {}
            }
        }
        let name = RepoPath::parse(&name)?;
        wait_for_lock(self.tree, &name, clock).map_err(|error| self.fault(error))
    }

    fn fault(&self, source: io::Error) -> MemoryError {
        MemoryError::File { path: self.shown_path(), source }
    }

    fn unusable(&self, reason: String) -> MemoryError {
        MemoryError::Content { path: self.shown_path(), reason }
    }

    /// Returns the absolute path, for messages.
    pub fn shown_path(&self) -> String {
        self.tree.root().join(self.path.as_str()).display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::Disk as _;
    use crate::crash::{Crash, CrashTree};
    use crate::memory::MemoryKey;
    use crate::os::{OsClock, OsDisk};

    fn key(name: &str) -> &'static MemoryKey {
        MemoryKey::find(name).unwrap()
    }

    fn open(folder: &std::path::Path) -> Box<dyn Tree> {
        OsDisk.open_tree(folder).unwrap()
    }

    fn change(
        tree: &dyn Tree,
        name: &str,
        value: serde_json::Value,
    ) -> Result<Memory, MemoryError> {
        let clock = OsClock::new(Arc::default());
        let file = MemoryFile::of_project(tree).unwrap();
        file.change(&clock, |memory| memory.set(key(name), value).unwrap())
    }

    #[test]
    fn a_kill_at_any_operation_leaves_the_old_or_the_new_values() {
        let mut ends = BTreeSet::new();
        for at in 0..12 {
            for crash in [Crash::ForGood, Crash::Half, Crash::Once] {
                let folder = tempfile::tempdir().unwrap();
                let tree = open(folder.path());
                change(tree.as_ref(), "project.ci_notes", json!("old")).unwrap();
                let _ = change(
                    &CrashTree::new(tree.as_ref(), crash, at),
                    "project.ci_notes",
                    json!("new"),
                );
                let file = MemoryFile::of_project(tree.as_ref()).unwrap();
                let left = file.read().unwrap().0.to_json(Layer::Project);
                assert!(
                    left == json!({"ci_notes": "old"}) || left == json!({"ci_notes": "new"}),
                    "{at}: {left}"
                );
                ends.insert(left.to_string());
                // What a kill left does not disturb the next writer.
                change(tree.as_ref(), "project.build_command", json!("make")).unwrap();
            }
        }
        assert_eq!(ends.len(), 2, "both ends are seen");
    }

    #[test]
    fn writers_at_the_same_time_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let values = [
            ("project.ci_notes", json!("a")),
            ("project.build_command", json!("b")),
            ("project.package_manager", json!("c")),
            ("project.src_roots", json!(["d"])),
        ];
        std::thread::scope(|scope| {
            for (name, value) in &values {
                // Each as a process of its own would do it.
                let tree = open(folder.path());
                scope.spawn(move || {
                    for _ in 0..5 {
                        change(tree.as_ref(), name, value.clone()).unwrap();
                    }
                });
            }
        });
        let tree = open(folder.path());
        let (memory, _) = MemoryFile::of_project(tree.as_ref()).unwrap().read().unwrap();
        assert_eq!(
            memory.to_json(Layer::Project),
            json!({"ci_notes": "a", "build_command": "b", "package_manager": "c", "src_roots": ["d"]})
        );
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes the files itself")]
    fn what_is_no_plain_file_or_not_understood_is_neither_read_nor_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join(".papa-yu");
        std::fs::create_dir(&home).unwrap();
        let path = home.join("project.json");
        std::fs::write(folder.path().join("other.json"), "{\"ci_notes\": \"stolen\"}").unwrap();
        let tree = open(folder.path());
        let file = || MemoryFile::of_project(tree.as_ref()).unwrap();
        std::os::unix::fs::symlink("../other.json", &path).unwrap();
        assert!(file().read().unwrap_err().to_string().contains("not a regular file"));
        std::fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(file().read().unwrap_err().to_string().contains("not a regular file"));
        std::fs::remove_file(&path).unwrap();
        let long = vec![b' '; 10 << 20];
        for bytes in [&b"\xff{}"[..], b"{\"ci_notes\": 1}", b"{", b"{\"later\": 1}", &long] {
            std::fs::write(&path, bytes).unwrap();
            change(tree.as_ref(), "project.build_command", json!("make")).unwrap_err();
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        }
    }
}
