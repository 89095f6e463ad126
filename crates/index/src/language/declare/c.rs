//! The parts of a definition's head in C and C++.

use tree_sitter::Node;

use super::{MAX_PARTS, field_text, fold_text, list_parameters, node_text};
use crate::declaration::{Declaration, Parameter, Visibility};
use crate::facts::SymbolKind;
use crate::language::c::find_declared;
use crate::language::child::{find_child, list_children};
use crate::language::reader::FactsReader;
use crate::language::symbol::DeclaredNode;

/// Most declarators around a name.
const MAX_DEPTH: usize = 64;

/// Reads a function, a variable, a member or a type.
pub(crate) fn read_declaration(
    reader: &FactsReader<'_>,
    subject: &DeclaredNode<'_>,
) -> Declaration {
    let node = subject.node;
    let in_class = reader.kept.scope().is_some_and(|scope| scope.kind == SymbolKind::Class);
    let is_static = has_specifier(reader, node, "storage_class_specifier", "static");
    let mut declaration = Declaration {
        is_static,
        visibility: match (in_class, is_static) {
            (true, _) => reader.kept.member_visibility(),
            // Only the file sees it.
            (false, true) => Some(Visibility::Private),
            (false, false) => None,
        },
        ..Declaration::default()
    };
    match subject.kind {
        SymbolKind::Function | SymbolKind::Method => {
            read_function(reader, subject, &mut declaration);
        }
        SymbolKind::Variable | SymbolKind::Property => {
            declaration.value_type = type_without(reader, node, subject.at);
            declaration.is_readonly = is_constant(reader, subject);
        }
        SymbolKind::Class => {
            let clause = find_child(node, "base_class_clause").map(list_children);
            let others = ["access_specifier", "attribute_declaration"];
            let bases = clause.unwrap_or_default().into_iter();
            let bases = bases.filter(|base| !others.contains(&base.kind())).take(MAX_PARTS);
            declaration.extends = bases.map(|base| node_text(reader, base)).collect();
        }
        SymbolKind::Macro => {
            let list = node.child_by_field_name("parameters");
            // A preprocessor parameter has no type.
            declaration.parameters = list.map(|list| {
                let named = |part| Parameter::new(Some(node_text(reader, part)), None);
                list_parameters(list, |part| Some(named(part)))
            });
        }
        _ => {}
    }
    declaration
}

/// Returns `true` if a declaration has a child of this kind with this text.
fn has_specifier(reader: &FactsReader<'_>, node: Node<'_>, kind: &str, word: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|it| it.kind() == kind && reader.text(it) == word)
}

/// Returns the declarator of a declaration that has a name.
fn find_declarator<'t>(node: Node<'t>, at: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let mut declarators = node.children_by_field_name("declarator", &mut cursor);
    declarators.find(|it| it.start_byte() <= at.start_byte() && at.end_byte() <= it.end_byte())
}

/// Reads the parameters and the returned type of a function.
fn read_function<'t>(
    reader: &FactsReader<'t>,
    subject: &DeclaredNode<'t>,
    declaration: &mut Declaration,
) {
    let Some(declarator) = find_declarator(subject.node, subject.at) else { return };
    let mut at = declarator;
    for _ in 0..MAX_DEPTH {
        if at.kind() == "function_declarator" {
            break;
        }
        let inner = at.child_by_field_name("declarator");
        // No field names the declarator of a reference.
        let Some(inner) = inner.or_else(|| list_children(at).into_iter().next_back()) else {
            return;
        };
        at = inner;
    }
    let list = at.child_by_field_name("parameters");
    declaration.parameters = list.map(|list| {
        let parameters = list_parameters(list, |part| read_parameter(reader, part));
        // `(void)` declares no parameters.
        let void = Parameter::new(None, Some("void".to_owned()));
        if parameters == [void] { Vec::new() } else { parameters }
    });
    let trailing = find_child(at, "trailing_return_type");
    declaration.return_type = match trailing {
        Some(trailing) => Some(fold_text(reader.text(trailing).trim_start_matches("->"))),
        None => type_before(reader, subject.node, declarator, at),
    };
}

