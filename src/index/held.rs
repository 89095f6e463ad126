//! What is known of a file, read from its blob only when somebody asks: most questions ask of few files.

use std::sync::OnceLock;

use super::facts::FileFacts;

/// The facts of one file, or the bytes they are kept as.
#[derive(Clone, Debug)]
pub struct Held {
    facts: OnceLock<Option<FileFacts>>,
    /// A sound blob, and where in it the facts begin.
    kept: Option<(Vec<u8>, usize)>,
}

impl Held {
    /// Returns facts that are at hand.
    pub fn of(facts: Option<FileFacts>) -> Self {
        Self { facts: OnceLock::from(facts), kept: None }
    }

    /// Returns the facts that begin there in a blob whose sum is right.
    pub fn read_later(blob: Vec<u8>, begin: usize) -> Self {
        Self { facts: OnceLock::new(), kept: Some((blob, begin)) }
    }

    /// Returns the facts; `None` where no grammar reads the file.
    pub fn facts(&self) -> Option<&FileFacts> {
        self.facts.get_or_init(|| postcard::from_bytes(self.bytes()?).ok()?).as_ref()
    }

    /// Appends the facts as they are kept.
    pub fn write(&self, mut body: Vec<u8>) -> Option<Vec<u8>> {
        match self.bytes() {
            Some(bytes) => body.extend_from_slice(bytes),
            None => body = postcard::to_extend(&self.facts(), body).ok()?,
        }
        Some(body)
    }

    fn bytes(&self) -> Option<&[u8]> {
        let (blob, begin) = self.kept.as_ref()?;
        blob.get(*begin..)
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.facts() == other.facts()
    }
}

impl Eq for Held {}
