//! A token of a server, which may be replaced while a run goes on.

use std::sync::{Arc, Mutex, PoisonError};

use secrecy::{ExposeSecret as _, SecretString};

/// A token that all its copies share: one that ends early is replaced for all of them.
#[derive(Clone, Debug, Default)]
pub struct AccessToken(Arc<Mutex<SecretString>>);

/// A token and the only server that it may be sent to.
#[derive(Clone, Debug)]
pub struct HostToken {
    /// The host of that server.
    pub host: String,
    /// The user name that git sends with the token.
    pub user: &'static str,
    /// The token.
    pub token: AccessToken,
}

impl AccessToken {
    /// Returns a token without the white space at its ends: files end with a line feed, which no header can contain.
    pub fn new(token: &SecretString) -> Self {
        Self(Arc::new(Mutex::new(token.expose_secret().trim().into())))
    }

    /// Returns the token as it is now; empty where it was not obtained yet.
    pub fn current(&self) -> SecretString {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the token for every copy.
    pub fn replace(&self, token: SecretString) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = token;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_token_is_replaced_in_every_copy() {
        let token = AccessToken::new(&" one\n".into());
        let copy = token.clone();
        assert_eq!(copy.current().expose_secret(), "one");
        token.replace("two".into());
        assert_eq!(copy.current().expose_secret(), "two");
        assert!(!format!("{copy:?}").contains("two"));
    }
}
