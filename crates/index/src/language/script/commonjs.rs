//! Assignments that define or export: `module.exports`, `exports.x`, `X.prototype.y`.

use tree_sitter::Node;

use super::bind::head_end;
use super::{
    is_function, last_part, list_children, property_name, read_literal, unwrap_expression,
};
use crate::facts::SymbolKind;
use crate::language::reader::FactsReader;
use crate::language::symbol::SymbolDraft;

/// The target of an assignment at the top of a module.
enum AssignmentTarget<'t> {
    /// `module.exports`
    Module,
    /// `exports.x`, `module.exports.x`
    Export(Node<'t>),
    /// `X.prototype.x`
    Prototype(Node<'t>),
    /// `X.x`
    Static(Node<'t>),
}

/// Reads an assignment to a member. Assignments to variables define nothing.
pub(super) fn read_assignment<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let left = node.child_by_field_name("left").filter(|left| left.kind() == "member_expression");
    let right = node.child_by_field_name("right");
    let (Some(left), Some(right)) = (left, right) else { return };
    let Some(target) = find_target(reader, left) else { return };
    let statement = find_statement(reader).unwrap_or(node);
    let value = unwrap_expression(right);
    match target {
        AssignmentTarget::Module => export_whole(reader, node, statement, value),
        AssignmentTarget::Export(name) => {
            let text = reader.text(name);
            let local = (value.kind() == "identifier").then(|| reader.text(value));
            // `exports.a = exports.b = void 0`, as compilers write it, defines nothing.
            reader.add_export(node, text, local, None);
            let void = matches!(value.kind(), "identifier" | "unary_expression" | "undefined");
            if !void && value.kind() != "assignment_expression" {
                define_bound(reader, statement, name, value, SymbolKind::Variable);
            }
        }
        AssignmentTarget::Prototype(name) if is_function(value.kind()) => {
            define_bound(reader, statement, name, value, SymbolKind::Method);
        }
        AssignmentTarget::Static(name) if is_function(value.kind()) => {
            define_bound(reader, statement, name, value, SymbolKind::Function);
        }
        AssignmentTarget::Prototype(_) | AssignmentTarget::Static(_) => {}
    }
}

/// Returns the target of an assignment. Exports count at any depth, since modules fill `exports`
/// inside functions; prototypes and statics only in a statement of the module.
fn find_target<'t>(reader: &FactsReader<'t>, left: Node<'t>) -> Option<AssignmentTarget<'t>> {
    let object = left.child_by_field_name("object")?;
    let name = left.child_by_field_name("property")?;
    if name.kind() != "property_identifier" {
        return None;
    }
    match reader.text(object) {
        "module" if reader.text(name) == "exports" => Some(AssignmentTarget::Module),
        "exports" | "module.exports" => Some(AssignmentTarget::Export(name)),
        // In a function such an assignment only happens when it is called.
        _ if !is_top_statement(reader) => None,
        text if text.ends_with(".prototype") => Some(AssignmentTarget::Prototype(name)),
        _ if object.kind() == "identifier" => Some(AssignmentTarget::Static(name)),
        _ => None,
    }
}

/// Returns `true` if the current assignment is a statement of the module.
fn is_top_statement(reader: &FactsReader<'_>) -> bool {
    reader.above(1).is_some_and(|above| above.kind() == "program")
}

/// Returns the statement that consists of the current assignment.
fn find_statement<'t>(reader: &FactsReader<'t>) -> Option<Node<'t>> {
    reader.parent().filter(|parent| parent.kind() == "expression_statement")
}

/// Opens a symbol for the assigned value. `otherwise` is its kind if the value does not decide
/// it.
fn define_bound<'t>(
    reader: &mut FactsReader<'t>,
    statement: Node<'t>,
    name: Node<'t>,
    value: Node<'t>,
    otherwise: SymbolKind,
) {
    let kind = match value.kind() {
        kind if is_function(kind) && otherwise == SymbolKind::Variable => SymbolKind::Function,
        "class" => SymbolKind::Class,
        _ => otherwise,
    };
    let mut draft =
        SymbolDraft::new(kind, statement, name, reader.text(name)).body(head_end(value));
    draft.range.1 = last_part(statement);
    reader.open_symbol(&draft);
}

/// Reads `module.exports = …`.
fn export_whole<'t>(
    reader: &mut FactsReader<'t>,
    node: Node<'t>,
    statement: Node<'t>,
    value: Node<'t>,
) {
    let name = match value.kind() {
        "identifier" => Some(value),
        // The field `name` of an element is its tag, which is defined elsewhere.
        kind if kind.starts_with("jsx") => None,
        _ => value.child_by_field_name("name"),
    };
    let local = name.map(|name| reader.text(name));
    reader.add_export(node, "default", local, None);
    if value.kind() == "object" {
        for member in list_children(value) {
            let key = match member.kind() {
                "shorthand_property_identifier" => Some(member),
                "pair" => member.child_by_field_name("key"),
                "method_definition" => member.child_by_field_name("name"),
                _ => None,
            };
            let Some(key) = key else { continue };
            let bound = member.child_by_field_name("value").map(unwrap_expression);
            let local = bound.filter(|bound| bound.kind() == "identifier");
            let local = local.map(|local| reader.text(local));
            let text = property_name(reader, key);
            reader.add_export(member, text, local, None);
        }
    }
    if local.is_none() {
        define_unnamed(reader, statement, node, value, false);
    }
}

/// Reads `Object.defineProperty(exports, "name", …)`, which compilers write.
pub(super) fn read_define_property<'t>(reader: &mut FactsReader<'t>, call: Node<'t>) {
    let arguments = call.child_by_field_name("arguments").map(list_children).unwrap_or_default();
    if let [object, name, ..] = arguments.as_slice()
        && matches!(reader.text(*object), "exports" | "module.exports")
        && let Some(name) = read_literal(reader, *name)
        // The mark that separates modules of compilers from those of Node.
        && name != "__esModule"
    {
        reader.add_export(call, name, None, None);
    }
}

/// Opens the symbol of a default export without a name: a function, class or object literal.
pub(super) fn define_unnamed<'t>(
    reader: &mut FactsReader<'t>,
    whole: Node<'t>,
    at: Node<'t>,
    value: Node<'t>,
    exported: bool,
) {
    let kind = match value.kind() {
        kind if is_function(kind) => SymbolKind::Function,
        "class" => SymbolKind::Class,
        "object" => SymbolKind::Variable,
        _ => return,
    };
    let mut draft = SymbolDraft::new(kind, whole, at, "default").body(head_end(value));
    draft.range.1 = last_part(whole);
    reader.open_symbol(&draft.exported(exported));
}
