//! The order of versions: that of semantic versions, and one for all others.

use std::cmp::Ordering;

/// Words before a release, the earliest first, as PEP 440 and Maven order them.
const BEFORE: [&[&str]; 6] = [
    &["dev"],
    &["a", "alpha"],
    &["b", "beta"],
    &["m", "milestone"],
    &["c", "cr", "pre", "preview", "rc"],
    &["snapshot"],
];

/// Words that mean the release itself.
const RELEASE: [&str; 3] = ["final", "ga", "release"];

/// Returns the order of two semantic versions; `None` if one of them is none. Build metadata does not count.
pub(super) fn compare_semver(one: &str, other: &str) -> Option<Ordering> {
    Some(parse_semver(one)?.cmp_precedence(&parse_semver(other)?))
}

fn parse_semver(text: &str) -> Option<semver::Version> {
    semver::Version::parse(text.strip_prefix('v').unwrap_or(text)).ok()
}

/// Returns the order of two versions of pip or Maven.
///
/// The rule is the part that PEP 440 and Maven's `ComparableVersion` have in common. A version is a list of numbers and
/// words; separators only divide it. Words of [`BEFORE`] come before the release, other words (`post`, `jre`, `sp`) after
/// it, and a number after both. A missing number is zero. An epoch (`1!2.0`) counts first, and a local part (`+cpu`) not.
pub(super) fn compare_plain(one: &str, other: &str) -> Ordering {
    let (one, other) = (split_epoch(one), split_epoch(other));
    let by_epoch = compare_numbers(one.0, other.0);
    by_epoch.then_with(|| compare_parts(&split_parts(one.1), &split_parts(other.1)))
}

fn split_epoch(text: &str) -> (&str, &str) {
    let text = text.split('+').next().unwrap_or_default();
    text.split_once('!').unwrap_or(("0", text))
}

/// One part of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
enum VersionPart {
    Number(String),
    Word(String),
}

/// Splits a version into numbers and words: `1.2-rc1` is 1, 2, `rc`, 1.
fn split_parts(text: &str) -> Vec<VersionPart> {
    let text = text.to_ascii_lowercase();
    let text = text.strip_prefix('v').unwrap_or(&text);
    let mut parts: Vec<VersionPart> = Vec::new();
    let mut is_new = true;
    for char in text.chars() {
        match parts.last_mut() {
            _ if !char.is_ascii_alphanumeric() => {
                is_new = true;
                continue;
            }
            Some(VersionPart::Number(digits)) if !is_new && char.is_ascii_digit() => {
                digits.push(char);
            }
            Some(VersionPart::Word(word)) if !is_new && !char.is_ascii_digit() => word.push(char),
            _ if char.is_ascii_digit() => parts.push(VersionPart::Number(char.into())),
            _ => parts.push(VersionPart::Word(char.into())),
        }
        is_new = false;
    }
    parts
}

/// Compares versions part by part; a missing part is equal to zero.
fn compare_parts(one: &[VersionPart], other: &[VersionPart]) -> Ordering {
    let pairs = (0..one.len().max(other.len())).map(|at| (one.get(at), other.get(at)));
    let mut orders = pairs.map(|(one, other)| {
        let (one_rank, other_rank) = (rank_part(one), rank_part(other));
        one_rank.cmp(&other_rank).then_with(|| match (one, other) {
            (Some(VersionPart::Number(one)), Some(VersionPart::Number(other))) => {
                compare_numbers(one, other)
            }
            (Some(VersionPart::Word(one)), Some(VersionPart::Word(other)))
                if one_rank > RANK_OF_RELEASE =>
            {
                one.cmp(other)
            }
            _ => Ordering::Equal,
        })
    });
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// The rank of the release itself; lower ones come before it.
const RANK_OF_RELEASE: usize = BEFORE.len();

/// Returns the rank of a part: words before a release first, then the release (nothing, zero, or a word for
/// it), other words, and numbers.
fn rank_part(part: Option<&VersionPart>) -> usize {
    match part {
        None => RANK_OF_RELEASE,
        Some(VersionPart::Number(digits)) if digits.bytes().all(|digit| digit == b'0') => {
            RANK_OF_RELEASE
        }
        Some(VersionPart::Number(_)) => RANK_OF_RELEASE + 2,
        Some(VersionPart::Word(word)) if RELEASE.contains(&word.as_str()) => RANK_OF_RELEASE,
        Some(VersionPart::Word(word)) => BEFORE
            .iter()
            .position(|words| words.contains(&word.as_str()))
            .unwrap_or(RANK_OF_RELEASE + 1),
    }
}

/// Numbers may be longer than any integer: dates are versions, too.
fn compare_numbers(one: &str, other: &str) -> Ordering {
    let (one, other) = (one.trim_start_matches('0'), other.trim_start_matches('0'));
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_versions_are_ordered_as_pep_440_and_maven_order_them() {
        let ascending = [
            "0.9", "1.0.dev1", "1.0a1.dev1", "1.0a1", "1.0-alpha-2", "1.0b2", "1.0-M1", "1.0rc1",
            "1.0-SNAPSHOT", "1.0", "1.0.post1", "1.0.1", "1.2", "1.10",
            "1.10.20260101000000000000000", "31.1-jre", "32.0.0-jre", "1!0.1",
        ];
        for (at, one) in ascending.iter().enumerate() {
            for (beyond, other) in ascending.iter().enumerate() {
                assert_eq!(compare_plain(one, other), at.cmp(&beyond), "{one} {other}");
            }
        }
    }

    #[test]
    fn spellings_of_one_version_are_equal() {
        for (one, other) in [
            ("1.0", "1.0.0"),
            ("1.0", "v1"),
            ("1.0.RELEASE", "1.0"),
            ("1.0.Final", "1.0-ga"),
            ("1.0rc1", "1.0-RC1"),
            ("1.0+cpu", "1.0"),
            ("1.01", "1.1"),
        ] {
            assert_eq!(compare_plain(one, other), Ordering::Equal, "{one} {other}");
        }
    }

    #[test]
    fn semantic_versions_follow_their_own_rule() {
        for (one, other, order) in [
            ("1.0.0-rc.2", "1.0.0", Ordering::Less),
            ("1.0.0-rc.10", "1.0.0-rc.2", Ordering::Greater),
            ("v1.2.3+incompatible", "1.2.3", Ordering::Equal),
            ("v0.0.0-20200101000000-abcdef", "0.0.1", Ordering::Less),
        ] {
            assert_eq!(compare_semver(one, other), Some(order), "{one} {other}");
        }
        assert_eq!(compare_semver("1.0", "1.0.0"), None);
    }
}
