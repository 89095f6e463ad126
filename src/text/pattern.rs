//! A regular expression that is compiled when it is first held against a text, and only as well as the text needs.
//!
//! The tables of this program hold some hundreds of them, and one run needs a few, most on some lines: compiling all,
//! or those few for texts of megabytes, would take longer than everything else that a run does by itself.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use regex_automata::meta::{Config, Regex};
use regex_automata::util::captures;
use regex_automata::{Anchored, Input, Span};

/// What `\w` stands for here: what names are made of in ASCII, and the blocks of letters beyond it, without those
/// of punctuation, arrows, boxes and pictures.
const LETTER: &str = r"[0-9A-Za-z_\x{C0}-\x{1FFF}\x{2C00}-\x{2DFF}\x{3040}-\x{D7FF}\x{F900}-\x{FDFF}\x{10000}-\x{1EFFF}]";
/// What `\d` stands for here.
const DIGIT: &str = "[0-9]";
/// So many bytes are searched without automata: building them takes as long.
const FEW: usize = 16 * 1024;

/// The number of runs that this process has begun.
static RUN: AtomicUsize = AtomicUsize::new(0);

/// Says that a run begins, and has all patterns count anew, those of runs that go on too: that a thousand runs had
/// a line each for one is no reason to build its automata, which every thread that uses them has memory for.
pub fn another_run() {
    RUN.fetch_add(1, Ordering::Relaxed);
}

/// The source of an expression, and the expression once it was needed.
#[derive(Debug)]
pub struct Pattern {
    source: Cow<'static, str>,
    /// How many bytes were held against it since which run began.
    searched: AtomicUsize,
    run: AtomicUsize,
    /// Compiled in a fifth of the time, and slower on long texts.
    light: OnceLock<Option<Regex>>,
    full: OnceLock<Option<Regex>>,
}

/// A match and its groups.
#[derive(Debug)]
pub struct Found<'t> {
    text: &'t str,
    groups: captures::Captures,
}

/// A part of a text.
#[derive(Clone, Copy, Debug)]
pub struct Part<'t> {
    text: &'t str,
    span: Span,
}

impl Pattern {
    /// Takes the source of a table's row.
    pub const fn new(source: &'static str) -> Self {
        Self::with(Cow::Borrowed(source))
    }

    /// Takes a source that was read.
    pub const fn of(source: String) -> Self {
        Self::with(Cow::Owned(source))
    }

    const fn with(source: Cow<'static, str>) -> Self {
        let (searched, run) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { source, searched, run, light: OnceLock::new(), full: OnceLock::new() }
    }

    /// Tells whether the source is an expression, in which `\w` and `\d` are quicker classes; what is none matches
    /// nothing, and a test of each table excludes it.
    pub fn is_valid(&self) -> bool {
        self.light.get_or_init(|| self.build(light())).is_some()
    }

    /// Tells whether the text has a match.
    pub fn is_match(&self, text: &str) -> bool {
        self.engine(text).is_some_and(|it| it.is_match(text))
    }

    /// Returns the first match.
    pub fn find<'t>(&self, text: &'t str) -> Option<Part<'t>> {
        let span = self.engine(text)?.find(text)?.span();
        Some(Part { text, span })
    }

    /// Returns every match.
    pub fn find_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Part<'t>> {
        let all = self.engine(text).map(|it| it.find_iter(text));
        all.into_iter().flatten().map(move |found| Part { text, span: found.span() })
    }

    /// Returns the first match with its groups.
    pub fn captures<'t>(&self, text: &'t str) -> Option<Found<'t>> {
        let engine = self.engine(text)?;
        // Most texts have none; and where it is known where the match stands, its groups are looked for only there.
        let place = Input::new(text).span(engine.find(text)?.span()).anchored(Anchored::Yes);
        let mut groups = engine.create_captures();
        engine.search_captures(&place, &mut groups);
        Some(Found { text, groups })
    }

    /// Returns every match with its groups.
    pub fn captures_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Found<'t>> {
        let all = self.engine(text).map(|it| it.captures_iter(text));
        all.into_iter().flatten().map(move |groups| Found { text, groups })
    }

    /// Returns the text with each match as `with` says it.
    pub fn replace_all<'t>(
        &self,
        text: &'t str,
        with: impl Fn(&Found<'_>) -> String,
    ) -> Cow<'t, str> {
        let mut replaced: Option<String> = None;
        let mut end = 0;
        for found in self.captures_iter(text) {
            let Some(all) = found.get(0) else { continue };
            let replaced = replaced.get_or_insert_default();
            replaced.push_str(text.get(end..all.start()).unwrap_or_default());
            replaced.push_str(&with(&found));
            end = all.end();
        }
        match replaced {
            Some(replaced) => Cow::Owned(replaced + text.get(end..).unwrap_or_default()),
            None => Cow::Borrowed(text),
        }
    }

    fn engine(&self, text: &str) -> Option<&Regex> {
        if let Some(full) = self.full.get() {
            return full.as_ref();
        }
        let run = RUN.load(Ordering::Relaxed);
        if self.run.load(Ordering::Relaxed) != run {
            self.run.store(run, Ordering::Relaxed);
            self.searched.store(0, Ordering::Relaxed);
        }
        let searched = self.searched.fetch_add(text.len(), Ordering::Relaxed);
        if searched.saturating_add(text.len()) > FEW {
            return self.full.get_or_init(|| self.build(Config::new())).as_ref();
        }
        self.light.get_or_init(|| self.build(light())).as_ref()
    }

    fn build(&self, config: Config) -> Option<Regex> {
        Regex::builder().configure(config).build(&quick(&self.source)).ok()
    }
}

