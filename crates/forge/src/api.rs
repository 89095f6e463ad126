//! The calls that every forge has in common: read a value, read a list, send a change, download a log.

use serde_json::Value;

use super::config::{ForgeConfig, Outside};
use super::error::{ForgeError, ForgeFault};
use super::transport::{Outgoing, Repeat, Transport};
use super::wire::ForgeWire;
use papayu_system::{HttpResponse, Method};

/// Pages read of a list at the most.
const MAX_PAGES: usize = 100;

/// The interface of one repository on a forge.
pub(super) struct Api<'a> {
    transport: Transport<'a>,
    /// The address that paths are relative to, without a slash at its end.
    base: String,
}

/// A request that changes something.
pub(super) struct ChangeRequest<'a> {
    /// In words, for messages.
    pub(super) doing: &'a str,
    pub(super) method: Method,
    /// Relative to the repository, or absolute.
    pub(super) path: &'a str,
    /// `null` for a request without a body.
    pub(super) body: Value,
    /// `Unsafe` where a second request would be visible, as a comment is.
    pub(super) repeat: Repeat,
}

impl<'a> Api<'a> {
    /// Returns the interface at an address; nothing is sent yet.
    pub(super) fn new(
        config: &ForgeConfig,
        outside: Outside<'a>,
        wire: &'static ForgeWire,
        base: String,
    ) -> Self {
        Self { transport: Transport::new(config, outside, wire), base }
    }

    /// Returns the error of a call that this forge does not have, and what to do instead.
    pub(super) fn unsupported(&self, doing: &str, instead: &str) -> ForgeError {
        let message =
            format!("{} cannot do this through its API: {instead}", self.transport.wire.name);
        ForgeError::new(doing, ForgeFault::Unsupported, message)
    }

    /// Returns the token for requests and pushes, renewed if it ends soon.
    ///
    /// Fails as [`Transport::renew_token`] does.
    pub(super) fn renew_token(&self) -> Result<(), ForgeError> {
        self.transport.renew_token()
    }

    /// Returns the absolute address of a path.
    fn url(&self, path: &str) -> String {
        if path.contains("://") { path.to_owned() } else { format!("{}{path}", self.base) }
    }

