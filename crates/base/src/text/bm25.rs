//! The ranking of texts for the words of a query by Okapi BM25 (Robertson and Zaragoza, 2009).
#![expect(
    clippy::cast_precision_loss,
    reason = "a score needs no more than seven digits of a count"
)]

/// Saturation of repeated words: the usual parameter of BM25.
const K1: f32 = 1.2;

/// The words of a query in one text.
#[derive(Clone, Debug, Default)]
pub struct WordCounts {
    /// The occurrences of each word of the query; empty if the text has none of them.
    pub counts: Vec<u32>,
    /// The number of all words of the text.
    pub length: u32,
}

impl WordCounts {
    fn count(&self, word: usize) -> u32 {
        self.counts.get(word).copied().unwrap_or_default()
    }
}

/// The effect of a text's length on its score.
#[derive(Clone, Copy, Debug)]
pub struct LengthPenalty {
    /// From 0, not at all, to 1, in proportion; the parameter `b` of BM25.
    pub share: f32,
    /// The least length of a text in means; shorter texts count as this long.
    pub least: f32,
}

/// Returns the score of each text, in order; 0 for a text without a word of the query.
///
/// `weights` has the weight of each word in the query, in the order of the counts; words of weight 0 are ignored.
pub fn score_texts(texts: &[WordCounts], weights: &[f32], penalty: LengthPenalty) -> Vec<f32> {
    let all = texts.len() as f32;
    let length: u64 = texts.iter().map(|text| u64::from(text.length)).sum();
    let mean = (length as f32 / all.max(1.0)).max(1.0);
    let asked = weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
    let worths: Vec<(usize, f32)> = asked
        .map(|(word, weight)| {
            let having = texts.iter().filter(|text| text.count(word) > 0).count() as f32;
            // The inverse document frequency of Lucene, which is never negative.
            (word, weight * (1.0 + (all - having + 0.5) / (having + 0.5)).ln())
        })
        .collect();
    let score_text = |text: &WordCounts| {
        let relative = (text.length as f32 / mean).max(penalty.least);
        let damped = K1 * (1.0 - penalty.share + penalty.share * relative);
        worths.iter().map(|(word, worth)| score_word(text.count(*word), *worth, damped)).sum()
    };
    texts.iter().map(score_text).collect()
}

fn score_word(count: u32, worth: f32, damped: f32) -> f32 {
    let count = count as f32;
    worth * count * (K1 + 1.0) / (count + damped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(texts: &[(u32, u32, u32)], weights: [f32; 2], least: f32) -> Vec<usize> {
        let text = |(length, one, two): &(u32, u32, u32)| WordCounts {
            counts: vec![*one, *two],
            length: *length,
        };
        let texts: Vec<WordCounts> = texts.iter().map(text).collect();
        let scores = score_texts(&texts, &weights, LengthPenalty { share: 0.75, least });
        let mut order: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
        order
    }

    #[test]
    fn rare_words_short_texts_and_repetition_count_more() {
        assert_eq!(ranks(&[(9, 1, 0), (9, 1, 1), (9, 1, 0)], [1.0, 1.0], 0.0), [1, 0, 2]);
        assert_eq!(ranks(&[(90, 1, 0), (9, 1, 0), (9, 2, 0)], [1.0, 1.0], 0.0), [2, 1, 0]);
        assert_eq!(ranks(&[(9, 1, 0), (9, 0, 1)], [1.0, 3.0], 0.0), [1, 0]);
    }

    #[test]
    fn words_of_no_weight_and_texts_without_words_count_nothing() {
        assert_eq!(ranks(&[(9, 0, 5), (0, 0, 0)], [1.0, 0.0], 0.0), Vec::<usize>::new());
        assert_eq!(ranks(&[], [1.0, 1.0], 1.0), Vec::<usize>::new());
        let bare = [WordCounts { counts: Vec::new(), length: 7 }];
        let scores = score_texts(&bare, &[1.0], LengthPenalty { share: 1.0, least: 1.0 });
        assert!(scores.iter().all(|score| *score <= 0.0) && scores.len() == 1);
    }

    #[test]
    fn texts_below_the_least_length_count_as_equally_long() {
        assert_eq!(ranks(&[(9, 1, 0), (2, 1, 0)], [1.0, 0.0], 0.0), [1, 0]);
        assert_eq!(ranks(&[(9, 1, 0), (2, 1, 0)], [1.0, 0.0], 9.0), [0, 1]);
    }
}
