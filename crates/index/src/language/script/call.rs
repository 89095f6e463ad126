//! Calls: of functions, of constructors, of components.

use tree_sitter::Node;

use super::{commonjs, import, suite, unwrap_expression};
use crate::facts::ImportKind;
use crate::language::reader::FactsReader;

/// Reads a call: `import()` and `require()` are imports, calls of test makers are tests, all others
/// are calls.
pub(super) fn read_call<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(function) = node.child_by_field_name("function").map(unwrap_expression) else {
        return;
    };
    match function.kind() {
        "import" => import::taken_by_call(reader, node, ImportKind::Dynamic),
        "identifier" if reader.text(function) == "require" => {
            import::taken_by_call(reader, node, ImportKind::Require);
        }
        "member_expression" if reader.text(function) == "Object.defineProperty" => {
            commonjs::read_define_property(reader, node);
            add_callee(reader, node, function);
        }
        _ if suite::open_suite(reader, node, function) => {}
        _ => add_callee(reader, node, function),
    }
}

/// Reads `new A.B()`: a call of `B`.
pub(super) fn read_new<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(class) = node.child_by_field_name("constructor").map(unwrap_expression) {
        add_callee(reader, node, class);
    }
}

/// Reads a JSX element. A name with a capital letter or a dot is a component, which counts as a
/// call; others are HTML tags.
pub(super) fn read_element<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = node.child_by_field_name("name") {
        let text = reader.text(name);
        if name.kind() == "member_expression" || text.starts_with(|c: char| c.is_uppercase()) {
            add_callee(reader, node, name);
        }
    }
}

/// Adds a call of a name, or of the last member of a path: `c` for `a.b.c()`. Computed callees
/// are skipped.
fn add_callee<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, callee: Node<'t>) {
    let name = match callee.kind() {
        "identifier" => Some(callee),
        "member_expression" => callee.child_by_field_name("property"),
        _ => None,
    };
    if let Some(name) = name {
        let text = reader.text(name);
        reader.add_call(text, node);
    }
}
