//! The encodings that are read, the refusals, and the bytes that are written back.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, GB18030, GBK, ISO_8859_15, KOI8_U, MACINTOSH, SHIFT_JIS, WINDOWS_1251,
    WINDOWS_1252, WINDOWS_1254,
};
use proptest::prelude::*;

use super::*;

fn bytes_of(text: &str, encoding: &'static encoding_rs::Encoding) -> Vec<u8> {
    let (bytes, _, unmappable) = encoding.encode(text);
    assert!(!unmappable, "{text} is not in {}", encoding.name());
    bytes.into_owned()
}

fn utf16(text: &str, to: fn(u16) -> [u8; 2]) -> Vec<u8> {
    ["\u{feff}", text].concat().encode_utf16().flat_map(to).collect()
}

const RUSSIAN: &str = "# coding: cp1251\n# Если оценок нет, возвращается ноль.\nprint('Ошибка')\n";
const JAPANESE: &str =
    "# coding: shift_jis\n# 成績がない場合はゼロを返します。\nprint('ファイル')\n";
const FRENCH: &str = "# coding: latin-1\n# Calcule la moyenne des élèves\n";

#[test]
fn text_in_its_declared_encoding_is_read_and_written_back() {
    for (label, line, encoding) in [
        ("cp1251", "возвращает среднее значение", WINDOWS_1251),
        ("koi8-u", "середнє значення", KOI8_U),
        ("shift_jis", "平均を返す関数です。", SHIFT_JIS),
        ("euc-jp", "平均を返す関数です。", EUC_JP),
        ("gbk", "返回学生成绩的平均值", GBK),
        ("gb18030", "返回学生成绩的平均值Ϣ", GB18030),
        ("big5", "傳回學生成績的平均值", BIG5),
        ("euc-kr", "학생 성적의 평균을 반환합니다", EUC_KR),
        ("iso-8859-9", "Öğrencilerin notlarının ortalaması", WINDOWS_1254),
        ("iso-8859-15", "Das kostet 10 €, die Größe der Fläche", ISO_8859_15),
        ("macroman", "Größe der Fläche", MACINTOSH),
    ] {
        let text = format!("# coding: {label}\n# {line}\nx = 1\n");
        let bytes = bytes_of(&text, encoding);
        let Ok(Decoded { text: read, encoding: how }) = decode(&bytes) else {
            panic!("{label} {line}")
        };
        assert_eq!((read.as_str(), how.name()), (text.as_str(), encoding.name()));
        assert_eq!(how.encode(&read), Ok(bytes));
        let edited = text.replace("x = 1", "x = 2");
        assert_eq!(how.encode(&edited), Ok(bytes_of(&edited, encoding)));
    }
}

#[test]
fn without_a_declaration_only_ascii_lines_change_and_every_other_byte_stays() {
    let damaged = [RUSSIAN.as_bytes(), b"\xff\r\nx\r\n"].concat();
    let twice = [bytes_of(JAPANESE, SHIFT_JIS), b"\xfa\x4a\nx\n".to_vec()].concat();
    for (bytes, what) in [
        (bytes_of("# кот\nx\n# кот", WINDOWS_1251), "Cyrillic"),
        (bytes_of("# 平均を返す\r\nx\r\n", SHIFT_JIS), "Japanese"),
        (b"# caf\xe9\nx".to_vec(), "Latin"),
        (b"caf\xc3\xa9\ncaf\xe9\nx\n".to_vec(), "UTF-8 and Latin in one file"),
        (b"\xef\xbb\xbf\xff\nx\n".to_vec(), "a mark before bytes that are not UTF-8"),
        (b"# coding: ascii\n# \xe9\nx\n".to_vec(), "a declaration of ASCII"),
        (b"# coding: utf-8\n# \xe9\nx\n".to_vec(), "a declaration of UTF-8"),
        (b"# coding: iso-8859-1\n# \x93\xe9\x94\nx\n".to_vec(), "controls in the declared one"),
        (damaged, "damaged UTF-8 that declares another encoding"),
        (twice, "bytes that the declared encoding would write differently"),
    ] {
        let found = decode(&bytes).unwrap();
        assert_eq!(found.encoding.name(), "ASCII", "{what}");
        assert_eq!(found.encoding.encode(&found.text), Ok(bytes.clone()), "{what}");
        assert!(found.text.contains('\u{fffd}') && !found.text.contains(MARK), "{what}");
        let at = bytes.iter().rposition(|byte| *byte == b'x').unwrap();
        let expected = [&bytes[..at], b"y = 1\n\nz".as_slice(), &bytes[at + 1..]].concat();
        let (before, after) = found.text.rsplit_once('x').unwrap();
        let edited = [before, "y = 1\n\nz", after].concat();
        assert_eq!(found.encoding.encode(&edited), Ok(expected), "{what}");
    }
}

