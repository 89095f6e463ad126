//! The settings: values from all sources, each with its origin.
//!
//! The precedence is: flags, the environment (`PAPAYU_*`), `papayu.toml` in the repository, the
//! user's own file, the defaults of the kind of project, `defaults.toml`. Unknown names are errors, so that a typing mistake is not
//! ignored. The table of all settings is in [`keys`].

mod address_kind;
mod allowances;
mod environment;
mod error;
mod export;
mod file;
mod key;
pub mod keys;
mod kind;
mod layers;
mod load;
mod model_list;
mod origin;
mod provider;
mod provider_choice;
mod raw;
mod schema;
#[cfg(test)]
mod tests;
mod trust;
mod words;

pub(crate) use address_kind::kind_of;
pub use environment::{data_folder, foreign_variables, user_file};
pub use error::{SettingsError, SettingsProblem, SettingsProblemKind};
pub use export::export_settings;
pub use key::{SettingKey, SettingRow};
pub use keys::{KEYS, Settings};
pub use kind::ValueKind;
pub use load::{FlagValue, RepositoryFile, SettingsSources, load};
pub use model_list::NamedModel;
pub use origin::{FileOwner, Setting, ValueOrigin};
pub use provider::{ProviderChoice, provider_words};
pub use provider_choice::find_unused_models;
pub use schema::papayu_schema;
pub use trust::{Narrowing, OutputForm, Trust, output_path};
pub use words::{Emit, ForgeChoice};
