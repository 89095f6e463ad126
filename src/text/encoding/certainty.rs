//! Which encoding bytes are in, where there is no doubt.
//!
//! A detector always answers, and a single-byte encoding reads nearly any bytes, so an answer is no
//! proof. Here the detector is asked under many assumptions about where the file comes from, encodings
//! it does not know are added, and each reading is judged by what it would make of the file: writing
//! of one kind, words that look like words, the letters that its languages use most. Only where no
//! second reading holds, or where all that hold give the same text, is there no doubt.

use std::collections::{HashMap, HashSet};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, GBK, IBM866, ISO_2022_JP, ISO_8859_2, ISO_8859_4, ISO_8859_5, ISO_8859_6,
    ISO_8859_7, ISO_8859_8, ISO_8859_13, ISO_8859_15, KOI8_R, KOI8_U, MACINTOSH, SHIFT_JIS,
    WINDOWS_874, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254,
    WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258, X_MAC_CYRILLIC,
};

use super::words::{is_wide, looks_written};

type Encoding = encoding_rs::Encoding;

/// Where the file might come from, as top-level domains. Those of Central Europe are left out: with
/// them the detector rules out the other Latin encodings whatever the text says.
const ORIGINS: [&str; 17] = [
    "com", "ru", "de", "gr", "tr", "il", "ae", "lt", "vn", "th", "cn", "tw", "jp", "kr", "is",
    "am", "ba",
];

/// Encodings that the detector does not know, each beside the ones it takes them for.
const UNKNOWN: [(&Encoding, &[&Encoding]); 4] = [
    (ISO_8859_15, &[WINDOWS_1252]),
    (MACINTOSH, &[WINDOWS_1250, WINDOWS_1252, WINDOWS_1254, WINDOWS_1257]),
    (X_MAC_CYRILLIC, &[WINDOWS_1251]),
    (KOI8_R, &[KOI8_U]),
];

/// Latin encodings share their most common letters, so a file may be read without doubt and still
/// leave it open which bytes another letter has.
const LATIN: [&Encoding; 10] = [
    WINDOWS_1252,
    ISO_8859_15,
    MACINTOSH,
    WINDOWS_1250,
    ISO_8859_2,
    WINDOWS_1254,
    WINDOWS_1257,
    ISO_8859_13,
    ISO_8859_4,
    WINDOWS_1258,
];

/// An encoding without doubt.
pub(super) struct Sure {
    pub(super) text: String,
    pub(super) encoding: &'static Encoding,
    /// Others that give the same text.
    pub(super) others: Vec<&'static Encoding>,
}

/// So many bytes of lines that are not ASCII are judged; more say nothing new.
const JUDGED: usize = 1 << 16;

/// Finds the encoding of bytes that are not UTF-8; `None` when there is doubt.
pub(super) fn find(bytes: &[u8]) -> Option<Sure> {
    if is_damaged_utf8(bytes) {
        return None;
    }
    let telling = telling_lines(bytes);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&telling, true);
    let guess = |origin: &str| detector.guess(Some(origin.as_bytes()), Utf8Detection::Deny);
    let encoding = guess("com");
    let text = reading(encoding, bytes).filter(|text| !is_confused(encoding, text))?;
    let told = reading(encoding, &telling)?;
    let mut rivals: Vec<&'static Encoding> = ORIGINS.iter().map(|origin| guess(origin)).collect();
    let confused = |(_, with): &&(_, &[&'static Encoding])| with.contains(&encoding);
    rivals.extend(UNKNOWN.iter().filter(confused).map(|(unknown, _)| *unknown));
    let mut others = Vec::new();
    for rival in rivals {
        if rival == encoding || others.contains(&rival) {
            continue;
        }
        match reading(rival, &telling) {
            Some(other) if other != told => return None,
            Some(_) => match super::read(rival, bytes) {
                Some(whole) if whole != text => return None,
                Some(_) => others.push(rival),
                None => {}
            },
            None => {}
        }
    }
    if !LATIN.contains(&encoding) {
        return is_long_enough(&text).then_some(Sure { text, encoding, others });
    }
    for latin in LATIN.into_iter().filter(|latin| *latin != encoding) {
        let Some(other) = reading(latin, &telling).filter(|_| !others.contains(&latin)) else {
            continue;
        };
        if !outweighs(&told, &other) {
            return None;
        }
        others.push(latin);
    }
    Some(Sure { text, encoding, others })
}

/// Tells whether an encoding that is not known here would be taken for this one.
fn is_confused(encoding: &'static Encoding, text: &str) -> bool {
    // Of Baltic and Nordic files in ISO-8859 there are several kinds, and hardly any of this one.
    encoding == ISO_8859_4
        // The Ukrainian form of the DOS encoding has other letters in their places.
        || encoding == IBM866 && text.contains(['Є', 'є', 'Ї', 'ї', 'Ў', 'ў'])
        // The Kazakh form has its letters in the places of those that no one language shares.
        || encoding == WINDOWS_1251 && mixes_languages(text)
}

/// Tells whether a text has letters of Serbian or Macedonian beside ones of Ukrainian or Belarusian, or
/// of these two.
fn mixes_languages(text: &str) -> bool {
    let has = |letters: &str| text.chars().any(|c| letters.contains(c));
    let (southern, ukrainian, belarusian) = (has("ЈјЅѕЌќЏџЉљЊњЂђЋћЃѓ"), has("ЄєЇї"), has("Ўў"));
    southern && (ukrainian || belarusian || has("Ґґ")) || ukrainian && belarusian
}

/// Returns the lines that are not ASCII, each once; in no encoding here is a line feed part of another
/// character.
fn telling_lines(bytes: &[u8]) -> Vec<u8> {
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| !line.is_ascii()) {
        if out.len() < JUDGED && seen.insert(line) {
            out.extend_from_slice(line);
        }
    }
    out
}

