//! The names of objects of git.

use std::fmt;

use papayu_base::domain::Sha256;
use papayu_base::domain::digest::git_blob_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;

/// The name of an object: 40 or 64 lower case hex digits.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Oid(String);

impl Oid {
    /// Reads the digits; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let fits = matches!(text.len(), 40 | 64) && text.bytes().all(is_digit);
        fits.then(|| Self(text.to_owned()))
    }

    /// Returns the name of the blob with these bytes, in a repository that has an object of the name
    /// `like`.
    pub fn of_blob(bytes: &[u8], like: &Self) -> Self {
        if like.0.len() != 64 {
            return Self(git_blob_name(bytes));
        }
        let head = format!("blob {}\0", bytes.len());
        let digest = sha2::Sha256::new().chain_update(head).chain_update(bytes).finalize();
        Self(Sha256::from(<[u8; 32]>::from(digest)).to_string())
    }

    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Oid> for String {
    fn from(oid: Oid) -> Self {
        oid.0
    }
}

impl TryFrom<String> for Oid {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is not the name of an object"))
    }
}
