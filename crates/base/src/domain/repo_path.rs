//! A path inside the repository that passed the lexical rules of the first gate (protocol section 4).

use std::fmt;

use serde::{Serialize, Serializer};
use unicode_normalization::UnicodeNormalization;

use super::ErrorCode;

/// The longest path, in bytes.
// Leaves space for the folder of the checkout within 260 characters, the limit of Windows.
pub const MAX_PATH_BYTES: usize = 240;

/// A relative, `/`-separated path without `.` or `..`, safe on every file system we know.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath(String);

/// Why a text is not a [`RepoPath`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` {reason}")]
pub struct PathFault {
    /// `ERR_INVALID_PATH` or `ERR_PATH_TOO_LONG`.
    pub code: ErrorCode,
    /// The path, control characters escaped, cut to a readable length.
    pub shown: String,
    /// The rule it broke.
    pub reason: &'static str,
}

impl RepoPath {
    /// Checks the lexical rules; the disk is not asked.
    ///
    /// ```
    /// use papayu_base::domain::RepoPath;
    ///
    /// assert_eq!(RepoPath::parse("src/lib.rs")?.file_name(), "lib.rs");
    /// for text in ["", "/etc/passwd", "../up", "a//b", "a\\b", "C:b", "-rf"] {
    ///     assert_eq!(RepoPath::parse(text).unwrap_err().code.as_str(), "ERR_INVALID_PATH");
    /// }
    /// # Ok::<(), papayu_base::domain::PathFault>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `ERR_PATH_TOO_LONG` above 240 bytes, otherwise `ERR_INVALID_PATH` with the rule that the
    /// text breaks.
    pub fn parse(text: &str) -> Result<Self, PathFault> {
        let fault = |code, reason| PathFault { code, shown: shown(text), reason };
        if text.len() > MAX_PATH_BYTES {
            return Err(fault(ErrorCode::PathTooLong, "is longer than 240 bytes"));
        }
        // A path may look harmless and normalise into something that is not.
        // The fullwidth slash and the two-dot leader become `/` and `..` under NFKC.
        let normalised: String = text.nfkc().collect();
        let composed: String = text.nfc().collect();
        for form in [text, normalised.as_str(), composed.as_str()] {
            if let Some(reason) = broken_rule(form) {
                return Err(fault(ErrorCode::InvalidPath, reason));
            }
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the path's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the segments from the root down.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// Returns the last segment.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Returns the parent folder; `None` at the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.to_owned()))
    }

    /// Returns the path of an entry of this folder.
    ///
    /// # Errors
    ///
    /// The same as [`parse`](Self::parse): the name may be invalid, or the whole path too long.
    pub fn join(&self, name: &str) -> Result<Self, PathFault> {
        Self::parse(&format!("{}/{name}", self.0))
    }

    /// Returns the path from `folder` on; `None` if it is not strictly below that folder.
    pub fn strip_folder(&self, folder: &Self) -> Option<Self> {
        let below = self.0.strip_prefix(&folder.0)?.strip_prefix('/')?;
        Some(Self(below.to_owned()))
    }

    /// Returns `true` if the path is strictly below `folder`.
    pub fn is_below(&self, folder: &Self) -> bool {
        // `a/bc` begins with `a/b` but is not below it.
        self.0.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns the form two paths share when a case-folding or normalising file system would take
    /// them for one: NFKC, case folded, characters that such systems ignore left out.
    ///
    /// Case is folded through upper case, as NTFS does, so that `ı` and `ſ` are `i` and `s`; the dot
    /// that lower case adds to `İ` is dropped.
    ///
    /// ```
    /// use papayu_base::domain::RepoPath;
    ///
    /// assert_eq!(RepoPath::parse(".GIT/Config")?.identity(), ".git/config");
    /// # Ok::<(), papayu_base::domain::PathFault>(())
    /// ```
    pub fn identity(&self) -> String {
        let folded = self.0.nfkc().filter(|c| !is_ignorable(*c)).flat_map(char::to_uppercase);
        folded.flat_map(char::to_lowercase).filter(|c| *c != '\u{307}').collect()
    }
}

/// Returns the rule that a text breaks, as the end of the sentence that begins with the path.
fn broken_rule(text: &str) -> Option<&'static str> {
    // `C:file` is relative to the current folder of the drive.
    let drive = text.as_bytes().get(1) == Some(&b':')
        && text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    if text.is_empty() {
        Some("is empty")
    // The order of the rules decides the message of a path that breaks several.
    } else if text.starts_with('/') {
        Some("is absolute; paths are relative to the repository")
    } else if drive {
        Some("names a drive; paths are relative to the repository")
    } else if text.contains('\\') {
        Some("has a backslash; segments are separated by `/`")
    } else if text.starts_with('-') {
        Some("begins with `-`, which programs take for an option")
    } else if text.starts_with('~') {
        Some("begins with `~`; paths are relative to the repository")
    // Control characters could forge lines of messages and patches.
    } else if text.chars().any(char::is_control) {
        Some("has a control character")
    } else if text.split('/').any(|segment| segment == "..") {
        Some("has a `..` segment")
    } else if text.split('/').any(|segment| segment == "." || segment.is_empty()) {
        Some("has an empty or `.` segment")
    // Windows drops these, so two paths would be one file.
    } else if text.split('/').any(|segment| segment.ends_with(['.', ' '])) {
        Some("has a segment that ends with a dot or a space, which some systems drop")
    } else {
        None
    }
}

/// Code points that HFS+ ignores in names (git's `core.protectHFS` lists the same).
fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}')
}

fn shown(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}

impl Serialize for RepoPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_paths_pass() {
        for text in
            ["a", "src/main.rs", ".github/workflows/ci.yml", "документы/план.md", "a b/c-d.e"]
        {
            assert_eq!(
                RepoPath::parse(text).map(|path| path.as_str().to_owned()).as_deref(),
                Ok(text)
            );
        }
    }

    #[test]
    fn every_way_out_of_the_root_is_refused() {
        for text in [
            "", ".", "./a", "a/./b", "a/", "a//b", "..", "../a", "a/../b", "/etc/passwd",
            "//server/share", "C:/x", "c:x", "a\\b", "\\\\server\\share", "-rf", "--output=x", "~",
            "~/x", "~root/x", "a\0b", "a\nb", "a\u{7f}", "．．/a", "a/．/b", "a/‥", "a/b ", "a./b",
            "a／../b",
        ] {
            let code = RepoPath::parse(text).map_err(|fault| fault.code);
            assert_eq!(code, Err(ErrorCode::InvalidPath), "{text:?}");
        }
    }

    #[test]
    fn the_limit_is_240_bytes_not_characters() {
        assert!(RepoPath::parse(&"a".repeat(240)).is_ok());
        for text in ["a".repeat(241), "я".repeat(121)] {
            assert_eq!(
                RepoPath::parse(&text).map_err(|fault| fault.code),
                Err(ErrorCode::PathTooLong)
            );
        }
    }

    #[test]
    fn identity_sees_through_case_normal_forms_and_invisible_characters() {
        let identity = |text: &str| RepoPath::parse(text).map(|path| path.identity());
        assert_eq!(identity(".GIT/config"), identity(".git/config"));
        assert_eq!(identity(".g\u{200d}it/config"), identity(".git/config"));
        assert_eq!(identity("cafe\u{301}.md"), identity("caf\u{e9}.md"));
    }
}
