//! The URL of requests: completed from the form that users write, and in a form without secrets.

use url::Url;

use super::hosts;

/// A complete URL and its harmless form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Endpoint {
    url: Url,
}

impl Endpoint {
    /// Parses a URL and appends the part of its path that `missing` returns for it (it receives the
    /// path without a trailing slash). The error message omits the URL, which may contain a
    /// password.
    pub(crate) fn complete_url(
        text: &str,
        missing: fn(&str) -> &'static str,
    ) -> Result<Self, &'static str> {
        let unusable = "the URL of the model must begin with `http://` or `https://`";
        let mut url = Url::parse(text.trim()).map_err(|_| unusable)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(unusable);
        }
        let mut path = url.path().trim_end_matches('/').to_owned();
        if path.is_empty() {
            hosts::base_path(url.host_str().unwrap_or_default()).clone_into(&mut path);
        }
        url.set_path(&format!("{path}{}", missing(&path)));
        url.set_fragment(None);
        hosts::add_azure_version(&mut url);
        Ok(Self { url })
    }

    /// Returns what is sent to.
    pub(crate) fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// Returns the path.
    pub(crate) fn path(&self) -> &str {
        self.url.path()
    }

    /// Returns the host's name, lowercase.
    pub(crate) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Returns `true` if requests do not leave this machine.
    pub(crate) fn is_own_machine(&self) -> bool {
        papayu_system::is_own_machine(&self.url)
    }

    /// Returns the URL without user, password and query, for messages.
    pub(crate) fn display_url(&self) -> String {
        let port = self.url.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}://{}{port}{}", self.url.scheme(), self.host(), self.url.path())
    }

    /// Returns another route of the same server.
    pub(crate) fn with_path(&self, path: &str) -> Self {
        let mut url = self.url.clone();
        url.set_path(path);
        Self { url }
    }
}
