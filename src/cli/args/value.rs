//! Converts arguments to values of settings.

use std::ffi::OsStr;
use std::path::Path;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};

use crate::settings::{FlagValue, provider_words};

/// Accepts any text, which the settings check, and names the providers for completions.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProviderNames;

impl TypedValueParser for ProviderNames {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(provider_words().into_iter().map(PossibleValue::new)))
    }
}

/// Accepts a command. One without words, such as a variable that is not set, would leave the choice of the command to the
/// program.
pub(super) fn command_text(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("the command is empty") } else { Ok(text.to_owned()) }
}

/// Returns the flags that were given, each as the setting's name, the value and the flag's
/// name.
pub(super) fn flag_values<const N: usize>(
    flags: [(&'static str, Option<String>, &'static str); N],
) -> Vec<FlagValue> {
    flags.into_iter().filter_map(|(key, value, flag)| Some((key, value?, flag))).collect()
}

/// Returns `true` for a switch that was given. A switch that was not given leaves the setting
/// to other sources.
pub(super) fn switch_value(on: bool) -> Option<String> {
    on.then(|| "true".to_owned())
}

/// Returns a number in the form in which settings are read. `None` leaves the setting to other sources.
pub(super) fn number_value(number: Option<u64>) -> Option<String> {
    number.map(|number| number.to_string())
}

/// Returns a path in the form in which settings are read. `None` leaves the setting to other sources.
pub(super) fn path_value(path: Option<&Path>) -> Option<String> {
    path.map(|path| path.display().to_string())
}

/// Returns a list in the form in which settings are read. An empty list leaves the setting to
/// other sources.
pub(super) fn list_value(list: &[String]) -> Option<String> {
    (!list.is_empty()).then(|| list.join(","))
}

/// Returns commands in the form in which settings are read, where a command may contain commas. An empty list leaves the
/// setting to other sources.
pub(super) fn lines_value(list: &[String]) -> Option<String> {
    (!list.is_empty()).then(|| list.join("\n"))
}
