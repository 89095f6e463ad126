//! Builds HTML from our own markup and escaped text.

use super::show_hidden;

/// A page under construction.
#[derive(Clone, Debug, Default)]
pub struct Html {
    page: String,
}

impl Html {
    /// Appends markup as it is; it must be a constant of this program, never input.
    /// The type makes it hard to append input: only constants have a static lifetime.
    pub fn markup(&mut self, markup: &'static str) -> &mut Self {
        self.page.push_str(markup);
        self
    }

    /// Appends text, with the characters escaped that end an element or a quoted attribute; control and invisible characters
    /// are shown as their numbers.
    // Both kinds of quotes, so that the text is safe in any quoted attribute.
    pub fn text(&mut self, text: impl AsRef<str>) -> &mut Self {
        for c in show_hidden(text.as_ref()).chars() {
            match c {
                '&' => self.page.push_str("&amp;"),
                '<' => self.page.push_str("&lt;"),
                '>' => self.page.push_str("&gt;"),
                '"' => self.page.push_str("&quot;"),
                '\'' => self.page.push_str("&#x27;"),
                c => self.page.push(c),
            }
        }
        self
    }

    /// Appends `<td>text</td>`.
    pub fn cell(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.markup("<td>").text(text).markup("</td>")
    }

    /// Returns the page.
    pub fn into_string(self) -> String {
        self.page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_element_or_attribute() {
        let mut page = Html::default();
        page.markup("<a href=\"").text("\"'><script>&\u{1b}\u{202e}").markup("\">").cell("x");
        let expected = "<a href=\"&quot;&#x27;&gt;&lt;script&gt;&amp;\\u{1b}\\u{202e}\"><td>x</td>";
        assert_eq!(page.into_string(), expected);
    }
}
