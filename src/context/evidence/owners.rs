//! The likeness of a class to the text that uses one of its methods, where several classes have the method.

use std::collections::BTreeSet;

use super::terms::{Term, WeightedQuery, each_term, hash_term};

/// The likeness of a class of which only the last word is in the line: `EnvironHeaders` for `headers`.
const LAST_WORD: f32 = 0.7;

/// The likeness of a class with words that are only in the failure or its tests.
const QUERY_SHARE: f32 = 0.6;

/// Returns the terms of a line, with the parts of identifiers.
pub fn line_terms(line: &str) -> BTreeSet<Term> {
    let mut terms = BTreeSet::new();
    each_term(line, &mut |term, _| {
        terms.insert(term);
    });
    terms
}

/// Returns how likely a line means a class, from 0 to 1: by the names in the line, else by the share of the
/// words of the class that the failure names.
pub fn owner_likeness(owner: &str, line: &BTreeSet<Term>, query: &WeightedQuery) -> f32 {
    if line.contains(&hash_term(owner)) {
        return 1.0;
    }
    let (mut last, mut count, mut known) = (None, 0_u16, 0_u16);
    each_term(owner, &mut |term, is_whole| {
        if !is_whole || last.is_none() {
            last = Some(term);
        }
        if !is_whole {
            count += 1;
            known += u16::from(query.weight(term) > 0.0 || line.contains(&term));
        }
    });
    if count == 0 {
        return if query.weight(hash_term(owner)) > 0.0 { QUERY_SHARE } else { 0.0 };
    }
    let by_query = QUERY_SHARE * f32::from(known) / f32::from(count);
    if last.is_some_and(|last| line.contains(&last)) { LAST_WORD.max(by_query) } else { by_query }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_that_the_line_names_comes_before_one_that_the_failure_names() {
        let mut query = WeightedQuery::default();
        query.add("set_value_on_out_of_order_table", 2.0);
        let likeness = |owner, line| owner_likeness(owner, &line_terms(line), &query);
        let line = "assert str(request.headers) == text";
        assert!(likeness("Headers", line) > likeness("EnvironHeaders", line));
        assert!(likeness("EnvironHeaders", line) > likeness("Accept", line));
        let line = r#"doc["x"]["c"] = 3"#;
        assert!(likeness("OutOfOrderTableProxy", line) > likeness("Container", line));
    }
}