fn light() -> Config {
    Config::new().onepass(false).hybrid(false).dfa(false)
}

impl<'t> Found<'t> {
    /// Returns a group by its number; 0 is the whole match.
    pub fn get(&self, number: usize) -> Option<Part<'t>> {
        self.groups.get_group(number).map(|span| self.part(span))
    }

    /// Returns a group by its name.
    pub fn name(&self, name: &str) -> Option<Part<'t>> {
        self.groups.get_group_by_name(name).map(|span| self.part(span))
    }

    /// Returns the text of a group by its name.
    pub fn said(&self, name: &str) -> Option<&'t str> {
        self.name(name).map(Part::as_str)
    }

    /// Returns the groups that took part, without the whole match.
    pub fn groups(&self) -> impl Iterator<Item = Part<'t>> {
        self.groups.iter().skip(1).flatten().map(|span| self.part(span))
    }

    fn part(&self, span: Span) -> Part<'t> {
        Part { text: self.text, span }
    }
}

impl<'t> Part<'t> {
    /// Returns the part.
    pub fn as_str(self) -> &'t str {
        self.text.get(self.range()).unwrap_or_default()
    }

    /// Returns where it begins, in bytes.
    pub fn start(self) -> usize {
        self.span.start
    }

    /// Returns where it ends, in bytes.
    pub fn end(self) -> usize {
        self.span.end
    }

    /// Returns where it stands, in bytes.
    pub fn range(self) -> Range<usize> {
        self.span.range()
    }
}

/// Writes the classes of letters and digits out: Unicode's tables of them are hundreds of ranges, and each
/// mention of one takes longer to compile than all the rest of an expression.
fn quick(source: &str) -> String {
    let mut quick = String::with_capacity(source.len() * 2);
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match (c, (c == '\\').then(|| chars.next()).flatten()) {
            (_, Some('w')) => quick.push_str(LETTER),
            (_, Some('d')) => quick.push_str(DIGIT),
            (_, escaped) => {
                quick.push(c);
                quick.extend(escaped);
            }
        }
    }
    quick
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_is_one_in_every_script_and_no_mark() {
        let words = Pattern::new(r"^[\w.]+ \w+ \\w \d+$");
        for (text, fits) in [
            (r"a.b c_9 \w 12", true),
            (r"имя.файл größe \w 0", true),
            (r"変数 ключ \w 7", true),
            (r"❯ a \w 1", false),
            (r"a ‘b’ \w 1", false),
            (r"a │ \w 1", false),
            (r"a b w 1", false),
            (r"a b \w ٣", false),
        ] {
            assert_eq!(words.is_match(text), fits, "{text}");
        }
    }

    #[test]
    fn nothing_is_compiled_before_it_is_needed_and_what_is_no_pattern_matches_nothing() {
        let (word, broken) = (Pattern::new(r"^\w+$"), Pattern::of("(".to_owned()));
        assert!(word.light.get().is_none());
        assert_eq!([word.is_match("one"), word.is_match("one two")], [true, false]);
        assert!(word.light.get().is_some() && word.full.get().is_none());
        assert!(!broken.is_valid() && !broken.is_match("(") && broken.captures("(").is_none());
    }

    #[test]
    fn many_runs_with_a_few_bytes_each_build_no_automata_and_one_with_many_does() {
        let pattern = Pattern::new("b+");
        let half = "ab".repeat(FEW / 4);
        for _ in 0..4 {
            another_run();
            assert!(pattern.is_match(&half));
        }
        assert!(pattern.full.get().is_none());
        // Another test may begin a run between two of these.
        while pattern.full.get().is_none() {
            assert!(pattern.is_match(&half));
        }
    }

    #[test]
    fn short_and_long_texts_are_answered_alike() {
        let source = r"(?<key>[a-zé]+)=(?:(?<number>\d+)|(\w+))";
        let line = "été=12, b=x; =, c=7\n";
        for text in [line.to_owned(), line.repeat(FEW / 8)] {
            let pattern = Pattern::new(source);
            let times = text.len() / line.len();
            let keys: Vec<&str> = pattern
                .captures_iter(&text)
                .filter_map(|found| Some(found.name("key")?.as_str()))
                .collect();
            assert_eq!(keys, ["été", "b", "c"].repeat(times));
            assert_eq!(pattern.find_iter(&text).count(), 3 * times);
            assert_eq!(pattern.find(&text).map(Part::range), Some(0..8));
            let first = pattern.captures(&text).unwrap();
            assert_eq!((first.said("key"), first.said("number")), (Some("été"), Some("12")));
            let second = pattern.captures_iter(&text).nth(1).unwrap();
            let groups: Vec<&str> = second.groups().map(Part::as_str).collect();
            assert_eq!((groups, second.get(0).unwrap().as_str()), (vec!["b", "x"], "b=x"));
            let replaced = pattern.replace_all(&text, |found| {
                found.name("number").map_or("-", Part::as_str).to_owned()
            });
            assert_eq!(replaced, "12, -; =, 7\n".repeat(times));
            assert_eq!(pattern.full.get().is_some(), times > 1);
        }
        // What stands around the match belongs to it.
        let last = Pattern::new(r"\b(b+?)\b(?:$|;)");
        let found = last.captures("ab-bb c-bbb").unwrap();
        assert_eq!(found.get(1).map(Part::range), Some(8..11));
        assert!(matches!(
            Pattern::new("x").replace_all("abc", |_| String::new()),
            Cow::Borrowed(_)
        ));
    }
}
