//! Reads a whole XML document into a tree of elements, as far as it is well-formed.

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use papayu_base::text::first_chars;

/// Longest text of one element that is kept, in characters.
const MAX_TEXT: usize = 64 * 1024;
/// Most elements inside each other; deeper ones are left out.
const MAX_DEPTH: usize = 64;

/// One element with everything inside it.
#[derive(Debug, Default)]
pub(super) struct Element {
    /// Without a namespace.
    pub(super) name: String,
    attributes: Vec<(String, String)>,
    /// In the order of the document.
    pub(super) children: Vec<Element>,
    /// The text directly inside the element.
    pub(super) text: String,
}

/// The elements of a document, and the fault at which its reading ended.
#[derive(Debug, Default)]
pub(super) struct XmlDocument {
    /// Several, if a file has several documents.
    pub(super) roots: Vec<Element>,
    /// `None` for a document that is whole.
    pub(super) fault: Option<String>,
}

impl Element {
    /// Returns the value of an attribute, unless it is empty.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Returns the number in an attribute; `None` for another text.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.attribute(name)?.parse().ok()
    }

    /// Returns the first child of a name.
    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Returns the text of the element at a path of names; empty if there is none.
    pub(super) fn text_at(&self, path: &[&str]) -> &str {
        let mut at = Some(self);
        for name in path {
            at = at.and_then(|element| element.child(name));
        }
        at.map_or("", |element| element.text.as_str())
    }

    /// Calls `visit` with every element of the tree, parents first, with the elements around it.
    pub(super) fn walk<'e>(
        &'e self,
        around: &mut Vec<&'e Self>,
        visit: &mut dyn FnMut(&'e Self, &[&'e Self]),
    ) {
        visit(self, around);
        around.push(self);
        for child in &self.children {
            child.walk(around, visit);
        }
        around.pop();
    }
}

/// Reads a document. A fault ends the reading, and what was read until then is kept.
pub(super) fn read_document(text: &str) -> XmlDocument {
    let mut reader = Reader::from_str(text);
    let mut document = XmlDocument::default();
    let mut open: Vec<Element> = Vec::new();
    let fault = loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => open.push(read_tag(&tag)),
            Ok(Event::Empty(tag)) => document.close_element(&mut open, read_tag(&tag)),
            Ok(Event::End(_)) => {
                if let Some(element) = open.pop() {
                    document.close_element(&mut open, element);
                }
            }
            Ok(Event::Text(words)) => add_text(&mut open, &words),
            Ok(Event::CData(words)) => add_text(&mut open, &words),
            Ok(Event::GeneralRef(name)) => add_text(&mut open, &resolve_reference(&name)),
            Ok(Event::Eof) => {
                break open.last().map(|element| format!("it ends inside `{}`", element.name));
            }
            Ok(_) => {}
            Err(error) => break Some(error.to_string()),
        }
    };
    document.fault = fault;
    while let Some(element) = open.pop() {
        document.close_element(&mut open, element);
    }
    document
}

impl XmlDocument {
    /// Adds a closed element to the one around it.
    fn close_element(&mut self, open: &mut [Element], element: Element) {
        let depth = open.len();
        match open.last_mut() {
            Some(_) if depth > MAX_DEPTH => {}
            Some(parent) => parent.children.push(element),
            None => self.roots.push(element),
        }
    }
}

/// Adds text to the innermost open element.
fn add_text(open: &mut [Element], words: &str) {
    if let Some(element) = open.last_mut() {
        let room = MAX_TEXT.saturating_sub(element.text.len());
        element.text.push_str(first_chars(words, room));
    }
}

/// Returns the character of `&lt;` or `&#10;`; empty for an entity that is not known.
fn resolve_reference(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(letter)) = reference.resolve_char_ref() {
        return letter.to_string();
    }
    let name: &str = reference;
    quick_xml::escape::resolve_predefined_entity(name).unwrap_or_default().to_owned()
}

/// Returns the element of a tag, with nothing inside it.
fn read_tag(tag: &BytesStart<'_>) -> Element {
    let mut element = Element { name: tag.local_name().as_ref().to_owned(), ..Element::default() };
    for attribute in tag.attributes().with_checks(false).flatten() {
        let raw: &str = &attribute.value;
        // Some writers leave a lone `&` in a value.
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .map_or_else(|_| raw.to_owned(), std::borrow::Cow::into_owned);
        element.attributes.push((attribute.key.local_name().as_ref().to_owned(), value));
    }
    element
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_as_far_as_it_goes() {
        let document = read_document("<a x='1 &lt; 2'>t&amp;<b/><![CDATA[</a>]]></a><c/>");
        let [first, second] = document.roots.as_slice() else { panic!("{document:?}") };
        assert_eq!((first.text.as_str(), second.name.as_str()), ("t&</a>", "c"));
        assert_eq!((first.attribute("x"), document.fault), (Some("1 < 2"), None));
        let document = read_document("<a><b y='2'>text");
        assert_eq!(document.fault.as_deref(), Some("it ends inside `b`"));
        assert_eq!(document.roots[0].text_at(&["b"]), "text");
    }

    #[test]
    fn elements_inside_each_other_are_bounded() {
        let document = read_document(&"<a>".repeat(100_000));
        let mut elements = 0;
        document.roots[0].walk(&mut Vec::new(), &mut |_, _| elements += 1);
        assert_eq!(elements, MAX_DEPTH + 1);
    }
}
