//! Reads the arguments of calls that take credentials: a password after a user, or a key after what it signs.

use std::ops::Range;

use super::judge::{is_no_word, is_placeholder};
use super::value::Reader;
use super::wording::{MIN_CHARS, has_grammar, is_password_word, is_phrase, names_secret};

/// The bytes of the arguments that are read.
const MAX_CALL: usize = 400;

/// The most arguments that are read.
const MAX_ARGUMENTS: usize = 8;

/// The place of a password among the arguments of a call, or the place among its literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Credential {
    /// The literal after the user, which is the first argument.
    AfterUser,
    /// The second argument, after what is signed or encrypted.
    Second,
    /// The third one, after a host or data source and a user.
    Third,
    /// The last literal of several.
    Last,
}

/// Parts of calls that take credentials, in lower case, with the place of the password.
pub(super) const CALLS: [(&str, Credential); 27] = [
    ("basic_auth '", Credential::AfterUser),
    ("basic_auth \"", Credential::AfterUser),
    ("authenticate '", Credential::AfterUser),
    ("credentials(", Credential::AfterUser),
    ("credential(", Credential::AfterUser),
    ("basicauth(", Credential::AfterUser),
    ("basic_auth(", Credential::AfterUser),
    ("digestauth(", Credential::AfterUser),
    ("passwordauthentication(", Credential::AfterUser),
    ("authenticationtoken(", Credential::AfterUser),
    ("plainauth(", Credential::Last),
    ("auth=(", Credential::AfterUser),
    ("auth': (", Credential::AfterUser),
    ("auth\": (", Credential::AfterUser),
    ("login(", Credential::AfterUser),
    ("authenticate(", Credential::AfterUser),
    ("connect(", Credential::Third),
    ("pdo(", Credential::Third),
    ("getconnection(", Credential::Third),
    ("createconnection(", Credential::Third),
    ("superuser(", Credential::Last),
    ("createuser(", Credential::Last),
    ("create_user(", Credential::Last),
    ("jwt.sign(", Credential::Second),
    ("jwt.encode(", Credential::Second),
    ("jwt.verify(", Credential::Second),
    ("pgp_sym_", Credential::Second),
];

/// Returns the password among the arguments of the call at a cue.
pub(super) fn password_of_call(
    text: &str,
    cue: &Range<usize>,
    place: Credential,
) -> Option<Range<usize>> {
    let open = match text.as_bytes().get(cue.end.checked_sub(1)?) {
        Some(b'(') => cue.end,
        // A call without brackets.
        Some(b'"' | b'\'') => cue.end - 1,
        _ => cue.end + text.get(cue.end..text.floor_char_boundary(cue.end + 24))?.find('(')? + 1,
    };
    let arguments = literals_of(text, open);
    let literal = |at: usize| arguments.get(at).cloned().flatten();
    let found = match place {
        Credential::AfterUser => {
            literal(0).and_then(|user| literal(1).filter(|_| is_user(text, &user)))
        }
        Credential::Second => literal(1),
        Credential::Third => literal(1).and(literal(2)),
        Credential::Last if arguments.len() > 1 => arguments.iter().rev().find_map(Clone::clone),
        Credential::Last => None,
    };
    found.filter(|found| text.get(found.clone()).is_some_and(is_password))
}

/// Returns the arguments of a call, which are `None` if they are no literals.
fn literals_of(text: &str, open: usize) -> Vec<Option<Range<usize>>> {
    let bytes = text.as_bytes();
    let end = text.len().min(open + MAX_CALL);
    let mut reader = Reader { text, at: open, most: MAX_CALL };
    let mut arguments = Vec::new();
    while reader.at < end && arguments.len() < MAX_ARGUMENTS {
        reader.skip(b" \t\n", 40);
        let literal = reader.quoted();
        reader.skip(b" \t\n", 40);
        let is_whole = matches!(reader.peek(), Some(b',' | b')')) || reader.ends_line(reader.at);
        arguments.push(literal.filter(|_| is_whole));
        let Some(next) = next_sign(bytes, reader.at, end) else { break };
        if bytes.get(next) != Some(&b',') {
            break;
        }
        reader.at = next + 1;
    }
    arguments
}

/// Returns the place of the comma or bracket that ends an argument.
fn next_sign(bytes: &[u8], from: usize, end: usize) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, byte) in bytes.iter().enumerate().take(end).skip(from) {
        match (quote, byte) {
            (Some(open), byte) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') if depth > 0 => depth -= 1,
            (None, b')' | b']' | b'}') => return Some(at),
            (None, b',') if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns `true` for the name of a user, and `false` for a sentence.
fn is_user(text: &str, place: &Range<usize>) -> bool {
    let shown = text.get(place.clone()).unwrap_or_default();
    shown.chars().all(|c| c.is_alphanumeric() || "._-@\\/+ ".contains(c)) && !has_grammar(shown)
}

/// Returns `true` for an argument that can be a password.
fn is_password(shown: &str) -> bool {
    let is_path = shown.contains("://")
        || shown.starts_with(['/', '.'])
        || shown.contains(':') && !is_no_word(shown);
    let is_snake =
        shown.contains('_') && shown.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if shown.len() < MIN_CHARS
        || is_placeholder(shown)
        || is_path
        || is_snake
        || names_secret(shown)
    {
        return false;
    }
    let is_word = is_password_word(shown) && !shown.contains(['.', '/']);
    is_word || is_phrase(shown) || is_no_word(shown) && !shown.contains(' ')
}
