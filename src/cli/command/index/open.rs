//! The index of the repository at hand, and its files by what the user wrote.

use crate::cli::outside::Outside;
use crate::cli::{CliError, Session};
use crate::domain::RepoPath;
use crate::index::queries::{is_below, nearest};
use crate::index::{FileId, Index};

/// Files with more bytes are known by name only.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// The index, and the way back to the texts.
pub(super) struct Code<'s> {
    pub(super) index: Index,
    session: &'s Session,
}

impl<'s> Code<'s> {
    /// Reads every file of the repository.
    pub(super) fn read(session: &'s Session) -> Result<Self, CliError> {
        let outside = Outside::new(session)?;
        let paths = crate::cli::launch::files(session, outside.system())?;
        let texts: Vec<(String, String)> = paths
            .into_iter()
            .map(|path| {
                let text = text(session, &path).unwrap_or_default();
                (path, text)
            })
            .collect();
        let texts: Vec<(&str, &str)> =
            texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        Ok(Self { index: Index::of_texts(&texts), session })
    }

    /// Returns a file's text as it is now; `None` when it is none.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        text(self.session, path)
    }

    /// Returns the file that the user named.
    pub(super) fn file(&self, written: &str) -> Result<(FileId, &str), CliError> {
        let path = self.relative(written);
        let found = self.index.find(&path).and_then(|id| Some((id, self.index.file(id)?)));
        match found {
            Some((id, file)) => Ok((id, &file.path)),
            None => Err(self.unknown_file(written, &path)),
        }
    }

    /// Returns the file or folder that the user named, empty for the whole repository.
    pub(super) fn place(&self, written: Option<&str>) -> Result<String, CliError> {
        let path = written.map(|written| self.relative(written)).unwrap_or_default();
        if self.index.files().iter().any(|file| is_below(&file.path, &path)) || path.is_empty() {
            return Ok(path);
        }
        Err(self.unknown_file(written.unwrap_or_default(), &path))
    }

    fn unknown_file(&self, written: &str, path: &str) -> CliError {
        let paths = self.index.files().iter().map(|file| file.path.as_str());
        let nearest = nearest(paths, path).map(str::to_owned);
        CliError::NotIndexed { kind: "file", name: written.to_owned(), nearest }
    }

    /// Takes `./` and the repository's own folder off a path.
    fn relative(&self, written: &str) -> String {
        let root = self.session.tree.root();
        let inside = std::path::Path::new(written).strip_prefix(root).ok();
        let path = inside.and_then(std::path::Path::to_str).unwrap_or(written);
        let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
        parts.collect::<Vec<_>>().join("/")
    }
}

fn text(session: &Session, path: &str) -> Option<String> {
    let path = RepoPath::parse(path).ok()?;
    String::from_utf8(session.tree.read(&path, MAX_FILE_BYTES).ok()?).ok()
}
