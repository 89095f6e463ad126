//! The protection that the repository's code ran under.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part of the sandbox that this machine provides, the least first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SandboxLevel {
    /// Nothing.
    None,
    /// Some parts.
    Partial,
    /// Every part.
    Full,
}

impl SandboxLevel {
    /// Returns the word used in `outcome.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }
}

/// The commands of a run that had the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NetworkAccess {
    /// All of them.
    On,
    /// Some of them: those before the change.
    Mixed,
    /// None of them, but registries of packages.
    Deps,
    /// None of them.
    Off,
}

impl NetworkAccess {
    /// Returns the word used in `outcome.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Mixed => "mixed",
            Self::Deps => "deps",
            Self::Off => "off",
        }
    }
}

/// The sandbox that the repository's code ran in: the weakest of all its commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SandboxRecord {
    /// The part of it that this machine provides.
    pub level: SandboxLevel,
    /// The parts that it does not provide.
    pub missing: Vec<String>,
    /// The commands that had the network.
    pub network: NetworkAccess,
}

/// The reason of a sandbox that the user turned off.
const OFF: &str = "turned off by `--sandbox off`";

impl SandboxRecord {
    /// Returns the record of a command that ran without a sandbox, for this reason.
    pub fn none(reason: &str) -> Self {
        Self {
            level: SandboxLevel::None,
            missing: vec![reason.to_owned()],
            network: NetworkAccess::On,
        }
    }

    /// Returns the record of a command for which the user turned the sandbox off.
    pub fn off() -> Self {
        Self::none(OFF)
    }

    /// Returns `true` if the user turned the sandbox off.
    // Compared with the text, because the record is read back from `outcome.json`.
    pub fn is_off(&self) -> bool {
        self.missing == [OFF]
    }

    /// Returns the record of this command and another one.
    #[must_use]
    pub fn merged(mut self, other: Self) -> Self {
        // The weakest command decides: the repository's code had its chance there.
        self.level = self.level.min(other.level);
        if self.network != other.network {
            self.network = NetworkAccess::Mixed;
        }
        // Each missing part once, in the order of the commands.
        for part in other.missing {
            if !self.missing.contains(&part) {
                self.missing.push(part);
            }
        }
        self
    }

    /// Returns the record as one line for people.
    pub fn line(&self) -> String {
        let missing = match self.missing.as_slice() {
            [] => String::new(),
            parts => format!(" (missing: {})", parts.join("; ")),
        };
        format!("{}{missing}, network {}", self.level.name(), self.network.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_as_protected_as_its_weakest_command() {
        let full = SandboxRecord {
            level: SandboxLevel::Full,
            missing: Vec::new(),
            network: NetworkAccess::Off,
        };
        let partial = SandboxRecord {
            level: SandboxLevel::Partial,
            missing: vec!["signals".to_owned()],
            network: NetworkAccess::On,
        };
        let both = full.clone().merged(partial.clone()).merged(full.clone()).merged(partial);
        assert_eq!(both.line(), "partial (missing: signals), network mixed");
        assert_eq!(full.clone().merged(full).line(), "full, network off");
    }
}
