//! An error of the compiler at its place in a file.

use super::super::diagnostic_context::{DiagnosticContext, Spot};
use super::super::line_index::Unit;
use super::super::packages::list_moved;
use papayu_base::domain::{Failure, Location};

/// An error of the compiler at one place.
pub(super) struct CompilerCase<'f> {
    pub(super) spot: Spot,
    /// The compiler's number for it, without `TS`.
    pub(super) code: u32,
    /// Its first line.
    pub(super) message: &'f str,
    /// The byte it points at.
    pub(super) at: usize,
    /// `true` if a package of the file has another version since the command passed.
    pub(super) is_of_moved: bool,
}

/// Returns the error at one of its places; `None` if it has no number or no column.
///
/// The compiler counts columns in UTF-16 units. Err is the reason why the file cannot be edited.
pub(super) fn locate_case<'f>(
    context: &mut DiagnosticContext<'_>,
    failure: &'f Failure,
    at: &Location,
) -> Result<Option<CompilerCase<'f>>, &'static str> {
    let code = failure.code.as_deref().and_then(|code| code.strip_prefix("TS")?.parse().ok());
    let (Some(code), Some(line), Some(column)) = (code, at.line, at.column) else {
        return Ok(None);
    };
    let spot = context.locate(at)?;
    let Some(byte) = spot.source.byte_at(line, column, Unit::Utf16) else {
        return Err("the file is not as the compiler saw it");
    };
    let message = failure.message.lines().next().unwrap_or_default();
    let is_of_moved = !list_moved(context.tools, &spot).is_empty();
    Ok(Some(CompilerCase { spot, code, message, at: byte, is_of_moved }))
}
