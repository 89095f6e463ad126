//! Estimates the class of an error that no rule knows, from the words that it shares with classified messages.
//!
//! The model is a logistic regression over words and pairs of words. It is trained when it is first needed, which takes
//! milliseconds, from the messages in `messages.tsv` and the samples of the rules: to correct an estimate, add a message.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use papayu_base::domain::{Failure, FailureClass};

use super::rules::RULES;

/// The messages, one a line: the class, a tab, the message.
const MESSAGES: &str = include_str!("messages.tsv");

/// The classes that are estimated.
const CLASSES: [FailureClass; 4] = [
    FailureClass::Code,
    FailureClass::Dependency,
    FailureClass::Environment,
    FailureClass::Infrastructure,
];

/// Failures with messages that are read, lines of each message and characters of each line.
const FAILURES: usize = 2;
const LINES: usize = 2;
const LINE_CHARS: usize = 300;

/// Characters of a word that count, so that its forms are one word.
const STEM: usize = 7;

/// Fewest known words and pairs of words of a message with a class.
const MIN_WORDS: usize = 4;

/// Passes over the messages, and the size of the first steps.
// More passes do not change the estimates of messages that are left out.
const PASSES: u16 = 40;
const STEP: f32 = 8.0;

/// The highest weight of a class with few messages.
const MAX_SHARE: f32 = 3.0;

/// The class of an error and the probability that the model gives to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    pub(super) class: FailureClass,
    pub(super) probability: f32,
}

/// Returns the likely class of the failures. `None` if their messages share few words with the known ones.
pub(super) fn estimate_class(failures: &[Failure]) -> Option<Estimate> {
    static MODEL: LazyLock<WordModel> = LazyLock::new(|| WordModel::train(&known_messages()));
    let texts = failures.iter().take(FAILURES).map(|failure| {
        let lines = failure.message.lines().take(LINES);
        lines.flat_map(|line| line.chars().take(LINE_CHARS).chain([' '])).collect::<String>()
    });
    MODEL.estimate(&texts.collect::<Vec<_>>().join("\n"))
}

/// The classified messages and the samples of the rules.
fn known_messages() -> Vec<(&'static str, FailureClass)> {
    let messages = MESSAGES.lines().filter_map(|line| {
        let (class, message) = line.split_once('\t')?;
        Some((message, CLASSES.into_iter().find(|known| known.name() == class)?))
    });
    let samples = RULES.iter().map(|rule| (rule.sample.as_str(), rule.class));
    messages.chain(samples.filter(|(_, class)| CLASSES.contains(class))).collect()
}

/// The words of the messages and their weights.
struct WordModel {
    numbers: BTreeMap<String, usize>,
    words: Vec<WordWeights>,
    /// The rarity of a word that is in no message.
    rarest: f32,
}

/// The rarity of a word, and its weight for each class.
struct WordWeights {
    rarity: f32,
    weights: [f32; CLASSES.len()],
}

impl WordModel {
    fn train(messages: &[(&str, FailureClass)]) -> Self {
        let mut model = Self {
            numbers: BTreeMap::new(),
            words: Vec::new(),
            rarest: as_number(messages.len()).ln() + 1.0,
        };
        let mut samples = Vec::new();
        let total = as_number(messages.len());
        for (text, class) in messages {
            let words: Vec<_> =
                read_words(text).into_iter().map(|word| model.count(word)).collect();
            // Classes with few messages count as much as the others.
            let own = messages.iter().filter(|(_, other)| other == class).count();
            let share = (total / as_number(CLASSES.len() * own)).min(MAX_SHARE);
            samples.push((words, *class, share));
        }
        for word in &mut model.words {
            word.rarity = (total / word.rarity).ln() + 1.0;
        }
        for pass in 0..PASSES {
            for (words, class, share) in &samples {
                model.learn(words, *class, share * STEP / (1.0 + f32::from(pass)));
            }
        }
        model
    }

    /// Counts a message with the word, and returns the word's number.
    fn count(&mut self, word: String) -> usize {
        let next = self.words.len();
        let number = *self.numbers.entry(word).or_insert(next);
        if number == next {
            self.words.push(WordWeights { rarity: 0.0, weights: [0.0; CLASSES.len()] });
        }
        if let Some(word) = self.words.get_mut(number) {
            word.rarity += 1.0;
        }
        number
    }

    /// Moves the weights of the words towards the class.
    fn learn(&mut self, words: &[usize], class: FailureClass, step: f32) {
        let Some((chances, length)) = self.chances(words, 0.0) else { return };
        for number in words {
            let Some(word) = self.words.get_mut(*number) else { continue };
            for ((weight, chance), known) in word.weights.iter_mut().zip(chances).zip(CLASSES) {
                let wanted = if known == class { 1.0 } else { 0.0 };
                *weight += step * (wanted - chance) * word.rarity / length;
            }
        }
    }