/// Tells whether a text has only what source text has: no control characters but blanks and line
/// ends, nothing replaced, private or unassigned for good.
pub(super) fn is_clean(text: &str) -> bool {
    !text.chars().any(|c| match c {
        '\t' | '\n' | '\r' | '\u{c}' => false,
        '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => true,
        c => c.is_control() || u32::from(c) & 0xfffe == 0xfffe,
    })
}

/// Tells whether most of what is not ASCII is UTF-8: then the file is UTF-8 with a damaged place, and
/// any other reading would be nonsense.
pub(super) fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let beyond = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let chunks = bytes.utf8_chunks();
    let good: usize =
        chunks.map(|chunk| chunk.valid().bytes().filter(|byte| !byte.is_ascii()).count()).sum();
    good * 2 >= beyond
}

/// Returns the text in an encoding, if it looks like one that a person wrote in it.
fn reading(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    let text = super::read(encoding, bytes)?;
    let writing = Writing::of(encoding)?;
    // One sign within a word may be a slip; of an encoding hardly anybody used it is none.
    let slips = if UNKNOWN.iter().any(|(unknown, _)| *unknown == encoding) { 0 } else { 2 };
    (writing.judge(&text) && looks_written(&text, slips)).then_some(text)
}

/// Letters beyond Latin that a text must have: in a word or two, chance makes one alphabet of another.
const ENOUGH: usize = 12;

/// As above where each character takes two bytes, which chance seldom makes one of.
const ENOUGH_WIDE: usize = 10;

fn is_long_enough(text: &str) -> bool {
    let count = |is: fn(char) -> bool| text.chars().filter(|c| is(*c)).count();
    count(is_letter) >= ENOUGH || count(is_wide) >= ENOUGH_WIDE
}

/// Tells whether the detector's choice between two Latin readings rests on enough. It weighs letters
/// and their neighbours; where the readings differ in one letter only, that is too little, and where
/// they differ in `õ` and `û` only, it takes Hungarian for Western.
fn outweighs(text: &str, other: &str) -> bool {
    let pairs = || text.chars().zip(other.chars()).filter(|(one, other)| one != other);
    let mut letters: Vec<char> = pairs().flat_map(|(one, _)| one.to_lowercase()).collect();
    letters.sort_unstable();
    letters.dedup();
    match letters.as_slice() {
        // Alone in Scandinavian, and in place of a letter that hardly any language has.
        [] | ['å'] => true,
        // Spanish, where a vowel follows and other vowels bear accents: not so the letters that other
        // languages have in its place.
        ['ñ'] => {
            let mut follow = text.split(['ñ', 'Ñ']).skip(1);
            text.contains(['á', 'é', 'í', 'ó', 'ú'])
                && follow.all(|rest| rest.starts_with(is_vowel))
        }
        [_] | ['õ', 'û'] => false,
        _ => true,
    }
}

fn is_vowel(c: char) -> bool {
    "aeiouáéíóúüAEIOUÁÉÍÓÚ".contains(c)
}

/// What an encoding is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writing {
    Latin,
    Cyrillic,
    Greek,
    Hebrew,
    Arabic,
    Thai,
    Japanese,
    Korean,
    Chinese,
}

