//! The tokens of a GitHub App: a signed statement of who it is, exchanged for a token of an installation.

use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jiff::Timestamp;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use crate::error::{ForgeError, ForgeFault};

/// The app that requests are made as.
#[derive(Clone, Debug)]
pub struct AppConfig {
    /// Its number or client id.
    pub id: String,
    /// Its private key, in the PEM form that GitHub hands out.
    pub key: SecretString,
    /// The number of the installation; the one of the repository where there is none.
    pub installation: Option<u64>,
}

/// Seconds before its end at which a token is renewed: a push of a large repository takes minutes.
const EARLY: i64 = 600;
/// Seconds that a statement is valid; GitHub refuses more than ten minutes.
const VALID: i64 = 540;
/// Seconds that the clock of the machine may be ahead of GitHub's.
const AHEAD: i64 = 60;

/// The app, and the end of the token that it has.
pub(crate) struct App {
    config: AppConfig,
    ends: Mutex<Option<Timestamp>>,
}

impl App {
    /// Returns the app without a token.
    pub(crate) fn new(config: AppConfig) -> Self {
        Self { config, ends: Mutex::new(None) }
    }

    /// Returns true when there is no token, or it ends soon.
    pub(crate) fn needs_token(&self, now: Timestamp) -> bool {
        let ends = *self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.is_none_or(|ends| ends.as_second() - now.as_second() < EARLY)
    }

    /// Forgets the token, so that the next request obtains another one.
    pub(crate) fn drop_token(&self) {
        *self.ends.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Returns the number of the installation that the user named. `None` if the API is to be asked for it.
    pub(crate) fn installation(&self) -> Option<u64> {
        self.config.installation
    }

    /// Returns the signed statement (RFC 7519) with which the app asks for tokens.
    ///
    /// # Errors
    ///
    /// `NoToken` when the key is no RSA key in PEM.
    pub(crate) fn sign_statement(&self, now: Timestamp) -> Result<SecretString, ForgeError> {
        let wrong = |message: &str| {
            ForgeError::new("sign in as the GitHub App", ForgeFault::NoToken, message)
        };
        let not_key = || wrong("`github.app_key_file` is no RSA private key in PEM");
        let key = read_key(self.config.key.expose_secret()).ok_or_else(not_key)?;
        let now = now.as_second();
        let claims = json!({ "iat": now - AHEAD, "exp": now + VALID, "iss": self.config.id });
        let encode = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let head = encode(json!({ "alg": "RS256", "typ": "JWT" }));
        let text = format!("{head}.{}", encode(claims));
        let mut signature = vec![0; key.public().modulus_len()];
        // The random numbers protect the key while it signs; the signature does not depend on them.
        key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature)
            .map_err(|_| wrong("the key cannot sign"))?;
        Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)).into())
    }

    /// Remembers the end of the token in an answer, and returns the token. `None` if the answer lacks one of
    /// the two.
    pub(crate) fn take_token(&self, answer: &Value) -> Option<SecretString> {
        let token = answer.get("token")?.as_str()?;
        let ends = answer.get("expires_at")?.as_str()?.parse().ok()?;
        *self.ends.lock().unwrap_or_else(PoisonError::into_inner) = Some(ends);
        Some(token.into())
    }
}

/// Reads an RSA key in PEM: `RSA PRIVATE KEY` (PKCS#1), as GitHub hands it out, or `PRIVATE KEY` (PKCS#8).
fn read_key(pem: &str) -> Option<RsaKeyPair> {
    let (_, rest) = pem.split_once("-----BEGIN ")?;
    let (label, rest) = rest.split_once("-----")?;
    let (body, _) = rest.split_once("-----END ")?;
    let body: String = body.chars().filter(|c| !c.is_whitespace()).collect();
    let der = STANDARD.decode(body).ok()?;
    match label {
        "RSA PRIVATE KEY" => RsaKeyPair::from_der(&der).ok(),
        "PRIVATE KEY" => RsaKeyPair::from_pkcs8(&der).ok(),
        _ => None,
    }
}
