//! Git's binary patches: both contents, deflated and in base 85.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use papayu_base::domain::digest::git_blob_name;

/// The digits of git's base 85.
/// The alphabet is that of git's `base85.c`.
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// Bytes per line; the first letter of a line is their number.
/// A line of git's own patches has as many.
const LINE_BYTES: usize = 52;

/// Returns the part of a file's patch after the mode lines: the object names of both contents, by which
/// git checks the file, and both contents.
// Both objects are named in full, because git applies a binary patch only to the exact base.
pub(super) fn render_binary_diff(before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let mut out =
        format!("index {}..{}\nGIT binary patch\n", object_name(before), object_name(after));
    // The new content first, then the old one for the reverse patch.
    for side in [after, before] {
        push_literal(&mut out, side.unwrap_or_default());
    }
    out
}

/// Returns the object name of a content; zeros if there is none.
/// The hash is SHA-1 over `blob LENGTH NUL` and the bytes, as in git.
fn object_name(content: Option<&[u8]>) -> String {
    content.map_or_else(|| "0".repeat(40), git_blob_name)
}

/// Appends bytes in the form of `git diff --binary`:
///
/// ```text
/// literal 5
/// Mc$|W…base85…
/// ```
///
/// The count is that of the inflated bytes. Each line begins with its own length, `A`–`Z` for 1–26
/// and `a`–`z` for 27–52.
fn push_literal(out: &mut String, bytes: &[u8]) {
    let mut deflated = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing to a vector cannot fail.
    let _ = deflated.write_all(bytes);
    let deflated = deflated.finish().unwrap_or_default();
    out.push_str("literal ");
    out.push_str(&bytes.len().to_string());
    out.push('\n');
    for line in deflated.chunks(LINE_BYTES) {
        // `chunks` is never longer than `LINE_BYTES`, so that the conversion cannot fail.
        let count = u8::try_from(line.len()).unwrap_or_default();
        out.push(char::from(if count <= 26 { b'A' + count - 1 } else { b'a' + count - 27 }));
        // Four bytes become five digits; the last group is filled with zeros, which the count
        // cuts off.
        for group in line.chunks(4) {
            let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
            // The bytes are in big-endian order.
            let mut value = byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
            let mut digits = ['0'; 5];
            for digit in digits.iter_mut().rev() {
                *digit = DIGITS.get(value as usize % 85).map_or('0', |digit| char::from(*digit));
                value /= 85;
            }
            out.extend(digits);
        }
        out.push('\n');
    }
    // An empty line ends the literal.
    out.push('\n');
}
