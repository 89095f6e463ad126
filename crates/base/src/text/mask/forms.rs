//! Finds secrets by their form: what is assigned to the name of one, keys of services, private keys, passwords in addresses, random tokens.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::assigned::AssignedValue;
use super::assignment::Follows;
use super::calls::Credential;
use super::cues::SecretCueFinder;
use super::names::NameFamily;
use super::rule::{RuleWork, SecretRule};
use super::value::MAX_VALUE;
use super::vendors::vendor_rules;
use super::view::SourceView;
use super::{
    address, armour, assignment, calls, command, decode, generated, joined, judge, labels, names,
    repeated, surroundings, table, tokens,
};

/// A text in a text in a text: base64 of base64, in an escaped string.
const MAX_DEPTH: usize = 4;

/// The bytes that the values of a text may have, how many more for each byte of the text, and the longest value after that.
const FREE_BYTES: usize = 64 << 10;
const BYTES_PER_BYTE: usize = 8;
const FEW_BYTES: usize = 256;

/// The bytes of a line about a password in which the password is looked for.
const MAX_SENTENCE: usize = 160;

/// The kind of text at a cue.
#[derive(Clone, Copy, Debug)]
enum FormCue {
    /// A word of the names of secrets.
    Name,
    /// A word that introduces secrets.
    Context,
    /// The end of the scheme of an address.
    Address,
    /// Words of the first and last line of a key.
    Armour,
    /// The offset of a hexadecimal dump.
    Dump,
    /// A call that takes credentials.
    Call(Credential),
    /// A command that reads a password.
    Reader,
    /// A command of which the output is given to another as a file.
    Printed,
    /// The network in the name of a data source of Go, as in `user:password@tcp(db:3306)/shop`.
    DataSource,
    /// A form of key, by its place among the rules.
    Rule(usize),
}

/// The rules, and the words at which something is read.
struct Forms {
    rules: Vec<SecretRule>,
    cues: SecretCueFinder<FormCue>,
}

static FORMS: LazyLock<Forms> = LazyLock::new(|| {
    let rules = vendor_rules();
    let mut cues = SecretCueFinder::default();
    for word in names::cues() {
        cues.add(&word, FormCue::Name);
    }
    for word in names::contexts().filter(|word| word.len() > 3) {
        cues.add(word, FormCue::Context);
    }
    for before in [":", "\"", "'", " ", "=", "\n"] {
        cues.add(&format!("{before}//"), FormCue::Address);
    }
    cues.add("private key", FormCue::Armour);
    cues.add("000000", FormCue::Dump);
    for (call, place) in calls::CALLS {
        cues.add(call, FormCue::Call(place));
    }
    for reader in ["-stdin", "--with-token", "| passwd", "| chpasswd", "| sudo -s", "<<<"] {
        cues.add(reader, FormCue::Reader);
    }
    for printer in ["<(echo ", "<(printf ", "'echo ", "\"echo "] {
        cues.add(printer, FormCue::Printed);
    }
    for network in ["@tcp(", "@unix("] {
        cues.add(network, FormCue::DataSource);
    }
    for (at, rule) in rules.iter().enumerate() {
        for cue in &rule.cues {
            cues.add(cue, FormCue::Rule(at));
        }
    }
    Forms { rules, cues }
});

/// Returns the places of the secrets in the text, in no order.
pub(super) fn find_forms(text: &str) -> Vec<Range<usize>> {
    find_at_depth(text, 0)
}

fn find_at_depth(text: &str, depth: usize) -> Vec<Range<usize>> {
    if depth > MAX_DEPTH {
        return Vec::new();
    }
    if let Some((view, dropped)) = decode::shown_view(text) {
        let found = find_in_shown(view.text(), depth);
        let mut places: Vec<_> = found.iter().map(|place| view.source(place)).collect();
        for hidden in dropped {
            let sequence = text.get(hidden.clone()).unwrap_or_default();
            let inner = sequence.trim_start_matches(char::is_control);
            let start = hidden.start + sequence.len() - inner.len();
            let found = find_at_depth(inner.trim_end_matches(char::is_control), depth + 1);
            places.extend(found.into_iter().map(|place| start + place.start..start + place.end));
        }
        return places;
    }
    find_in_shown(text, depth)
}

