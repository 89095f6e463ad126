//! `get_class`: the lines of a class, interface, enum or type.

use super::answer::Answer;
use super::error::ToolError;
use super::get_function::{Definitions, Params, find_texts};
use super::tool::Tool;
use super::workspace::Workspace;
use crate::index::SymbolKind;

/// The kinds of definitions that `get_class` returns.
pub(super) const CLASSES: &[SymbolKind] =
    &[SymbolKind::Class, SymbolKind::Interface, SymbolKind::Enum, SymbolKind::Type];

/// The tool `get_class`.
pub(super) struct GetClass;

impl Tool for GetClass {
    type Params = Params;
    type Output<'w> = Definitions;
    const NAME: &'static str = "get_class";
    const DESCRIPTION: &'static str =
        "Returns the lines of a class, struct, interface, trait, enum or type.";

    fn run<'w>(
        params: Params,
        workspace: &'w Workspace<'w>,
    ) -> Result<Answer<Definitions>, ToolError> {
        find_texts(&params, CLASSES, &workspace.code)
    }
}
