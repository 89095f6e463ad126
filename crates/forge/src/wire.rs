//! The properties in which the HTTP interfaces of forges differ, and the next page of a list.

use secrecy::SecretString;
use serde_json::Value;
use url::Url;

use super::forge_word::ForgeKind;
use papayu_system::HttpResponse;

/// The HTTP interface of a forge.
pub(super) struct ForgeWire {
    /// The forge.
    pub(super) kind: ForgeKind,
    /// The name of the forge in messages.
    pub(super) name: &'static str,
    /// Headers of every request.
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// Returns the header that carries a token.
    pub(super) authorize: fn(&str) -> (&'static str, SecretString),
    /// The way to the next page of a list.
    pub(super) paging: Paging,
    /// The field with the items of a list; `None` where the answer itself is the list.
    pub(super) items: Option<&'static str>,
}

/// The way to the next page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paging {
    /// The `Link` header.
    Link,
    /// The address in a field of the answer.
    Field(&'static str),
    /// A parameter with the number of items to skip; a page shorter than `size` is the last one.
    Skip {
        /// The parameter.
        name: &'static str,
        /// The number of items of a full page.
        size: usize,
    },
}

/// Returns the header of a bearer token (RFC 6750).
pub(super) fn bearer(token: &str) -> (&'static str, SecretString) {
    ("authorization", format!("Bearer {token}").into())
}

/// Returns whether a token is that of a job of GitLab CI, which is sent in a header of its own.
pub(super) fn is_gitlab_job_token(token: &str) -> bool {
    token.starts_with("glcbt-")
}

impl Paging {
    /// Returns the address of the next page; `None` on the last one, and where it leads to another server, which
    /// must not be sent the token. `items` is the number of items on this page.
    pub(super) fn next_page(
        self,
        answer: &HttpResponse,
        body: &Value,
        asked: &str,
        items: usize,
    ) -> Option<String> {
        let asked = Url::parse(asked).ok()?;
        let next = match self {
            Self::Link => asked.join(next_of_link(answer.header("link")?)?).ok()?,
            Self::Field(name) => asked.join(body.get(name)?.as_str()?).ok()?,
            Self::Skip { size, .. } if items < size => return None,
            Self::Skip { name, size } => skip_items(&asked, name, size),
        };
        (next.origin() == asked.origin()).then(|| next.to_string())
    }
}

/// Returns the address of the relation `next` in a `Link` header (RFC 8288).
fn next_of_link(link: &str) -> Option<&str> {
    let entry = link.split(',').find(|entry| {
        let mut parameters = entry.split(';').skip(1).map(str::trim);
        parameters.any(|parameter| matches!(parameter, "rel=\"next\"" | "rel=next"))
    })?;
    entry.split(';').next()?.trim().strip_prefix('<')?.strip_suffix('>')
}

/// Returns the same address with `size` more items to skip.
fn skip_items(asked: &Url, name: &str, size: usize) -> Url {
    let known = asked.query_pairs().find(|(known, _)| known == name);
    let skipped = known.and_then(|(_, count)| count.parse::<usize>().ok()).unwrap_or(0);
    let kept: Vec<(String, String)> =
        asked.query_pairs().filter(|(known, _)| known != name).map(own_pair).collect();
    let mut next = asked.clone();
    let count = skipped.saturating_add(size).to_string();
    next.query_pairs_mut().clear().extend_pairs(kept).append_pair(name, &count);
    next
}

/// Returns a pair of a query as it can be kept.
fn own_pair(pair: (std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>)) -> (String, String) {
    (pair.0.into_owned(), pair.1.into_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ASKED: &str = "https://api.github.com/repos/o/r/pulls?page=1";

    fn answer(link: Option<&str>) -> HttpResponse {
        let headers = link.map(|link| ("link".to_owned(), link.to_owned())).into_iter().collect();
        HttpResponse { status: 200, headers, body: Vec::new() }
    }

    #[test]
    fn only_a_next_page_of_the_same_server_is_followed() {
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
            let next = Paging::Link.next_page(&answer(Some(&link)), &Value::Null, ASKED, 1);
            assert_eq!(next.as_deref(), expected, "{link}");
        }
        assert_eq!(Paging::Link.next_page(&answer(None), &Value::Null, ASKED, 1), None);
    }

    #[test]
    fn a_next_page_named_in_the_answer_stays_on_the_server_too() {
        for (next, expected) in [
            (json!("https://api.github.com/x?page=2"), Some("https://api.github.com/x?page=2")),
            (json!("/x?page=2"), Some("https://api.github.com/x?page=2")),
            (json!("https://evil.example/x"), None),
            (json!("//evil.example/x"), None),
            (json!(7), None),
            (Value::Null, None),
        ] {
            let body = json!({ "next": next });
            let found = Paging::Field("next").next_page(&answer(None), &body, ASKED, 1);
            assert_eq!(found.as_deref(), expected, "{next}");
        }
    }

    #[test]
    fn items_are_skipped_until_a_page_is_not_full() {
        let paging = Paging::Skip { name: "$skip", size: 2 };
        let next = |asked: &str, items| paging.next_page(&answer(None), &Value::Null, asked, items);
        let first = "https://h/x?a=b%26c";
        let second = next(first, 2).unwrap();
        assert_eq!(second, "https://h/x?a=b%26c&%24skip=2");
        assert_eq!(next(&second, 2).unwrap(), "https://h/x?a=b%26c&%24skip=4");
        assert_eq!(next(&second, 1), None);
    }
}
