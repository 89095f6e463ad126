//! Chooses the paragraphs of a page that fit a query.

use std::cmp::Reverse;

use super::query::SafeQuery;

/// Returns the paragraphs with the most words of the query, in the order of the page, with at most `max_chars`
/// characters. A paragraph longer than half of that is cut.
pub(super) fn choose_paragraphs(text: &str, query: &SafeQuery, max_chars: usize) -> String {
    let keywords = query.keywords();
    let paragraphs: Vec<&str> =
        text.split("\n\n").map(str::trim_end).filter(|it| !it.trim().is_empty()).collect();
    let score = |paragraph: &str| {
        let paragraph = paragraph.to_lowercase();
        keywords.iter().filter(|word| paragraph.contains(word.as_str())).count()
    };
    let mut ranked: Vec<(usize, &str)> = paragraphs.iter().copied().enumerate().collect();
    // The sort is stable: of equal paragraphs the first one of the page is the better one.
    ranked.sort_by_cached_key(|(_, paragraph)| Reverse(score(paragraph)));
    let mut left = max_chars;
    let mut chosen: Vec<(usize, &str)> = Vec::new();
    for (index, paragraph) in ranked {
        let cut = papayu_base::text::first_chars(paragraph, max_chars / 2);
        let size = cut.chars().count() + 2;
        if size <= left {
            left -= size;
            chosen.push((index, cut));
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|(_, paragraph)| paragraph).collect::<Vec<_>>().join("\n\n")
}
