//! Requirements of Python (PEP 508), in lines of `requirements.txt` and in texts of manifests.

/// A requirement with its name set apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedRequirement<'t> {
    /// The name of the package, as written.
    pub name: &'t str,
    /// All that follows the name and its extras: conditions, markers, options, comments.
    pub rest: &'t str,
}

/// Reads the requirement that a text begins with, after blanks. `None` for an option, a comment, and all else without a name.
///
/// ```
/// use papayu_base::text::read_requirement;
///
/// let read = read_requirement("requests[socks] >= 2 ; python_version > '3'").unwrap();
/// assert_eq!((read.name, read.rest), ("requests", ">= 2 ; python_version > '3'"));
/// assert_eq!(read_requirement("-r base.txt"), None);
/// ```
pub fn read_requirement(text: &str) -> Option<NamedRequirement<'_>> {
    let text = text.trim_start();
    let is_in_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let (name, rest) = text.split_at(text.find(|c| !is_in_name(c)).unwrap_or(text.len()));
    let rest = rest.trim_start();
    let rest = if rest.starts_with('[') { rest.split_once(']')?.1.trim_start() } else { rest };
    let is_named = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    is_named.then_some(NamedRequirement { name, rest })
}
