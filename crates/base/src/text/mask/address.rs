//! Finds passwords and tokens in addresses.

use std::ops::Range;

use super::chance::is_random;
use super::judge::is_placeholder;
use super::wording::has_digit;

/// The longest part of an address before its host, in bytes.
const MAX_USER: usize = 512;

/// The least length of a token alone before the host.
const MIN_TOKEN: usize = 16;

/// Returns the secret between `//`, which ends at `start`, and the host of an address.
pub(super) fn secret_at(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes().get(start..)?;
    let near = bytes.get(..MAX_USER.min(bytes.len()))?;
    let end = near.iter().position(|byte| byte.is_ascii_whitespace() || b"\"'<>`\\".contains(byte));
    let near = near.get(..end.unwrap_or(near.len()))?;
    let host =
        memchr::memrchr_iter(b'@', near).find(|at| near.get(at + 1..).is_some_and(is_host))?;
    let user = text.get(start..start + host)?;
    let Some((name, password)) = user.split_once(':') else {
        return is_token(user).then(|| start..start + host);
    };
    if password.is_empty() || password == "x-oauth-basic" {
        return is_token(name).then(|| start..start + name.len());
    }
    // The port of a host, or a colon in a path.
    let port = password.split('/').next().unwrap_or_default();
    let is_port = port.len() < password.len() && port.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = !name.contains(['/', '?', '#', '@']);
    (is_name && !is_port && !is_placeholder(password)).then(|| start + name.len() + 1..start + host)
}

/// Returns `true` if a host begins here.
fn is_host(rest: &[u8]) -> bool {
    let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(byte));
    let next = rest.get(name.count());
    rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"[${/(".contains(byte))
        && next.is_none_or(|byte| !b"@=+%".contains(byte))
}

/// Returns `true` for a token alone before a host, and `false` for the name of a person.
fn is_token(user: &str) -> bool {
    user.len() >= MIN_TOKEN
        && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-=".contains(&byte))
        && (has_digit(user) || is_random(user.as_bytes()))
}

/// Returns the password before the `@` of a data source: the text after the first colon of the word.
pub(super) fn password_before(text: &str, at: usize) -> Option<Range<usize>> {
    let from = text.ceil_char_boundary(at.saturating_sub(MAX_USER));
    let before = text.get(from..at)?;
    let start =
        before.rfind(|c: char| c.is_whitespace() || "\"'`=".contains(c)).map_or(0, |it| it + 1);
    let word = before.get(start..)?.rsplit("//").next()?;
    let (_, password) = word.split_once(':')?;
    let place = at - password.len()..at;
    (password.len() >= 3 && !is_placeholder(password)).then_some(place)
}