/// The most common letters of the languages of each writing, and the least share of all letters, in
/// percent, that they have in a text of more than a few words.
const COMMON: [(Writing, &str, usize); 7] = [
    (Writing::Cyrillic, "оеаинтсрвлкмдпуыязбії", 75),
    (Writing::Greek, "αοιετσνηυρπκμλάέήίόύώς", 80),
    (Writing::Hebrew, "יוהלארתבשמנםדעקחפ", 80),
    (Writing::Arabic, "اليمنتروبةعدسفهكحقأ", 80),
    (
        Writing::Korean,
        "이다는을에의가고하지은를한로니기서사도나인시어리자해수스그있대정라일으아지전제없상부과수오성보장면않습트만게동여우주거되들문세데",
        30,
    ),
    (
        Writing::Chinese,
        "的一是不了在有人我他这這中大来來上个個国國到说說们們为為子和你地出道也时時年得就那要下以生会會自着去之过過家学學对對可里后後小么心多天而能好都然没沒于於起还還发發成事只作当當想看文无無开開手十用主行方又如前所本见見经經头頭面公同三已老从從动動两兩长長把性回返值果则則数數错錯件找",
        25,
    ),
    (Writing::Japanese, "", 20),
];

impl Writing {
    fn of(encoding: &'static Encoding) -> Option<Self> {
        let table: [(Self, &[&Encoding]); 9] = [
            (Self::Latin, &LATIN),
            (Self::Cyrillic, &[WINDOWS_1251, KOI8_U, KOI8_R, IBM866, ISO_8859_5, X_MAC_CYRILLIC]),
            (Self::Greek, &[WINDOWS_1253, ISO_8859_7]),
            (Self::Hebrew, &[WINDOWS_1255, ISO_8859_8]),
            (Self::Arabic, &[WINDOWS_1256, ISO_8859_6]),
            (Self::Thai, &[WINDOWS_874]),
            (Self::Japanese, &[SHIFT_JIS, EUC_JP, ISO_2022_JP]),
            (Self::Korean, &[EUC_KR]),
            (Self::Chinese, &[GBK, BIG5]),
        ];
        table.iter().find(|(_, of)| of.contains(&encoding)).map(|(writing, _)| *writing)
    }

    /// Tells whether the letters are those of this writing, in a likely mixture.
    fn judge(self, text: &str) -> bool {
        let letters: Vec<char> = text.chars().filter(|c| is_letter(*c)).collect();
        let own = letters.iter().filter(|c| self.has(**c)).count();
        if (letters.len() - own) * 20 > letters.len() {
            return false;
        }
        let common = COMMON.iter().find(|(writing, ..)| *writing == self);
        let Some((_, common, least)) = common else {
            return self == Self::Latin && !is_mostly_accents(text)
                || self == Self::Thai && own > 0;
        };
        let lower = |c: &&char| c.to_lowercase().all(|c| common.contains(c));
        let usual = match self {
            // Nothing else reads as so much kana.
            Self::Japanese => letters.iter().filter(|c| is_kana(**c)).count(),
            _ => letters.iter().filter(lower).count(),
        };
        own > 0 && usual * 100 >= letters.len() * least && !is_monotonous(&letters)
    }

    fn has(self, c: char) -> bool {
        match self {
            Self::Latin => {
                matches!(c, '\u{80}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{300}'..='\u{36f}')
            }
            Self::Cyrillic => matches!(c, '\u{400}'..='\u{52f}'),
            Self::Greek => matches!(c, '\u{370}'..='\u{3ff}'),
            Self::Hebrew => matches!(c, '\u{590}'..='\u{5ff}'),
            Self::Arabic => matches!(c, '\u{600}'..='\u{6ff}'),
            Self::Thai => matches!(c, '\u{e00}'..='\u{e7f}'),
            Self::Japanese => is_kana(c) || is_han(c),
            Self::Korean => matches!(c, '\u{ac00}'..='\u{d7a3}' | '\u{3130}'..='\u{318f}'),
            Self::Chinese => is_han(c),
        }
    }
}

/// The first bytes of two-byte characters, read alone, are one letter again and again.
fn is_monotonous(letters: &[char]) -> bool {
    let mut counts = HashMap::new();
    for letter in letters {
        *counts.entry(letter).or_insert(0_usize) += 1;
    }
    let most = counts.into_values().max().unwrap_or(0);
    letters.len() >= ENOUGH && most * 3 > letters.len()
}

/// Latin words are made of plain letters first of all.
fn is_mostly_accents(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_ascii());
    let (all, accents) = words.fold((0, 0), |(all, accents), word| {
        (all + word.chars().count(), accents + word.chars().filter(|c| is_letter(*c)).count())
    });
    accents * 2 > all
}

fn is_letter(c: char) -> bool {
    !c.is_ascii() && c.is_alphabetic()
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}')
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3005}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}