#[test]
fn a_line_of_unknown_encoding_is_neither_changed_nor_added_nor_moved_nor_removed() {
    let found = decode(b"# \xe9\nx\n# \xe8\xe8\n").unwrap();
    for (text, line) in [
        ("# \u{fffd}a\nx\n# \u{fffd}\u{fffd}\n", 1),
        ("# \u{fffd}\nx\n# e\n", 3),
        ("# \u{fffd}\nx\ny\n", 3),
        ("# \u{fffd}\u{fffd}\n# \u{fffd}\nx\n", 1),
        ("# \u{fffd}\ny = 'é'\n# \u{fffd}\u{fffd}\n", 2),
    ] {
        let refused = found.encoding.encode(text);
        assert_eq!(refused, Err(Unwritable::FixedLine { line }), "{text:?}");
    }
    let fault = Unwritable::FixedLine { line: 3 }.to_string();
    assert!(fault.starts_with("line 3 is not ASCII"), "{fault}");
}

#[test]
fn iso_2022_escapes_are_refused_because_ascii_bytes_mean_other_characters() {
    for bytes in
        [&b"\x1b$)C\x0e@\x0f"[..], b"\x1b$B0", b"# coding: iso-2022-jp\n# \x1b$BJ?\x1b(B\n"]
    {
        assert_eq!(decode(bytes), Err(NotText::Escapes), "{bytes:?}");
    }
}

#[test]
fn an_ascii_file_takes_new_characters_in_the_encoding_it_declares_or_not_at_all() {
    for (head, new, bytes) in [
        ("# -*- coding: cp1251 -*-\n", "да", Some(&b"\xe4\xe0"[..])),
        ("#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\n", "é", Some(b"\xe9")),
        ("<?xml version=\"1.0\" encoding='ISO-8859-15'?>\n", "€", Some(b"\xa4")),
        ("<html><META charset=windows-1252>\n", "€", Some(b"\x80")),
        ("<meta http-equiv=x content=\"text/html; charset=iso-8859-9\">\n", "ş", Some(b"\xfe")),
        ("# coding: iso-8859-1\n", "€", None),
        ("# coding: cp1251\n", "é", None),
        ("# coding: ascii\n", "é", None),
        ("# coding: gb2312\n", "中", None),
        ("# coding: utf-8\n", "中", Some("中".as_bytes())),
        ("# coding: style as agreed\n", "é", Some("é".as_bytes())),
        ("page = '<meta charset=windows-1252>'\n", "é", Some("é".as_bytes())),
        ("\n\n# coding: cp1251\n", "é", Some("é".as_bytes())),
    ] {
        let found = decode(head.as_bytes()).unwrap();
        let written = found.encoding.encode(&[head, new].concat()).ok();
        let expected = bytes.map(|bytes| [head.as_bytes(), bytes].concat());
        assert_eq!(written, expected, "{head}");
    }
    let found = decode(b"# coding: cp1251\n").unwrap();
    let redeclared = found.encoding.encode("# coding: utf-8\n# да\n");
    assert_eq!(redeclared, Err(Unwritable::Redeclared { encoding: "windows-1251" }));
    assert_eq!(found.encoding.encode("# coding: utf-8\n"), Ok(b"# coding: utf-8\n".to_vec()));
}

#[test]
fn binary_is_refused_with_what_it_is() {
    for (bytes, fault) in [
        (&b"a\0b"[..], NotText::Binary),
        (b"\xef\xbb\xbfa\0", NotText::Binary),
        (b"\xe9\0", NotText::Binary),
        (b"a\0b\0", NotText::Binary),
        (b"\xe9\x01", NotText::Controls),
        (b"\xcf\xe0\x1b[0m", NotText::Controls),
        (b"\xff\xfea", NotText::BrokenUtf16),
        (b"\xff\xfe\0\xd8a\0", NotText::BrokenUtf16),
        (b"\xff\xfe\0\0a\0\0\0", NotText::BrokenUtf16),
        (b"\xfe\xff\xff\xff", NotText::BrokenUtf16),
    ] {
        assert_eq!(decode(bytes), Err(fault), "{bytes:?}");
    }
}