/// Returns the places in a text without hidden characters.
fn find_in_shown(text: &str, depth: usize) -> Vec<Range<usize>> {
    let mut search = FormSearch {
        text,
        places: Vec::new(),
        passwords: Vec::new(),
        works: Vec::new(),
        families: HashMap::new(),
        done: 0,
        spent: 0,
        line: 0,
        sentence: 0,
        name: 0..0,
        depth,
    };
    if text.starts_with("//") {
        search.places.extend(address::secret_at(text, 2));
    }
    search.read_words();
    search.read_options();
    search.read_runs();
    repeated::add_repeated(text, &search.passwords, &mut search.places);
    let mut places = search.places;
    decode::each_unescaped(text, |view| places.extend(find_in_view(view, depth)));
    places
}

/// Returns the places in the source of a view.
fn find_in_view(view: &SourceView, depth: usize) -> Vec<Range<usize>> {
    let found = find_at_depth(view.text(), depth + 1);
    found.iter().map(|place| view.source(place)).collect()
}

fn before_name(text: &str, name: &assignment::Name) -> Option<u8> {
    text.as_bytes().get(name.place.start.checked_sub(1)?).copied()
}

/// The search of one text.
struct FormSearch<'t> {
    text: &'t str,
    places: Vec<Range<usize>>,
    /// Those of passwords with a name.
    passwords: Vec<Range<usize>>,
    /// The work of each rule, once one was tried.
    works: Vec<RuleWork>,
    /// The families of the names of the text, since most names come again.
    families: HashMap<&'t str, Option<NameFamily>>,
    /// The end of the last private key or dump.
    done: usize,
    /// The bytes of all values: a text of nothing but names is read in linear time.
    spent: usize,
    /// The end of the last line that was read for generated passwords.
    line: usize,
    /// The end of the last line that was read for a password.
    sentence: usize,
    /// The last name, which may have several cues.
    name: Range<usize>,
    depth: usize,
}

