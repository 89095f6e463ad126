//! Paths of a repository as text, `/`-separated and relative to its root.

/// Returns a path taken from a folder, with `.` and `..` resolved; `None` if it leads above the root.
///
/// # Examples
///
/// ```
/// use papayu_base::text::join_path;
///
/// assert_eq!(join_path("src/shop", "../cart.js").as_deref(), Some("src/cart.js"));
/// assert_eq!(join_path("src", "../../cart.js"), None);
/// ```
pub fn join_path(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