#[test]
fn a_mark_is_no_part_of_the_text_and_is_written_again() {
    for (bytes, name, mark) in [
        (b"a\r\nb".to_vec(), "UTF-8", false),
        (b"\xef\xbb\xbfa\r\nb".to_vec(), "UTF-8", true),
        (utf16("a\r\nb", u16::to_le_bytes), "UTF-16LE", true),
        (utf16("a\r\nb", u16::to_be_bytes), "UTF-16BE", true),
    ] {
        let found = decode(&bytes).unwrap();
        assert_eq!(found.text, "a\r\nb");
        assert_eq!((found.encoding.name(), found.encoding.has_mark()), (name, mark));
        assert_eq!(found.encoding.encode("a\r\nb"), Ok(bytes));
    }
    let escapes = "\u{1b}$B is no Japanese where é is UTF-8";
    assert_eq!(decode(escapes.as_bytes()).map(|found| found.text), Ok(escapes.to_owned()));
    let twice = decode(b"\xef\xbb\xbf\xef\xbb\xbfa").unwrap();
    assert_eq!(twice.text, "\u{feff}a");
}

#[test]
fn a_character_that_the_encoding_lacks_is_named_and_never_replaced() {
    for (text, encoding, new) in [
        (RUSSIAN, WINDOWS_1251, '中'),
        (RUSSIAN, WINDOWS_1251, 'é'),
        (FRENCH, WINDOWS_1252, 'ж'),
        (FRENCH, WINDOWS_1252, '€'),
        (JAPANESE, SHIFT_JIS, '😀'),
        // Encoded without an error, and decoded as a backslash and a tilde.
        (JAPANESE, SHIFT_JIS, '¥'),
        (JAPANESE, SHIFT_JIS, '‾'),
        // Implementations of a multi-byte encoding differ in the bytes of characters that the file does not contain.
        (JAPANESE, SHIFT_JIS, '漢'),
    ] {
        let found = decode(&bytes_of(text, encoding)).unwrap().encoding;
        let refused = found.encode(&format!("{text}{new}"));
        let (character, encoding) = (new, encoding.name());
        assert_eq!(refused, Err(Unwritable::Lacking { character, encoding }), "{new}");
    }
    let fault = Unwritable::Lacking { character: '中', encoding: "windows-1251" };
    assert_eq!(fault.to_string(), "`中` (U+4E2D) cannot be written in its encoding, windows-1251");
}

#[test]
fn new_characters_are_written_in_a_declared_single_byte_encoding() {
    for (text, encoding, new) in [
        (RUSSIAN, WINDOWS_1251, "Ёж №5 — «да»"),
        (FRENCH, WINDOWS_1252, "çà"),
        (JAPANESE, SHIFT_JIS, "返し場合"),
    ] {
        let found = decode(&bytes_of(text, encoding)).unwrap().encoding;
        let whole = format!("{text}{new}\n");
        assert_eq!(found.encode(&whole), Ok(bytes_of(&whole, encoding)), "{new}");
    }
}

proptest! {
    #[test]
    fn every_text_is_written_back_to_the_byte(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(found) = decode(&bytes) {
            prop_assert_eq!(found.encoding.encode(&found.text), Ok(bytes));
        }
    }

    #[test]
    fn an_edited_text_in_a_declared_encoding_is_read_back_as_it_was_meant(
        kept in "[абвгд 中\r\né]{0,20}", new in "[a-zа-яéñ¥‾−中ｱ€\r\n\\\\~]{0,20}", which in 0_usize..5,
    ) {
        let (label, encoding) =
            [("cp1251", WINDOWS_1251), ("sjis", SHIFT_JIS), ("euc-jp", EUC_JP), ("gbk", GBK), ("koi8-u", KOI8_U)][which];
        let text = format!("# coding: {label}\n{kept}");
        let (bytes, _, has_unmappable) = encoding.encode(&text);
        prop_assume!(!has_unmappable);
        let found = decode(&bytes).unwrap().encoding;
        if let Ok(edited) = found.encode(&[text.as_str(), &new].concat()) {
            let again = encoding.decode_without_bom_handling_and_without_replacement(&edited);
            let meant = [text, new].concat();
            if found.name() != "ASCII" {
                prop_assert_eq!(again.as_deref(), Some(meant.as_str()));
            }
        }
    }

    #[test]
    fn utf16_is_read_and_written_for_every_text(text in "\\PC{0,30}(\r\n|\n|\r)?") {
        prop_assume!(is_source_text(&text));
        for to in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes = utf16(&text, to);
            prop_assert_eq!(decode(&bytes).map(|found| found.text), Ok(text.clone()));
        }
    }
}
