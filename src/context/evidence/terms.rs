//! The words of texts and how much each counts in a question: identifiers whole and by their parts.

use std::collections::HashMap;

use papayu_base::text::each_identifier;

/// Words that occur in every log, test or source and distinguish nothing.
const NOISE: &str = " the and for with that this from not but are was were has have had its into when then than \
    should would could must will can does did been being over under more most less least some any all each other \
    such only same also just like use used using get got let var const def func function return returns returned \
    fn pub mut impl self cls new true false null none nil undefined void int str string number bool boolean float \
    object array list dict map test tests testing tested expect expected expects actual assert asserts asserted \
    assertion assertionerror error errors err fail failed fails failing failure failures pass passed passing \
    received tobe toequal equal equals equality strict describe import imports imported export exports require \
    module modules package line lines file files src lib main index case cases class struct type types value \
    values name names result results run running async await try catch throw throws raise panic panicked goroutine \
    thread called call calls key keys data args kwargs param params one two first last left right else elif while \
    match end begin start stdout stderr note help warning warn info debug trace stack https http www com org github \
    home runner work tmp usr node internal process python pytest jest vitest mocha cargo rustc recent traceback \
    short summary session platform plugins collected skipped duration suites total snapshots time ran matching \
    root where which what who how why because before after again still here there ";

/// The hash of a word.
pub type Term = u64;

/// Calls `take` with every term of a text: each identifier as a whole, then its parts if it has
/// several. Numbers are no terms.
pub fn each_term(text: &str, take: &mut dyn FnMut(Term, bool)) {
    each_identifier(text, &mut |identifier| {
        let letters = identifier.letters();
        if letters.iter().all(char::is_ascii_digit) {
            return;
        }
        emit_term(letters, true, take);
        let parts = identifier.parts();
        if parts.len() > 1 {
            parts.for_each(|part| emit_term(part, false, take));
        }
    });
}

/// Passes a term on unless it is too short to mean something.
fn emit_term(letters: &[char], whole: bool, take: &mut dyn FnMut(Term, bool)) {
    if letters.len() >= 3 || letters.iter().any(|c| !c.is_ascii()) {
        take(hash_letters(letters.iter().copied()), whole);
    }
}

/// FNV-1a over the small letters, a plural's `s` off: the same on every machine.
fn hash_letters(letters: impl ExactSizeIterator<Item = char>) -> Term {
    let count = letters.len();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for (letter, at) in letters.zip(1..) {
        let small = letter.to_lowercase().next().unwrap_or(letter);
        if !(at == count && count > 3 && small == 's') {
            hash = (hash ^ u64::from(u32::from(small))).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

/// Returns the term of one word, as [`each_term`] reports it.
pub fn hash_term(word: &str) -> Term {
    let letters: Vec<char> = word.chars().filter(|c| c.is_alphanumeric()).collect();
    hash_letters(letters.into_iter())
}

/// The words of a query with their weights.
#[derive(Clone, Debug)]
pub struct WeightedQuery {
    weights: HashMap<Term, f32>,
    noise: std::collections::HashSet<Term>,
}

impl Default for WeightedQuery {
    fn default() -> Self {
        Self { weights: HashMap::new(), noise: NOISE.split_whitespace().map(hash_term).collect() }
    }
}

impl WeightedQuery {
    /// Adds the words of a text with a weight above 0. A word keeps its highest weight; parts of identifiers
    /// get half.
    pub fn add(&mut self, text: &str, weight: f32) {
        let (weights, noise) = (&mut self.weights, &self.noise);
        each_term(text, &mut |term, whole| {
            if !noise.contains(&term) {
                let weight = if whole { weight } else { weight / 2.0 };
                let held = weights.entry(term).or_default();
                *held = held.max(weight);
            }
        });
    }

    /// Returns the weight of a word; 0 if it is not in the query.
    pub fn weight(&self, term: Term) -> f32 {
        self.weights.get(&term).copied().unwrap_or_default()
    }

    /// Returns true for words that occur in every log, test or source.
    pub fn is_noise(&self, term: Term) -> bool {
        self.noise.contains(&term)
    }

    /// Returns the words with their weights, sorted.
    pub fn sorted_words(&self) -> Vec<(Term, f32)> {
        let mut words: Vec<(Term, f32)> =
            self.weights.iter().map(|(term, weight)| (*term, *weight)).collect();
        words.sort_unstable_by_key(|(term, _)| *term);
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(Term, bool)> {
        let mut found = Vec::new();
        each_term(text, &mut |term, whole| found.push((term, whole)));
        found
    }

    #[test]
    fn a_name_is_found_however_it_is_spelled() {
        let same = [hash_term("inlinetable"), hash_term("inline"), hash_term("table")];
        for spelled in
            ["inline_table", "inlineTable", "InlineTables", "INLINE_TABLE", "$inline_table"]
        {
            let found: Vec<Term> = words(spelled).into_iter().map(|(term, _)| term).collect();
            assert_eq!(found, same, "{spelled}");
        }
        assert_eq!(words("HTTPServer")[1].0, hash_term("http"));
        assert_eq!(words("12 a1 _ 0x1f 3_000").len(), 1);
    }

    #[test]
    fn hostile_texts_are_read_in_one_pass() {
        assert_eq!(words(&"a".repeat(1_000_000)), []);
        assert_eq!(words("\u{0}\u{7f}\r\n"), []);
        assert_eq!(words("привет").len(), 1);
    }

    #[test]
    fn a_word_counts_by_its_weightiest_place_and_noise_counts_nothing() {
        let mut query = WeightedQuery::default();
        query.add("expected Decor", 1.0);
        query.add("decor_of", 3.0);
        let twice = |word: &str| (query.weight(hash_term(word)) * 2.0).to_string();
        assert_eq!([twice("decor"), twice("expected")], ["3", "0"]);
    }
}