    /// Returns the probability of each class, and the length of the vector of words, to which unknown words add the
    /// square `rest`: they make the classes alike. `None` if there is no known word.
    fn chances(&self, numbers: &[usize], rest: f32) -> Option<([f32; CLASSES.len()], f32)> {
        let words: Vec<&WordWeights> =
            numbers.iter().filter_map(|at| self.words.get(*at)).collect();
        let length = words.iter().map(|word| word.rarity * word.rarity).sum::<f32>();
        let length = (length + rest).sqrt();
        let mut scores = [0.0_f32; CLASSES.len()];
        for word in &words {
            for (score, weight) in scores.iter_mut().zip(word.weights) {
                *score += weight * word.rarity / length;
            }
        }
        let highest = scores.iter().copied().fold(f32::MIN, f32::max);
        let powers = scores.map(|score| (score - highest).exp());
        let sum: f32 = powers.iter().sum();
        (!words.is_empty()).then(|| (powers.map(|power| power / sum), length))
    }

    fn estimate(&self, text: &str) -> Option<Estimate> {
        let words = read_words(text);
        let known: Vec<usize> =
            words.iter().filter_map(|word| self.numbers.get(word).copied()).collect();
        // Few words fit any class.
        if known.len() < MIN_WORDS {
            return None;
        }
        let rest = as_number(words.len() - known.len()) * self.rarest * self.rarest;
        let (chances, _) = self.chances(&known, rest)?;
        let rows = CLASSES.into_iter().zip(chances);
        let best = rows.max_by(|(_, left), (_, right)| left.total_cmp(right));
        best.map(|(class, probability)| Estimate { class, probability })
    }
}

/// Returns the stems of the words of a text and its pairs of neighbours. URLs, paths and numbers are one word each;
/// codes of HTTP are two.
fn read_words(text: &str) -> BTreeSet<String> {
    let mut stems: Vec<String> = Vec::new();
    for token in text.split_whitespace() {
        if token.contains("://") {
            stems.push("URL".to_owned());
        } else if token.contains('/') {
            stems.push("PATH".to_owned());
        } else {
            push_stems(token, &mut stems);
        }
    }
    let pairs = stems.windows(2).map(|pair| pair.join(" "));
    pairs.chain(stems.iter().cloned()).collect()
}

/// Adds the stems of the words of a token, which are divided by signs, digits and capitals.
fn push_stems(token: &str, stems: &mut Vec<String>) {
    for part in token.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()) {
        if part.chars().all(|c| c.is_ascii_digit()) {
            let is_code = part.len() == 3;
            let stem = match part.as_bytes().first() {
                Some(b'4') if is_code => "4XX",
                Some(b'5') if is_code => "5XX",
                _ => "NUMBER",
            };
            stems.push(stem.to_owned());
            continue;
        }
        let mut word = String::new();
        let mut was_lower = false;
        for c in part.chars().filter(|c| c.is_alphabetic()) {
            if c.is_uppercase() && was_lower && !word.is_empty() {
                stems.push(cut_stem(&word));
                word.clear();
            }
            was_lower = c.is_lowercase();
            word.extend(c.to_lowercase());
        }
        if !word.is_empty() {
            stems.push(cut_stem(&word));
        }
    }
}

/// Returns a count as a number with a fraction; counts above 65,535 do not occur.
fn as_number(count: usize) -> f32 {
    u16::try_from(count).unwrap_or(u16::MAX).into()
}

fn cut_stem(word: &str) -> String {
    word.chars().take(STEM).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::classify::LIKELY;

    /// Each tenth of the messages is estimated by a model that was trained with the others.
    #[test]
    fn messages_that_the_model_has_not_seen_get_their_class() {
        let known = known_messages();
        let (mut sure, mut right) = (0, 0);
        for fold in 0..10 {
            let (test, train): (Vec<_>, Vec<_>) =
                known.iter().enumerate().partition(|(at, _)| at % 10 == fold);
            let train: Vec<_> = train.into_iter().map(|(_, row)| *row).collect();
            let model = WordModel::train(&train);
            for (_, (text, class)) in test {
                let found = model.estimate(text).filter(|found| found.probability >= LIKELY);
                sure += usize::from(found.is_some());
                right += usize::from(found.is_some_and(|found| found.class == *class));
            }
        }
        assert!(sure * 100 > known.len() * 70, "{sure} of {} get a class", known.len());
        assert!(right * 100 > sure * 90, "{right} of {sure} are right");
    }
}
