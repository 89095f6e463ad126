//! Turns the bytes of a log or report into UTF-8.
//!
//! PowerShell writes UTF-16, with a byte order mark or without; other bytes are UTF-8 as far as they go.

use std::borrow::Cow;

use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// The number of bytes from which an encoding is known.
const HEAD: usize = 4;

/// Decodes a stream of bytes.
#[derive(Default)]
pub(super) struct TextDecoder {
    /// The first bytes, until they are enough to know the encoding.
    head: Vec<u8>,
    state: DecoderState,
}

#[derive(Default)]
enum DecoderState {
    /// Too few bytes were read.
    #[default]
    Unknown,
    /// The bytes are passed on as they are.
    AsIs,
    Utf16(Decoder),
}

impl TextDecoder {
    /// Returns the next bytes as UTF-8, which may be broken where the input is.
    pub(super) fn decode<'b>(&mut self, bytes: &'b [u8], is_last: bool) -> Cow<'b, [u8]> {
        if let DecoderState::Unknown = self.state {
            self.head.extend_from_slice(bytes);
            if self.head.len() < HEAD && !is_last {
                return Cow::Borrowed(&[]);
            }
            let head = std::mem::take(&mut self.head);
            self.state = match find_utf16(&head) {
                Some(encoding) => DecoderState::Utf16(encoding.new_decoder_with_bom_removal()),
                None => DecoderState::AsIs,
            };
            return Cow::Owned(self.decode(&head, is_last).into_owned());
        }
        let DecoderState::Utf16(decoder) = &mut self.state else { return Cow::Borrowed(bytes) };
        let room = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len());
        let mut text = String::with_capacity(room);
        // The buffer is large enough for all bytes.
        let _ = decoder.decode_to_string(bytes, &mut text, is_last);
        Cow::Owned(text.into_bytes())
    }
}

/// Returns the text of a whole file.
pub(super) fn decode_whole(bytes: &[u8]) -> Cow<'_, str> {
    find_utf16(bytes).unwrap_or(UTF_8).decode_with_bom_removal(bytes).0
}

/// Returns the kind of UTF-16 that begins so: with its mark, or with ASCII in one of every two bytes.
fn find_utf16(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        [a, 0, b, 0, ..] if *a != 0 && *b != 0 => Some(UTF_16LE),
        [0, a, 0, b, ..] if *a != 0 && *b != 0 => Some(UTF_16BE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8], size: usize) -> String {
        let mut decoder = TextDecoder::default();
        let mut out = Vec::new();
        bytes.chunks(size).for_each(|chunk| out.extend_from_slice(&decoder.decode(chunk, false)));
        out.extend_from_slice(&decoder.decode(&[], true));
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn both_orders_of_utf_16_are_read_with_and_without_a_mark() {
        let little: Vec<u8> = "größe\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "größe\r\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        let marked = |mark: [u8; 2], bytes: &[u8]| [&mark[..], bytes].concat();
        for bytes in
            [little.clone(), big.clone(), marked([0xff, 0xfe], &little), marked([0xfe, 0xff], &big)]
        {
            for size in [1, 2, 3, 64] {
                assert_eq!(decode(&bytes, size), "größe\r\n");
            }
            assert_eq!(decode_whole(&bytes), "größe\r\n");
        }
    }

    #[test]
    fn other_bytes_stay_as_they_are() {
        for text in ["", "a", "abc", "größe", "a\0b"] {
            assert_eq!(decode(text.as_bytes(), 1), text);
        }
        assert_eq!(decode_whole(b"gr\xf6\xdfe"), "gr\u{fffd}\u{fffd}e");
    }
}
