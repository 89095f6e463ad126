//! The trust in the repository's settings file: which values it may set, and how far.

use std::path::{Component, Path};

use globset::GlobBuilder;

use super::kind::{read_switch, text_of};
use super::raw::RawValue;
use super::words::Word;
use papayu_base::domain::RepoPath;
use papayu_base::domain::outcome::ProofLevel;

/// The part that the repository's own file may take in a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// None, even if the user trusts the repository: it decides where secrets go.
    Never,
    /// None, unless the user trusts the repository.
    User,
    /// A value that restricts more than the one that applies without it.
    Narrow(Narrowing),
    /// A path inside the repository at which nothing of the user is overwritten.
    Inside(OutputForm),
    /// Any value.
    Repository,
}

/// The direction in which a value restricts a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrowing {
    /// A smaller number.
    Lower,
    /// A smaller number; 0 is no limit.
    LowerLimit,
    /// `false`.
    TurnOff,
    /// `true`.
    TurnOn,
    /// A stronger proof.
    Strengthen,
    /// Some of the words.
    Subset,
    /// Entries that are added to those of the user.
    Grow,
    /// Some of the entries; an empty list is any.
    AllowList,
    /// Fixes without a model.
    NoModel,
    /// This word.
    Only(&'static str),
}

/// The form of an output that a setting places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputForm {
    /// A folder in which every file gets a new name.
    Folder,
    /// The folder of a run's results.
    Results,
    /// A file, and the endings that its name may have.
    File(&'static [&'static str]),
}

impl Trust {
    /// Returns the word of the settings table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::User => "user",
            Self::Narrow(_) => "narrow",
            Self::Inside(_) => "inside",
            Self::Repository => "repository",
        }
    }
}

/// Returns the path that the repository's file names for an output.
///
/// # Errors
///
/// The reason in words if the text is no path in the repository, or the path is in `.git`, `.github` or among
/// the program's own files, or does not have one of the endings of `output`.
pub fn output_path(text: &str, output: OutputForm) -> Result<RepoPath, String> {
    let path = text.trim_start_matches("./").trim_end_matches('/');
    let path = RepoPath::parse(path).map_err(|fault| fault.to_string())?;
    let refuse = |why: &str| Err(format!("`{path}` {why}"));
    // By identity, so that `.Git` and `.PAPA-YU` are seen too, which a file system that folds case takes
    // for the same folders.
    let names: Vec<String> = path
        .segments()
        .filter_map(|name| RepoPath::parse(name).ok())
        .map(|it| it.identity())
        .collect();
    if names.iter().any(|name| name == ".git" || name == ".github") {
        return refuse("is in a folder that other programs act on");
    }
    let is_ours = names.first().is_some_and(|name| name == ".papa-yu");
    if is_ours && !names.get(1).is_some_and(|name| OUR_FOLDERS.contains(&name.as_str())) {
        return refuse("is among the program's own files");
    }
    match output {
        OutputForm::File(endings)
            if !endings.iter().any(|ending| path.as_str().ends_with(ending)) =>
        {
            refuse(&format!("does not end in `{}`", endings.join("` or `")))
        }
        _ => Ok(path),
    }
}

/// Folders of `.papa-yu` that have results only.
const OUR_FOLDERS: [&str; 4] = ["out", "reports", "runs", "traces"];

/// Returns `true` if one of the user's patterns covers the repository's folder.
pub(super) fn is_listed(patterns: &[String], root: &Path) -> bool {
    patterns.iter().any(|pattern| {
        let pattern = pattern.trim_end_matches('/');
        let is_absolute = Path::new(pattern).is_absolute();
        let climbs = Path::new(pattern).components().any(|part| part == Component::ParentDir);
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        // A relative pattern would cover a folder of the same name anywhere.
        is_absolute && !climbs && glob.is_ok_and(|glob| glob.compile_matcher().is_match(root))
    })
}

impl Narrowing {
    /// Returns `true` if the value that the repository asks for narrows what the user permits.
    /// Where the user set nothing, every value does.
    pub(super) fn permits(self, asked: &RawValue, own: Option<&RawValue>) -> bool {
        if self == Self::NoModel {
            return text_of(asked) == Some("suggestions");
        }
        if let Self::Only(word) = self {
            // The user's own word is no wider than itself.
            return words_of(asked) == [word]
                || own.is_some_and(|own| words_of(own) == words_of(asked));
        }
        let Some(own) = own else { return true };
        match self {
            Self::Lower => compare(asked, own, |asked, own| asked <= own),
            Self::LowerLimit => {
                // 0 is no limit, so that it is the greatest value and not the smallest.
                compare(asked, own, |asked, own| own == 0.0 || (asked > 0.0 && asked <= own))
            }
            Self::TurnOff => read_switch(asked) != Some(true) || read_switch(own) == Some(true),
            Self::TurnOn => read_switch(asked) != Some(false) || read_switch(own) == Some(false),
            Self::Strengthen => {
                proof_of(asked).zip(proof_of(own)).is_none_or(|(asked, own)| asked >= own)
            }
            Self::Subset => is_subset(asked, own),
            Self::AllowList => {
                let is_any = |raw: &RawValue| words_of(raw).is_empty();
                // The empty list permits everything: asking for it would widen the user's list.
                is_any(own) || (!is_any(asked) && is_subset(asked, own))
            }
            Self::Grow | Self::NoModel | Self::Only(_) => true,
        }
    }

