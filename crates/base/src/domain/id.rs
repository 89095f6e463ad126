//! Names of runs and traces: random UUIDs, so that two machines never choose the same one.

use std::fmt;

use serde::{Deserialize, Serialize};

// Two types, so that a run and a trace cannot be exchanged by mistake.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the text of a UUID made by the clock (`system::Clock::fresh_id`).
            pub fn new(uuid: String) -> Self {
                Self(uuid)
            }

            /// Returns the UUID's text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id! {
    /// One `fix`, `plan` or `apply`: everything that one call of the program does.
    RunId
}
id! {
    /// One exchange with a model that ends in a plan; names its trace file.
    TraceId
}