/// Returns the type before a function: qualifiers, type, and the pointers of its declarator, as
/// in `const char *f(void)`.
fn type_before<'t>(
    reader: &FactsReader<'t>,
    node: Node<'t>,
    declarator: Node<'t>,
    function: Node<'t>,
) -> Option<String> {
    // A constructor has none.
    node.child_by_field_name("type")?;
    let words = specifier_text(reader, node, declarator);
    let from = declarator.start_byte().checked_sub(node.start_byte())?;
    let to = function.start_byte().checked_sub(node.start_byte())?;
    let pointers = reader.text(node).get(from..to).unwrap_or_default();
    Some(fold_text(&format!("{words} {pointers}")))
}

/// Returns the qualifiers and the type of a declaration.
fn specifier_text<'t>(reader: &FactsReader<'t>, node: Node<'t>, declarator: Node<'t>) -> String {
    let of = node.child_by_field_name("type");
    let mut words = Vec::new();
    for part in list_children(node) {
        if part.start_byte() >= declarator.start_byte() {
            break;
        }
        let is_qualifier = part.kind() == "type_qualifier" && reader.text(part) != "constexpr";
        if Some(part) == of || is_qualifier {
            // A struct with a body is known by its name.
            let name = part.child_by_field_name("body").and(part.child_by_field_name("name"));
            words.push(node_text(reader, name.unwrap_or(part)));
        }
    }
    words.join(" ")
}

/// Returns the type of a declaration without the declared name.
fn type_without<'t>(reader: &FactsReader<'t>, node: Node<'t>, at: Node<'t>) -> Option<String> {
    node.child_by_field_name("type")?;
    let mut declarator = find_declarator(node, at)?;
    let words = specifier_text(reader, node, declarator);
    if declarator.kind() == "init_declarator" {
        declarator = declarator.child_by_field_name("declarator")?;
    }
    Some(fold_text(&format!("{words} {}", without_name(reader, declarator, at)?)))
}

/// Returns the text of a declarator without the name in it: `*[3]` of `*a[3]`.
// Both parts are kept: `int *a[3]` has the type `int *[3]`.
fn without_name<'t>(
    reader: &FactsReader<'t>,
    declarator: Node<'t>,
    at: Node<'t>,
) -> Option<String> {
    let text = reader.text(declarator);
    let from = at.start_byte().checked_sub(declarator.start_byte())?;
    let to = at.end_byte().checked_sub(declarator.start_byte())?;
    Some(format!("{}{}", text.get(..from)?, text.get(to..)?))
}

/// Returns true if the value itself is constant, not only what it points to.
fn is_constant<'t>(reader: &FactsReader<'t>, subject: &DeclaredNode<'t>) -> bool {
    let node = subject.node;
    let mut at = find_declarator(node, subject.at);
    if let Some(inner) = at.filter(|at| at.kind() == "init_declarator") {
        at = inner.child_by_field_name("declarator");
    }
    let of = at.filter(|at| at.kind() == "pointer_declarator").unwrap_or(node);
    ["const", "constexpr"].iter().any(|word| has_specifier(reader, of, "type_qualifier", word))
}

/// Reads a parameter; `None` for a node of another kind.
fn read_parameter<'t>(reader: &FactsReader<'t>, part: Node<'t>) -> Option<Parameter> {
    match part.kind() {
        "variadic_parameter" => Some(Parameter::default().variadic(true)),
        "parameter_declaration"
        | "optional_parameter_declaration"
        | "variadic_parameter_declaration" => {
            let declarator = part.child_by_field_name("declarator");
            let name = declarator.and_then(find_declared).map(|of| of.name);
            let of = match (declarator, name) {
                (Some(declarator), Some(name)) => {
                    let words = specifier_text(reader, part, declarator);
                    fold_text(&format!("{words} {}", without_name(reader, declarator, name)?))
                }
                (Some(declarator), None) => {
                    let words = specifier_text(reader, part, declarator);
                    fold_text(&format!("{words} {}", reader.text(declarator)))
                }
                (None, _) => node_text(reader, part),
            };
            let default = field_text(reader, part, "default_value");
            let name = name.map(|name| node_text(reader, name));
            let variadic = part.kind() == "variadic_parameter_declaration";
            Some(Parameter::new(name, Some(of)).or_default(default).variadic(variadic))
        }
        _ => None,
    }
}
