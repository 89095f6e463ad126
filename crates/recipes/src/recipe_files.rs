//! The files of a repository, as recipes read them.

/// The files of a repository.
pub trait RecipeFiles {
    /// Returns the paths of all files, sorted, with `/` between folders.
    fn paths(&self) -> Vec<String>;

    /// Returns the text of a file; `None` if it is no text.
    fn read(&self, path: &str) -> Option<String>;

    /// Returns the versions of a package that the lock files name, else those that a manifest pins; none if they are not known.
    fn versions_of(&self, package: &str) -> Vec<String> {
        let _ = package;
        Vec::new()
    }

    /// Returns `true` if the time for recipes is used up.
    fn is_over_time(&self) -> bool {
        false
    }

    /// Receives a file, or the line of a place in it from 1, that a rule is meant for but does not change, with the reason.
    fn leave_alone(&self, path: &str, line: Option<usize>, reason: &'static str) {
        let _ = (path, line, reason);
    }
}
