//! Masks secrets in the texts that are kept of a file.

use super::ParsedFile;
use crate::facts::FileFacts;
use papayu_base::text::mask;

/// Returns the facts with masked texts: heads of symbols, which can have values, and comments.
pub(super) fn mask_texts(mut parsed: ParsedFile) -> ParsedFile {
    let FileFacts { symbols, todos, .. } = &mut parsed.facts;
    let signatures = symbols.iter_mut().map(|symbol| &mut symbol.signature);
    let mut texts: Vec<_> = signatures.chain(todos.iter_mut().map(|todo| &mut todo.text)).collect();
    let all = texts.iter().map(AsRef::as_ref).collect::<Vec<_>>().join("\n");
    // Few files have any, and one search is faster than many.
    if mask(&all) != all {
        for text in &mut texts {
            **text = mask(text).as_ref().into();
        }
    }
    parsed
}
