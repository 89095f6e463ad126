//! The reasons why a report cannot be used.

/// Why a report cannot be used as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportFault {
    /// The file has another format.
    #[error("it is no report: {0}")]
    WrongFormat(String),
    /// The file is a report that ends early or cannot be parsed to its end.
    #[error("the report is broken: {0}")]
    Broken(String),
}
