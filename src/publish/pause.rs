//! The label with which people pause the pull requests of this program.

use super::error::PublishError;
use papayu_forge::Forge;

/// A label, and the repository in which it is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PauseLabel {
    /// The repository, with its owner; `None` for that of the fix.
    repository: Option<String>,
    label: String,
}

impl PauseLabel {
    /// Parses `LABEL` or `OWNER/REPOSITORY#LABEL`.
    pub fn parse(text: &str) -> Self {
        let of_other = text.split_once('#').filter(|(repository, _)| repository.contains('/'));
        let (repository, label) =
            of_other.map_or((None, text), |(name, label)| (Some(name), label));
        Self { repository: repository.map(str::to_owned), label: label.to_owned() }
    }

    /// Fails if an open issue or pull request has the label.
    ///
    /// # Errors
    ///
    /// `Paused`, and `Forge` if the forge does not answer.
    pub(super) fn check(&self, forge: &dyn Forge) -> Result<(), PublishError> {
        match forge.open_labelled(&self.label, self.repository.as_deref())? {
            Some(place) => Err(PublishError::Paused { place, label: self.label.clone() }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_may_be_that_of_another_repository() {
        for (text, repository, label) in [
            ("papayu-pause", None, "papayu-pause"),
            ("acme/control#papayu-pause", Some("acme/control"), "papayu-pause"),
            ("group/sub/control#stop: all", Some("group/sub/control"), "stop: all"),
            ("area/ci", None, "area/ci"),
            ("c#", None, "c#"),
        ] {
            let expected =
                PauseLabel { repository: repository.map(str::to_owned), label: label.to_owned() };
            assert_eq!(PauseLabel::parse(text), expected, "{text}");
        }
    }
}
