//! Finds the known name nearest to a mistyped one.

/// Returns the nearest of `known`, unless nothing is near. A dotted name's last part is compared
/// too, so that `model` leads to `llm.model`.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A third of the letters may differ; more is no typing mistake.
    nearest_within(name, known, name.chars().count() / 3 + 1)
}

/// Returns the nearest of `known` that differs in at most `limit` letters.
pub(super) fn nearest_within<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Option<&'a str> {
    let distance = |candidate: &str| {
        let last = candidate.rsplit('.').next().unwrap_or(candidate);
        let full = strsim::damerau_levenshtein(name, candidate);
        full.min(strsim::damerau_levenshtein(name, last).saturating_add(1))
    };
    known
        .into_iter()
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_key_and_nonsense_finds_none() {
        let known = ["llm.model", "llm.api_url", "run.max_attempts", "PAPAYU_LLM_MODEL"];
        for (name, expected) in [
            ("llm.modle", Some("llm.model")),
            ("model", Some("llm.model")),
            ("max_atempts", Some("run.max_attempts")),
            ("PAPAYU_LLM_MODLE", Some("PAPAYU_LLM_MODEL")),
            ("llm", None),
            ("completely_different", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }
}
