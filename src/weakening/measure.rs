//! What is counted: the occurrences of one file, before or after.

/// Something that stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The rule, in words that end a sentence beginning with the path.
    pub(super) rule: &'static str,
    /// What stands there; equal ones net out.
    pub(super) key: String,
    /// From 1.
    pub(super) line: usize,
}

impl Mark {
    pub(super) fn new(rule: &'static str, key: impl Into<String>, line: usize) -> Self {
        Self { rule, key: key.into(), line }
    }
}

/// Returns those of `these` that are more than in `those`, by rule and key, the last ones first found.
pub(super) fn surplus<'a, 'b>(
    these: impl IntoIterator<Item = &'a Mark>,
    those: impl IntoIterator<Item = &'b Mark>,
) -> Vec<&'a Mark> {
    let mut known: std::collections::HashMap<(&str, &str), usize> =
        std::collections::HashMap::new();
    for mark in those {
        *known.entry((mark.rule, mark.key.as_str())).or_default() += 1;
    }
    let mut more = Vec::new();
    for mark in these {
        match known.get_mut(&(mark.rule, mark.key.as_str())) {
            Some(left) if *left > 0 => *left -= 1,
            _ => more.push(mark),
        }
    }
    more
}