    /// Returns the end of the sentence "the repository may only …".
    pub(super) fn rule(self, own: Option<&RawValue>) -> String {
        let own = own.map(|own| words_of(own).join(",")).unwrap_or_default();
        match self {
            Self::Lower | Self::LowerLimit => format!("lower it, to at most {own}"),
            Self::TurnOff => "turn it off".to_owned(),
            Self::TurnOn => "turn it on".to_owned(),
            Self::Strengthen => format!("raise it, to at least `{own}`"),
            Self::Subset | Self::AllowList => format!("choose among `{own}`"),
            Self::Grow => "add entries".to_owned(),
            Self::NoModel => "choose `suggestions`".to_owned(),
            Self::Only(word) => format!("choose `{word}`"),
        }
    }
}

/// Returns the level of proof that a value names.
fn proof_of(raw: &RawValue) -> Option<ProofLevel> {
    text_of(raw).and_then(ProofLevel::from_word)
}

/// A value of the wrong kind is reported as such elsewhere, so it passes here.
fn compare(asked: &RawValue, own: &RawValue, fits: fn(f64, f64) -> bool) -> bool {
    number_of(asked).zip(number_of(own)).is_none_or(|(asked, own)| fits(asked, own))
}

/// Returns `true` if all words of the repository's list are in the user's own.
fn is_subset(asked: &RawValue, own: &RawValue) -> bool {
    let own = words_of(own);
    words_of(asked).iter().all(|word| own.contains(word))
}

/// Returns the number of a value; `None` if it is none.
#[expect(clippy::cast_precision_loss, reason = "settings are compared, not computed with")]
fn number_of(raw: &RawValue) -> Option<f64> {
    match raw {
        RawValue::Words(text) => text.replace('_', "").parse().ok(),
        RawValue::Integer(number) => Some(*number as f64),
        RawValue::Float(number) => Some(*number),
        _ => None,
    }
}

/// Returns a value as words, the same for all spellings of it.
pub(super) fn words_of(raw: &RawValue) -> Vec<String> {
    let split = |text: &str| {
        let words = text.split([',', '\n']).map(str::trim).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect()
    };
    if let Some(switch) = read_switch(raw) {
        return vec![switch.to_string()];
    }
    if let Some(number) = number_of(raw) {
        return vec![number.to_string()];
    }
    match raw {
        RawValue::Words(text) | RawValue::Text(text) => split(text),
        RawValue::List(items) => {
            items.iter().map(|item| item.trim().to_ascii_lowercase()).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_of_the_repositorys_choice_stays_inside_and_off_what_others_act_on() {
        let xml: OutputForm = OutputForm::File(&[".xml"]);
        for (text, output) in [
            ("reports/junit.xml", xml),
            ("./junit.xml", xml),
            (".papa-yu/reports/junit.xml", xml),
            ("out/", OutputForm::Results),
            (".papa-yu/traces", OutputForm::Folder),
        ] {
            assert!(output_path(text, output).is_ok(), "{text}");
        }
        for (text, output) in [
            ("/etc/junit.xml", xml),
            ("../junit.xml", xml),
            ("a/../../junit.xml", xml),
            ("~/junit.xml", xml),
            ("conftest.py", xml),
            (".git/hooks/x.xml", xml),
            ("a/.GIT/x.xml", xml),
            (".gıt/x.xml", OutputForm::File(&[".toml"])),
            (".github/workflows/x.xml", xml),
            (".papa-yu/journal/x.xml", xml),
            (".papa-yu", OutputForm::Results),
            ("", OutputForm::Folder),
            (".", OutputForm::Results),
        ] {
            assert!(output_path(text, output).is_err(), "{text}");
        }
    }

    #[test]
    fn a_repository_is_trusted_by_an_absolute_path_or_pattern() {
        let listed = |pattern: &str| is_listed(&[pattern.to_owned()], Path::new("/home/u/work/a"));
        for pattern in ["/home/u/work/a", "/home/u/work/a/", "/home/u/work/*", "/home/u/**"] {
            assert!(listed(pattern), "{pattern}");
        }
        for pattern in ["a", "work/a", "**", "*", "/home/u/*", "/home/u/work/../work/a", "", "/"] {
            assert!(!listed(pattern), "{pattern}");
        }
    }
}
