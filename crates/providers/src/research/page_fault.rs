//! The reasons why a page is not read.

use papayu_system::HttpError;

/// The reason why a page is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PageFault {
    /// The address is not requested.
    #[error("{0}")]
    Refused(&'static str),
    /// More redirects than are followed, or one without an address.
    #[error("the redirects lead nowhere")]
    Redirects,
    /// The server refused or failed.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// It is no text that is read.
    #[error("its type is not text")]
    Type,
    /// No whole answer.
    #[error("{0}")]
    Http(#[from] HttpError),
}
