//! Reads the XML of Checkstyle, which many linters can write.

use super::xml::Element;
use crate::failure::draft::FailureDraft;
use papayu_base::domain::{Failure, FailureKind, Location};

/// Returns the errors of a report, and the number of its warnings and notes.
pub(super) fn read_checkstyle(roots: &[Element]) -> (Vec<Failure>, usize) {
    let (mut found, mut skipped) = (Vec::new(), 0);
    let files = roots.iter().flat_map(|root| &root.children).filter(|it| it.name == "file");
    for file in files {
        for error in file.children.iter().filter(|it| it.name == "error") {
            if error.attribute("severity").is_some_and(|severity| severity != "error") {
                skipped += 1;
                continue;
            }
            let message = error.attribute("message").unwrap_or_default();
            let code = error.attribute("source");
            let mut draft = FailureDraft::new("checkstyle", FailureKind::Lint, message);
            draft = draft.with_code(code);
            if let Some(path) = file.attribute("name") {
                let (line, column) = (error.number("line"), error.number("column"));
                draft.add_location(Location { path: path.to_owned(), line, column });
            }
            found.push(draft.finish());
        }
    }
    (found, skipped)
}
