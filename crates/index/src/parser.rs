//! Parses files of a repository when their facts are first needed.

use std::fmt;
use std::sync::Arc;

use super::facts::FileFacts;
use super::language;
use super::mark::ContentHash;
use super::scan;
use papayu_lang::Language;
use papayu_system::survey::{FolderSurvey, Stamp};

/// Reads and parses single files of a repository.
pub struct FactsParser {
    /// Reads files of the repository.
    survey: Arc<dyn FolderSurvey>,
    /// Larger files have no facts.
    max_file_bytes: u64,
}

impl FactsParser {
    /// Creates a parser of a repository's files; files of more than `max_file_bytes` have no facts.
    pub fn new(survey: Arc<dyn FolderSurvey>, max_file_bytes: u64) -> Self {
        Self { survey, max_file_bytes }
    }

    /// Returns the facts of a file as it is on the disk now, with the hash of its content.
    ///
    /// `None` without a grammar or a text.
    pub fn parse(&self, path: &str) -> Option<(ContentHash, FileFacts)> {
        let language = Language::of_path(path)?;
        let (survey, limit) = (self.survey.as_ref(), self.max_file_bytes);
        let read = scan::read_file(survey, path, Stamp::default(), limit, None);
        let (hash, text) = (read.content?, read.text?);
        Some((hash, language::parse(language, &text).facts))
    }
}

impl fmt::Debug for FactsParser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FactsParser")
            .field("max_file_bytes", &self.max_file_bytes)
            .finish_non_exhaustive()
    }
}