impl FormSearch<'_> {
    /// Reads at each word that may be the name or the head of a secret.
    fn read_words(&mut self) {
        let text = self.text;
        FORMS.cues.find(text.as_bytes(), |place, cue| match cue {
            FormCue::Name => self.read_name(&place),
            FormCue::Context if place.start >= self.line => {
                self.line = generated::find_in_line(text, &place, &mut self.places);
            }
            FormCue::Address => self.places.extend(address::secret_at(text, place.end)),
            FormCue::Armour if place.start >= self.done => {
                let key = armour::key_at(text, &place, self.done);
                self.done = key.as_ref().map_or(self.done, |key| key.end);
                self.places.extend(key);
            }
            FormCue::Dump if place.start >= self.done => self.read_dump(place.start),
            FormCue::Call(at) => self.places.extend(calls::password_of_call(text, &place, at)),
            FormCue::Reader => self.places.extend(command::sent_secret(text, place)),
            FormCue::Printed => self.places.extend(command::substituted_secret(text, place.end)),
            FormCue::DataSource => self.places.extend(address::password_before(text, place.start)),
            FormCue::Rule(at) => self.apply_rule(at, place),
            FormCue::Context | FormCue::Armour | FormCue::Dump => {}
        });
    }

    /// Reads the values of the options of commands.
    fn read_options(&mut self) {
        for blank in memchr::memmem::find_iter(self.text.as_bytes(), " -") {
            if command::may_be_option(self.text.as_bytes().get(blank + 2..).unwrap_or_default()) {
                self.places.extend(command::option_secret(self.text, blank + 1));
            }
        }
    }

    /// Reads what is assigned to the name around a cue.
    fn read_name(&mut self, cue: &Range<usize>) {
        let rest = self.text.as_bytes().get(cue.end..).unwrap_or_default();
        let is_known = self.name.start <= cue.start && cue.end <= self.name.end;
        if table::may_be_column(rest) && !is_known {
            self.read_column(cue);
        }
        let Some(follows) = assignment::may_be_assigned(rest).filter(|_| !is_known) else { return };
        let name = assignment::name_at(self.text, cue);
        self.name = name.place.clone();
        self.read_sentence(&name.place);
        if follows == Follows::Word && !assignment::is_command(self.text, &name) {
            self.read_prose(&name.place);
            return;
        }
        let Some(words) = self.text.get(name.place.clone()) else { return };
        let is_spent = self.spent > FREE_BYTES + self.text.len().saturating_mul(BYTES_PER_BYTE);
        let most = if is_spent { FEW_BYTES } else { MAX_VALUE };
        let Some(mut value) = assignment::value_of(self.text, &name, most) else { return };
        value.place = command::given_part(self.text, value.place);
        self.spent += value.place.len();
        let is_query = before_name(self.text, &name).is_some_and(|byte| b"?&".contains(&byte));
        let words = if is_query && words == "key" { "api_key" } else { words };
        let family = self.families.entry(words).or_insert_with(|| names::family_of(words));
        let of_parent = || {
            surroundings::parent_of(self.text, &name.place)
                .filter(|_| words.eq_ignore_ascii_case("key"))
        };
        let of_parent = || names::family_of(&format!("{}_{words}", of_parent()?));
        let Some(family) = family.or_else(of_parent) else { return };
        // A part of the name of something, as in `arn:aws:secretsmanager:eu-west-1:0123:secret:shop/db`.
        let is_path = self.text.get(value.place.clone()).is_some_and(|shown| shown.contains('/'));
        if is_path && rest.starts_with(b":") && before_name(self.text, &name) == Some(b':') {
            return;
        }
        let pieces = joined::pieces_of(self.text, &value);
        if let [_, .., last] = pieces.as_slice() {
            let whole = joined::whole(self.text, &pieces);
            self.spent += whole.len();
            let joined = AssignedValue { place: 0..whole.len(), style: value.style };
            if judge::is_secret(&whole, words, &joined, family) {
                self.name.end = self.name.end.max(last.end);
                self.places.extend(pieces);
                return;
            }
        }
        if judge::is_secret(self.text, words, &value, family) {
            if family == NameFamily::Password {
                self.passwords.push(value.place.clone());
            }
            // The inside of a secret is not searched again.
            self.name.end = self.name.end.max(value.place.end);
            self.places.push(value.place);
        }
    }

    /// Reads the value that a sentence gives a name.
    fn read_prose(&mut self, name: &Range<usize>) {
        let Some(words) = self.text.get(name.clone()) else { return };
        if let Some(value) = assignment::declared(self.text, name.end)
            && let Some(family) = names::family_of(words)
            && judge::is_secret(self.text, words, &value, family)
        {
            self.places.push(value.place);
            return;
        }
        if let Some(value) = judge::value_in_prose(self.text, name.end)
            && names::family_of(words).is_some()
        {
            self.places.push(value);
        }
    }

    /// Reads the rest of a line that speaks of a password.
    fn read_sentence(&mut self, name: &Range<usize>) {
        let is_password = self.text.get(name.clone()).is_some_and(names::is_password);
        if is_password && name.end >= self.sentence {
            let most = self.text.floor_char_boundary(name.end + MAX_SENTENCE);
            let rest = self.text.get(name.end..most).unwrap_or_default();
            self.sentence = name.end + rest.find('\n').unwrap_or(rest.len());
            self.places.extend(judge::password_in(self.text, name.end..self.sentence));
            self.places.extend(labels::announced(self.text, name));
        }
    }

    /// Reads the cells below a name in the head of a table.
    fn read_column(&mut self, cue: &Range<usize>) {
        let name = assignment::name_at(self.text, cue).place;
        let family = self.text.get(name.clone()).and_then(names::family_of);
        if let Some(family) = family {
            let cells = table::cells_below(self.text, &name).into_iter();
            self.places.extend(cells.filter(|cell| judge::is_secret_cell(self.text, cell, family)));
        }
    }

    /// Reads the hexadecimal dump of which a line begins at `at`.
    fn read_dump(&mut self, at: usize) {
        let Some((view, end)) = decode::dump_view(self.text, at) else { return };
        self.done = end;
        for place in find_in_view(&view, self.depth) {
            // The last column of each line shows the bytes too.
            let rest = self.text.get(place.end..).unwrap_or_default();
            let line = rest.find('\n').unwrap_or(rest.len());
            self.places.push(place.start..place.end + line);
        }
    }

    /// Reads the long runs of letters and digits.
    fn read_runs(&mut self) {
        let text = self.text;
        let mut decoded = 0;
        for run in tokens::Runs::of(text) {
            tokens::find_tokens(text, &run, &mut self.places);
            // A text of many lines is decoded once.
            if run.start >= decoded
                && let Some((view, end)) = decode::decoded_view(text, &run)
            {
                decoded = end;
                self.places.extend(find_in_view(&view, self.depth));
            }
        }
    }

    fn apply_rule(&mut self, at: usize, cue: Range<usize>) {
        let rules = &FORMS.rules;
        self.works.resize(rules.len(), RuleWork::default());
        let (Some(rule), Some(work)) = (rules.get(at), self.works.get_mut(at)) else { return };
        if cue.start >= work.done {
            self.places.extend(rule.secret_at(self.text, cue, work));
        }
    }
}