    fn reading<'r>(&self, doing: &'r str, path: &str, repeat: Repeat) -> Outgoing<'r> {
        Outgoing { doing, method: Method::Get, url: self.url(path), body: None, repeat }
    }

    /// Sends a GET, which may be repeated safely. `doing` names the action in messages, in the infinitive.
    ///
    /// Fails as [`Transport::call_api`] does, and with [`ForgeFault::Unreadable`] if the answer is a redirect
    /// or no JSON; the body `null` is an answer without one.
    pub(super) fn get(&self, doing: &str, path: &str) -> Result<Value, ForgeError> {
        let answer = self.transport.call_api(&self.reading(doing, path, Repeat::Safe))?;
        parse_body(doing, &answer)
    }

    /// Reads a file or another text that is not JSON; bytes that are not UTF-8 are replaced.
    ///
    /// Fails as [`Transport::call_api`] does. The body of a redirect is returned as it is.
    pub(super) fn get_text(&self, doing: &str, path: &str) -> Result<String, ForgeError> {
        let answer = self.transport.call_api(&self.reading(doing, path, Repeat::Safe))?;
        Ok(String::from_utf8_lossy(&answer.body).into_owned())
    }

    /// Reads every page of a list, at most [`MAX_PAGES`]; the rest is left out silently.
    /// [`list_whole`](Self::list_whole) is for lists that must be complete.
    ///
    /// Fails as [`get`](Self::get) does, and with [`ForgeFault::Unreadable`] if an answer is no list.
    pub(super) fn list(&self, doing: &str, path: &str) -> Result<Vec<Value>, ForgeError> {
        self.list_pages(doing, path, self.transport.wire.items).map(|(all, _)| all)
    }

    /// Reads every page of a list that is in a field of the answer, at most [`MAX_PAGES`].
    ///
    /// Fails as [`list`](Self::list) does, also if an answer lacks the field.
    pub(super) fn list_within(
        &self,
        doing: &str,
        path: &str,
        field: &'static str,
    ) -> Result<Vec<Value>, ForgeError> {
        self.list_pages(doing, path, Some(field)).map(|(all, _)| all)
    }

    /// Reads every page of a list.
    ///
    /// Fails as [`list`](Self::list) does, and with [`ForgeFault::Invalid`] if there are more than
    /// [`MAX_PAGES`] pages.
    pub(super) fn list_whole(&self, doing: &str, path: &str) -> Result<Vec<Value>, ForgeError> {
        let (found, is_more) = self.list_pages(doing, path, self.transport.wire.items)?;
        // A batch over a part of the repositories would look like a batch over all of them.
        if is_more {
            let message = format!("there are more than {}", found.len());
            return Err(ForgeError::new(doing, ForgeFault::Invalid, message));
        }
        Ok(found)
    }

    /// Reads every page. The flag is true when there were more pages than are read.
    fn list_pages(
        &self,
        doing: &str,
        path: &str,
        field: Option<&str>,
    ) -> Result<(Vec<Value>, bool), ForgeError> {
        let mut all = Vec::new();
        let mut url = self.url(path);
        for _ in 0..MAX_PAGES {
            let answer = self.transport.call_api(&self.reading(doing, &url, Repeat::Safe))?;
            let value = parse_body(doing, &answer)?;
            let items = field.map_or(Some(&value), |name| value.get(name));
            let items = items.and_then(Value::as_array);
            let unreadable = || ForgeError::new(doing, ForgeFault::Unreadable, "it is no list");
            let items = items.ok_or_else(unreadable)?;
            all.extend(items.iter().cloned());
            match self.transport.wire.paging.next_page(&answer, &value, &url, items.len()) {
                Some(next) => url = next,
                None => return Ok((all, false)),
            }
        }
        Ok((all, true))
    }

    /// Sends a change, which needs a token, and returns the answer; `null` for an empty one.
    ///
    /// Fails with [`ForgeFault::NoToken`] before a request is sent if there is none, as [`Transport::call_api`]
    /// does, and with [`ForgeFault::Unreadable`] if the answer is a redirect or no JSON. The change may have
    /// been made in the last case.
    pub(super) fn send(&self, change: ChangeRequest<'_>) -> Result<Value, ForgeError> {
        let ChangeRequest { doing, method, path, body, repeat } = change;
        if !self.transport.has_token() {
            return Err(ForgeError::new(doing, ForgeFault::NoToken, "no token is set")
                .at_forge(self.transport.wire.kind));
        }
        let (url, body) = (self.url(path), Some(body).filter(|body| !body.is_null()));
        let outgoing = Outgoing { doing, method, url, body, repeat };
        parse_body(doing, &self.transport.call_api(&outgoing)?)
    }

    /// Sends a POST; a `repeat` of `Unsafe` is for comments and pull requests, which would be visible twice.
    ///
    /// Fails as [`send`](Self::send) does.
    pub(super) fn post(
        &self,
        doing: &str,
        path: &str,
        body: Value,
        repeat: Repeat,
    ) -> Result<Value, ForgeError> {
        self.send(ChangeRequest { doing, method: Method::Post, path, body, repeat })
    }

    /// Sends a PATCH that may be repeated safely.
    ///
    /// Fails as [`send`](Self::send) does.
    pub(super) fn patch(&self, doing: &str, path: &str, body: Value) -> Result<Value, ForgeError> {
        let (method, repeat) = (Method::Patch, Repeat::Safe);
        self.send(ChangeRequest { doing, method, path, body, repeat })
    }

    /// Sends a PUT, which may be repeated safely.
    ///
    /// Fails as [`send`](Self::send) does.
    pub(super) fn put(&self, doing: &str, path: &str, body: Value) -> Result<Value, ForgeError> {
        let (method, repeat) = (Method::Put, Repeat::Safe);
        self.send(ChangeRequest { doing, method, path, body, repeat })
    }

    /// Reads a list that must be complete from the first of two addresses, or from the second one if the forge does not
    /// know the first: the name of an owner does not say whether it is an organisation or a user.
    ///
    /// Fails as [`list_whole`](Self::list_whole) does.
    pub(super) fn list_either(
        &self,
        doing: &str,
        paths: [&str; 2],
    ) -> Result<Vec<Value>, ForgeError> {
        let [first, second] = paths;
        match self.list_whole(doing, first) {
            Err(error) if error.fault == ForgeFault::NotFound => self.list_whole(doing, second),
            found => found,
        }
    }

    /// Hands a log over as it comes.
    ///
    /// Fails as [`Transport::download_log`] does; `sink` may have received a part of the log then.
    pub(super) fn download_log(
        &self,
        doing: &str,
        path: &str,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<(), ForgeError> {
        // The bytes that arrived before the connection was lost were already passed on.
        self.transport.download_log(&self.reading(doing, path, Repeat::Unsafe), sink)
    }
}

/// Parses the body of an answer; `null` where there is none.
fn parse_body(doing: &str, answer: &HttpResponse) -> Result<Value, ForgeError> {
    let unreadable = |message: String| ForgeError::new(doing, ForgeFault::Unreadable, message);
    // Redirects are not followed, since the token would go to the new address.
    if (300..400).contains(&answer.status) {
        // Azure DevOps redirects to its page for signing in where others answer 401.
        if answer.header("location").is_some_and(|place| place.contains("_signin")) {
            let message = "the forge asks to sign in: the token is refused";
            return Err(ForgeError::new(doing, ForgeFault::Authentication, message));
        }
        return Err(unreadable("the repository has moved; change `github.repository`".to_owned()));
    }
    if answer.body.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(&answer.body).map_err(|error| unreadable(error.to_string()))
}
