//! Paths of the repository as text: joined, never above the root.

pub(super) use papayu_base::text::join_path as join;

/// Returns the folder of a path, empty at the root.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the last segment of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns the path of an entry of a folder.
pub(super) fn join_name(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Returns what follows the folder in a path below it. `None` for any other path.
pub(super) fn strip_folder<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// Returns the folder and all above it, the root (empty) last.
pub(super) fn folders_upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |at| (!at.is_empty()).then(|| parent(at)))
}

/// Returns the number of leading segments that two folders share.
pub(super) fn shared_folders(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_climbs_above_the_root() {
        assert_eq!(join("a/b", "../../../c"), None);
        assert_eq!(join("", ".."), None);
        assert_eq!(join("a/b", "../../c"), Some("c".into()));
        assert_eq!(join("a", "./b//c/."), Some("a/b/c".into()));
    }

    #[test]
    fn the_way_up_ends_at_the_root() {
        assert_eq!(folders_upwards("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(folders_upwards("").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn a_folder_holds_only_what_stands_behind_its_slash() {
        assert_eq!(strip_folder("src", "srcs/a"), None);
        assert_eq!(strip_folder("src", "src/a"), Some("a"));
        assert_eq!(strip_folder("", "src/a"), Some("src/a"));
    }
}
