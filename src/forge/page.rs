//! Finds the next page in a `Link` header, and keeps it on the server that was asked.

use url::Url;

/// Returns the address of the next page; `None` on the last one, and where it leads to another server,
/// which must not be sent the token.
pub(super) fn next_page(link: Option<&str>, asked: &str) -> Option<String> {
    let asked = Url::parse(asked).ok()?;
    let entry = link?.split(',').find(|entry| {
        let mut parameters = entry.split(';').skip(1).map(str::trim);
        parameters.any(|parameter| matches!(parameter, "rel=\"next\"" | "rel=next"))
    })?;
    let address = entry.split(';').next()?.trim().strip_prefix('<')?.strip_suffix('>')?;
    let next = asked.join(address).ok()?;
    (next.origin() == asked.origin()).then(|| next.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_next_page_of_the_same_server_is_followed() {
        let asked = "https://api.github.com/repos/o/r/pulls?page=1";
        let page = "https://api.github.com/repositories/1/pulls?page=2";
        for (link, expected) in [
            (format!("<{page}>; rel=\"next\", <https://x/>; rel=\"last\""), Some(page)),
            (format!("<https://x/>; rel=\"prev\", <{page}>; rel=\"next\""), Some(page)),
            ("<https://evil.example/?page=2>; rel=\"next\"".to_owned(), None),
            ("<http://api.github.com/?page=2>; rel=\"next\"".to_owned(), None),
            (format!("<{page}>; rel=\"last\""), None),
            ("<<<;;;,,, rel=\"next\"".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(next_page(Some(&link), asked).as_deref(), expected, "{link}");
        }
        assert_eq!(next_page(None, asked), None);
    }
}
