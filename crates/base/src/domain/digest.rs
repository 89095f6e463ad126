//! Digests of files: the sha256 that FILE blocks show and `base_sha256` repeats, and git's name of a blob.

use std::fmt;

use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};
use serde::{Deserialize, Serialize};
use sha2::Digest as _;

/// A sha256 digest; its text form is 64 lowercase hex digits.
/// It identifies the version of a file that the model has read, and detects changes by others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// Returns the digest of `bytes`.
    ///
    /// ```
    /// use papayu_base::domain::Sha256;
    ///
    /// let empty = Sha256::of(b"");
    /// assert!(empty.to_string().starts_with("e3b0c442"));
    /// assert_eq!(Sha256::parse(&empty.to_string().to_uppercase()), Some(empty));
    /// ```
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// Reads 64 hex digits of either case; `None` for anything else.
    /// Models copy digests, and some write them in upper case.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        // The length is checked in bytes, so that no multi-byte character is cut.
        if digits.len() != 64 {
            return None;
        }
        let mut out = [0; 32];
        for (byte, pair) in out.iter_mut().zip(digits.chunks_exact(2)) {
            let [high, low] = pair else { return None };
            // Two hex digits for each byte, the high one first.
            *byte = hex_value(*high)? << 4 | hex_value(*low)?;
        }
        Some(Self(out))
    }
}

impl From<[u8; 32]> for Sha256 {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

/// Returns the value of one hex digit, 0 to 15.
fn hex_value(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256({self})")
    }
}

impl From<Sha256> for String {
    fn from(digest: Sha256) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Sha256 {
    // serde shows this text as the reason of a file that cannot be read.
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is not 64 hex digits"))
    }
}

/// Returns the name that git gives a blob with these bytes in a repository with SHA-1 names: 40 lower-case
/// hex digits, as `git hash-object` prints.
///
/// ```
/// use papayu_base::domain::digest::git_blob_name;
///
/// assert_eq!(git_blob_name(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
/// ```
pub fn git_blob_name(bytes: &[u8]) -> String {
    let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    context.update(format!("blob {}\0", bytes.len()).as_bytes());
    context.update(bytes);
    data_encoding::HEXLOWER.encode(context.finish().as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_file_has_the_published_digest() {
        let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Sha256::of(b"").to_string(), expected);
        assert_eq!(Sha256::parse(&expected.to_uppercase()), Some(Sha256::of(b"")));
    }

    #[test]
    fn anything_but_64_hex_digits_is_refused() {
        for text in ["", "abc", &"g".repeat(64), &"a".repeat(63), &"a".repeat(65)] {
            assert_eq!(Sha256::parse(text), None, "{text}");
        }
    }
}
