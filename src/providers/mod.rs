//! Those who answer requests: models over HTTP, recordings, and the tools' own suggestions.

pub mod exchange;
pub mod suggestions;

pub use exchange::{
    Ask, Call, Finish, Provider, ProviderError, ProviderFault, Reply, Request, WireSchema,
};
pub use suggestions::{Suggestions, SuggestionsConfig};
