//! The cryptography behind TLS, chosen once for every client of the process.

/// Makes `ring` the process's provider, unless the program around this library chose another one.
pub(super) fn install_crypto_provider() {
    // The error means that a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
