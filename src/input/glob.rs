//! Finds files by a pattern, ignored files included: reports are build products.

use std::io;
use std::path::{Path, PathBuf};

use globset::GlobBuilder;

use papayu_system::Disk;

/// Folders looked into at the most.
/// A pattern such as `/**/*.xml` would otherwise walk the whole disk.
const MAX_FOLDERS: usize = 10_000;

/// Returns the files below `root` that fit a pattern (`*`, `?`, `[…]`, `{…}`, `**`), sorted; a name
/// without any of these is itself. `InvalidInput` when the pattern cannot be read.
///
/// # Errors
///
/// `InvalidInput` for a pattern that cannot be parsed; an error after 10,000 folders.
pub fn expand_pattern(disk: &dyn Disk, root: &Path, pattern: &str) -> io::Result<Vec<PathBuf>> {
    let whole = root.join(pattern);
    let text = whole.to_string_lossy();
    // Without a wildcard the path is not checked here: opening it gives the better message.
    let Some(first) = text.find(['*', '?', '[', '{']) else { return Ok(vec![whole]) };
    // `*` does not match a `/`, as in a shell.
    let glob = GlobBuilder::new(&text).literal_separator(true).build();
    let glob =
        glob.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))?;
    let matcher = glob.compile_matcher();
    let (literal, _) = text.split_at(first);
    // The walk begins at the deepest folder without a wildcard.
    // A pattern without a folder is looked up in the current one. Its listing begins with `./`.
    let start = match literal.rsplit_once('/') {
        None => ".",
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
    };
    let mut found = Vec::new();
    // A stack instead of recursion: the depth of folders is not bounded.
    let mut open = vec![PathBuf::from(start)];
    let mut looked = 0;
    while let Some(folder) = open.pop() {
        looked += 1;
        if looked > MAX_FOLDERS {
            return Err(io::Error::other(format!("`{pattern}` looks into too many folders")));
        }
        // A path that cannot be listed is not a folder, or is not readable for the user.
        for path in disk.list(&folder).unwrap_or_default() {
            let path = path.strip_prefix("./").map(Path::to_path_buf).unwrap_or(path);
            if disk.is_file(&path) {
                found.extend(matcher.is_match(&path).then_some(path));
            // Neither folder has reports, and both are large.
            } else if path.file_name().is_none_or(|name| name != ".git" && name != "node_modules") {
                open.push(path);
            }
        }
    }
    // The order of a directory listing differs between machines.
    found.sort();
    Ok(found)
}
