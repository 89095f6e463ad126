//! What is read for certain, what is refused, and what may be written back.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, GB18030, GBK, IBM866, ISO_2022_JP, ISO_8859_2, ISO_8859_5, ISO_8859_6,
    ISO_8859_7, ISO_8859_13, ISO_8859_15, KOI8_U, MACINTOSH, SHIFT_JIS, WINDOWS_874, WINDOWS_1250,
    WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256,
    WINDOWS_1257, X_MAC_CYRILLIC,
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

const RUSSIAN: &str = "# Функция возвращает среднее значение оценок.\n# Если оценок нет, возвращается ноль.\nprint('Ошибка: файл не найден')\n";
const JAPANESE: &str =
    "# 平均を返す関数です。成績がない場合はゼロを返します。\nprint('ファイルが見つかりません')\n";
const FRENCH: &str = "# Calcule la moyenne des élèves; renvoie zéro s'il n'y a pas de notes\n# à côté du fichier généré, être ça même où\n";
const GERMAN: &str =
    "# Größe der Fläche in Metern\n# Übergibt die Länge für alle Öffnungen, außer geschlossene\n";

#[test]
fn text_in_an_encoding_that_is_certain_is_read_and_written_back() {
    for (text, encoding) in [
        (RUSSIAN, WINDOWS_1251),
        ("# функция возвращает среднее значение\n", WINDOWS_1251),
        (RUSSIAN, KOI8_U),
        (RUSSIAN, IBM866),
        (RUSSIAN, ISO_8859_5),
        ("# середнє значення оцінок; повертає нуль, якщо їх немає\n", WINDOWS_1251),
        (JAPANESE, SHIFT_JIS),
        (JAPANESE, EUC_JP),
        (JAPANESE, ISO_2022_JP),
        ("# 返回学生成绩的平均值，如果没有成绩则返回零，而不是错误。\nprint('找不到文件')\n", GBK),
        ("# 傳回學生成績的平均值，如果沒有成績則傳回零，而不是錯誤。\nprint('找不到檔案')\n", BIG5),
        ("# 학생 성적의 평균을 반환합니다. 성적이 없으면 영을 반환합니다.\n", EUC_KR),
        ("# Επιστρέφει τον μέσο όρο των βαθμών· αν δεν υπάρχουν, επιστρέφει μηδέν\n", WINDOWS_1253),
        ("# מחזיר את הממוצע של ציוני התלמידים; אם אין ציונים מחזיר אפס\n", WINDOWS_1255),
        (
            "# Příliš žluťoučký kůň úpěl ďábelské ódy\n# funkce vrací průměr hodnocení žáků\n",
            WINDOWS_1250,
        ),
        ("# Zażółć gęślą jaźń, funkcja zwraca średnią wartość ocen uczniów\n", WINDOWS_1250),
        ("# Zażółć gęślą jaźń, funkcja zwraca średnią wartość ocen uczniów\n", ISO_8859_2),
        ("# funkcija vrača povprečno oceno, če ni ocen, vrne nič; šele potem ždi\n", ISO_8859_2),
        (FRENCH, WINDOWS_1252),
        (GERMAN, WINDOWS_1252),
        ("# función que calcula el tamaño máximo del índice según la opción\n", WINDOWS_1252),
        ("# café\n", WINDOWS_1252),
        ("/* © 2001 Foo */\n", WINDOWS_1252),
        ("# the file’s “name” – 10 €\n", WINDOWS_1252),
    ] {
        let bytes = bytes_of(text, encoding);
        let found = decode(&bytes);
        let Ok(Decoded { text: read, encoding: how }) = found else {
            panic!("{} {text}: {found:?}", encoding.name())
        };
        assert_eq!((read.as_str(), how.name()), (text, encoding.name()));
        assert_eq!(how.encode(&read), Ok(bytes));
    }
}

#[test]
fn what_could_be_read_in_two_ways_is_refused() {
    let western = "Größe der Fläche, Länge, Öffnung, außer für alle";
    for (bytes, what) in [
        (bytes_of("# кот\n", WINDOWS_1251), "one short word"),
        (bytes_of(western, MACINTOSH), "an encoding that the detector does not know"),
        (bytes_of("Das kostet 10 €, die Größe der Fläche", ISO_8859_15), "a sign that is another"),
        (bytes_of("# Öğrencilerin notlarının ortalaması\n", WINDOWS_1254), "two alphabets"),
        (b"Gr\x94\xe1e der Fl\x84che, L\x84nge, \x99ffnung f\x81r alle".to_vec(), "DOS, German"),
        (b"g\x82n\x82r\x82 \x85 c\x93t\x82 du cafe; \x82l\x8aves".to_vec(), "DOS, French"),
        (b"\xe9\xe9\xe9\xe9".to_vec(), "no words"),
        (bytes_of("# a függvény hibát ad, ha a fájl üres; bővítendő\n", WINDOWS_1250), "Hungarian"),
        (bytes_of("# funkcija vrača povprečno oceno\n", WINDOWS_1250), "Slovene"),
        (bytes_of("# título\n", MACINTOSH), "a letter or an apostrophe"),
        ([RUSSIAN.as_bytes(), b"\xff"].concat(), "damaged UTF-8"),
        (b"caf\xc3\xa9 caf\xe9\n".to_vec(), "UTF-8 and Latin in one file"),
        ([bytes_of(RUSSIAN, WINDOWS_1251), bytes_of(RUSSIAN, KOI8_U)].concat(), "two encodings"),
        ([bytes_of(JAPANESE, SHIFT_JIS), bytes_of(JAPANESE, EUC_JP)].concat(), "two encodings"),
        ([bytes_of(RUSSIAN, WINDOWS_1251), b"\x1b[0m".to_vec()].concat(), "control characters"),
        (b"\xef\xbb\xbf\xff".to_vec(), "a mark before what is not UTF-8"),
        ((0x80..=0xff).collect(), "every byte"),
    ] {
        let found = decode(&bytes).map(|found| (found.text, found.encoding.name()));
        assert_eq!(found, Err(NotText::Uncertain), "{what}");
    }
}

#[test]
fn multibyte_text_that_would_not_be_written_back_is_refused() {
    // NEC's row 13 and IBM's rows hold some characters twice; only one of the two is written.
    let twice = [bytes_of(JAPANESE, SHIFT_JIS), b"\xfa\x4a\n".to_vec()].concat();
    let (text, _, bad) = SHIFT_JIS.decode(&twice);
    assert!(!bad && SHIFT_JIS.encode(&text).0 != twice);
    assert_eq!(decode(&twice), Err(NotText::Uncertain));
    // Four bytes of GB 18030 are read as GBK, but not written as it.
    let text = "# 返回学生成绩的平均值，如果没有成绩则返回零，而不是错误。\n";
    let four = [bytes_of(text, GBK), bytes_of("Ϣ", GB18030)].concat();
    assert_eq!(decode(&four), Err(NotText::Uncertain));
}

#[test]
fn escapes_that_are_no_japanese_are_told_as_such() {
    for (bytes, what) in [
        (&b"\x1b$)C\x0e@\x0f"[..], "Korean by escapes"),
        (b"\x1b$B0", "half a character"),
        (b"\x1b$B\x1b(Ba", "escapes that are not written again"),
    ] {
        assert_eq!(decode(bytes), Err(NotText::Escapes), "{what}");
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
fn a_declaration_makes_an_encoding_certain_where_the_bytes_go_with_it() {
    for (text, encoding) in [
        ("# coding: iso-8859-9\n# Öğrencilerin notlarının ortalaması\n", WINDOWS_1254),
        ("# coding: iso-8859-15\n# Das kostet 10 €, die Größe der Fläche\n", ISO_8859_15),
        ("# coding: macroman\n# Größe der Fläche\n", MACINTOSH),
        ("# coding: cp1251\n# кот\n", WINDOWS_1251),
    ] {
        let bytes = bytes_of(text, encoding);
        let found = decode(&bytes).unwrap();
        assert_eq!((found.text.as_str(), found.encoding.name()), (text, encoding.name()));
    }
    let damaged = ["# coding: cp1251\n".as_bytes(), RUSSIAN.as_bytes(), b"\xff"].concat();
    assert_eq!(decode(&damaged), Err(NotText::Uncertain));
    // The quotes are control characters in what is declared.
    let quotes = b"# coding: iso-8859-1\n# \x93\xe9\x94\xe1\xf3\n";
    assert!(decode(quotes).is_err());
}

#[test]
fn kazakh_is_not_taken_for_a_mixture_of_other_languages() {
    let kazakh = "# бґл функция орташа мјнді ќайтарады, ќате болса нґл; ѕылыми єылым\n";
    assert_eq!(decode(&bytes_of(kazakh, WINDOWS_1251)), Err(NotText::Uncertain));
}

#[test]
fn binary_is_refused_with_what_it_is() {
    for (bytes, fault) in [
        (&b"a\0b"[..], NotText::Binary),
        (b"\xef\xbb\xbfa\0", NotText::Binary),
        (b"\xe9\0", NotText::Binary),
        (b"a\0b\0", NotText::Binary),
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
        (RUSSIAN, KOI8_U, 'Ў'),
        (JAPANESE, SHIFT_JIS, '😀'),
        // Written without complaint, and read back as a backslash, a tilde, another dash.
        (JAPANESE, SHIFT_JIS, '¥'),
        (JAPANESE, SHIFT_JIS, '‾'),
        (JAPANESE, EUC_JP, '¥'),
        (JAPANESE, EUC_JP, '−'),
        (JAPANESE, ISO_2022_JP, 'ｱ'),
        (FRENCH, WINDOWS_1252, 'ж'),
        // The file says nothing of which Latin encoding it is in, and they differ here.
        (GERMAN, WINDOWS_1252, '€'),
        (GERMAN, WINDOWS_1252, 'ñ'),
    ] {
        let found = decode(&bytes_of(text, encoding)).unwrap().encoding;
        let refused = found.encode(&format!("{text}{new}"));
        let (character, encoding) = (new, encoding.name());
        let expected = if text == GERMAN || encoding == "KOI8-U" {
            Unwritable::Open { character, encoding }
        } else {
            Unwritable::Lacking { character, encoding }
        };
        assert_eq!(refused, Err(expected), "{new}");
    }
    let fault = Unwritable::Lacking { character: '中', encoding: "windows-1251" };
    assert_eq!(fault.to_string(), "`中` (U+4E2D) cannot be written in its encoding, windows-1251");
}

#[test]
fn new_characters_are_written_where_all_readings_agree_on_them() {
    for (text, encoding, new) in [
        (RUSSIAN, WINDOWS_1251, "Ёж №5 — «да»"),
        (JAPANESE, SHIFT_JIS, "漢字ｱ"),
        (JAPANESE, ISO_2022_JP, "漢字"),
        (GERMAN, WINDOWS_1252, "é"),
        (FRENCH, WINDOWS_1252, "à"),
        ("# the file’s “name”, café\n", WINDOWS_1252, "…"),
    ] {
        let found = decode(&bytes_of(text, encoding)).unwrap().encoding;
        let whole = format!("{text}{new}\n");
        assert_eq!(found.encode(&whole), Ok(bytes_of(&whole, encoding)), "{new}");
    }
}

proptest! {
    #[test]
    fn whatever_is_read_is_written_back_to_the_byte(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(found) = decode(&bytes) {
            prop_assert_eq!(found.encoding.encode(&found.text), Ok(bytes));
        }
    }

    #[test]
    fn an_edited_text_is_read_back_as_it_was_meant(
        kept in "[абвгд 中\r\né]{0,20}", new in "[a-zа-яéñ¥‾−中ｱ€\r\n\\\\~]{0,20}", which in 0_usize..6,
    ) {
        let encoding = [WINDOWS_1251, SHIFT_JIS, EUC_JP, GBK, ISO_2022_JP, KOI8_U][which];
        if let Ok(bytes) = write(encoding, &[kept.as_str(), &new].concat()) {
            let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes);
            let meant = [kept, new].concat();
            prop_assert_eq!(text.as_deref(), Some(meant.as_str()));
        }
    }

    #[test]
    fn utf16_is_read_and_written_whatever_it_says(text in "\\PC{0,30}(\r\n|\n|\r)?") {
        prop_assume!(certainty::is_clean(&text));
        for to in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes = utf16(&text, to);
            prop_assert_eq!(decode(&bytes).map(|found| found.text), Ok(text.clone()));
        }
    }
}

/// Sentences as they stand in sources, with the encodings people kept them in.
const SENTENCES: [(&str, &[&encoding_rs::Encoding]); 35] = [
    ("функция возвращает среднее значение оценок а если их нет то ошибку файл не найден", CYRILLIC),
    (
        "функція повертає середнє значення оцінок якщо їх немає то помилку файл не знайдено",
        &[WINDOWS_1251, KOI8_U],
    ),
    (
        "функцията връща средната стойност на оценките файлът не е намерен",
        &[WINDOWS_1251, ISO_8859_5],
    ),
    (
        "η συνάρτηση επιστρέφει τον μέσο όρο των βαθμών το αρχείο δεν βρέθηκε",
        &[WINDOWS_1253, ISO_8859_7],
    ),
    ("הפונקציה מחזירה את הממוצע של הציונים הקובץ לא נמצא", &[WINDOWS_1255]),
    ("تعيد الدالة متوسط درجات الطلاب لم يتم العثور على الملف", &[WINDOWS_1256, ISO_8859_6]),
    ("ฟังก์ชันนี้คืนค่าเฉลี่ยของคะแนน ไม่พบไฟล์", &[WINDOWS_874]),
    ("la fonction renvoie la moyenne des élèves à côté du fichier généré où ça échoue", WESTERN),
    ("die Funktion gibt den Durchschnitt zurück; für größere Längen außerhalb öffnen", WESTERN),
    ("la función devuelve el tamaño máximo según la opción del año", WESTERN),
    ("a função devolve a média dos alunos; não há notas, então é zero à direita", WESTERN),
    ("la funzione è così più facile perché ciò può dare la qualità", WESTERN),
    ("funktionen återställer värdet på en öppen fil från början", WESTERN),
    ("funktion palauttaa keskiarvon mikäli tiedostoa ei löydy käyttäjältä", WESTERN),
    ("aðferðin skilar meðaltali þegar skráin er ekki til það er villa", WESTERN),
    ("funkcja zwraca średnią wartość ocen uczniów jeśli żadna nie jest źle łączona", CENTRAL),
    ("funkce vrací průměr hodnocení žáků když žádné nejsou vrátí nulu příliš žluťoučký", CENTRAL),
    ("a függvény visszaadja az átlagot ha a fájl üres hibát jelez bővítendő és fűzhető", CENTRAL),
    ("funkcija vrača povprečno oceno če ocen ni vrne nič šele potem že", CENTRAL),
    (
        "fonksiyon öğrencilerin not ortalamasını döndürür çünkü dosya bulunamadı şimdi",
        &[WINDOWS_1254],
    ),
    (
        "funkcija grąžina mokinių pažymių vidurkį jei pažymių nėra grąžina nulį",
        &[WINDOWS_1257, ISO_8859_13],
    ),
    (
        "funkcija atgriež viņa vidējo atzīmi ja fails nav atrasts tad kļūda šeit",
        &[WINDOWS_1257, encoding_rs::ISO_8859_4],
    ),
    (
        "funkcija vraća prosječnu ocjenu učenika ako nema ocjena tada javlja grešku đak žuti",
        CENTRAL,
    ),
    (
        "funkcia vráti priemerné hodnotenie žiakov keď súbor nie je nájdený vypíše chybu ľahko",
        CENTRAL,
    ),
    ("funcţia întoarce media notelor dacă fişierul nu există atunci apare o eroare", CENTRAL),
    (
        "funksjonen returnerer gjennomsnittet når filen ikke finnes får du en feil på øya æsj",
        WESTERN,
    ),
    ("metoden giver gennemsnittet når ældre filer ikke kan læses så prøv først på øen", WESTERN),
    (
        "funksioni kthen mesataren e notave nëse skedari nuk gjendet atëherë është gabim çfarë",
        WESTERN,
    ),
    ("la funció retorna la mitjana però si no hi ha fitxer dóna un error això és així", WESTERN),
    ("функција враћа просечну оцену ако датотека не постоји јавља грешку људи", CYRILLIC_ALL),
    ("функцыя вяртае сярэдняе значэнне ацэнак калі файл не знойдзены гэта памылка", CYRILLIC_ALL),
    ("функцијата враќа просечна оценка ако датотеката не постои има грешка", CYRILLIC_ALL),
    ("Müller Groß José García Dvořák Łukasz Šťastný Bjørn Åse Đoković Çelik Ağaoğlu", ANY_LATIN),
    ("funcția întoarce media notelor dacă fișierul nu există", &[encoding_rs::ISO_8859_16]),
    (
        "funktsioon tagastab õpilaste keskmise hinde kui faili pole siis väärtus on öö",
        &[WINDOWS_1257, WINDOWS_1252],
    ),
];
const CYRILLIC: &[&encoding_rs::Encoding] =
    &[WINDOWS_1251, KOI8_U, IBM866, ISO_8859_5, X_MAC_CYRILLIC];
const CYRILLIC_ALL: &[&encoding_rs::Encoding] = &[WINDOWS_1251, ISO_8859_5, IBM866, KOI8_U];
const ANY_LATIN: &[&encoding_rs::Encoding] = &[
    WINDOWS_1252,
    ISO_8859_15,
    MACINTOSH,
    WINDOWS_1250,
    ISO_8859_2,
    WINDOWS_1254,
    WINDOWS_1257,
    ISO_8859_13,
];
const WESTERN: &[&encoding_rs::Encoding] = &[WINDOWS_1252, ISO_8859_15, MACINTOSH];
const CENTRAL: &[&encoding_rs::Encoding] = &[WINDOWS_1250, ISO_8859_2];

/// The same for writing without spaces, with all encodings of its kind.
const WIDE: [(&str, &[&encoding_rs::Encoding]); 4] = [
    (
        "平均を返す関数です。成績がない場合はゼロを返します。ファイルが見つかりません。設定を確認してください",
        &[SHIFT_JIS, EUC_JP, ISO_2022_JP],
    ),
    (
        "返回学生成绩的平均值，如果没有成绩则返回零，而不是错误。找不到文件，请检查配置是否正确",
        &[GBK],
    ),
    (
        "傳回學生成績的平均值，如果沒有成績則傳回零，而不是錯誤。找不到檔案，請檢查設定是否正確",
        &[BIG5],
    ),
    (
        "학생 성적의 평균을 반환합니다. 성적이 없으면 영을 반환합니다. 파일을 찾을 수 없습니다",
        &[EUC_KR],
    ),
];

#[test]
#[expect(clippy::print_stdout, reason = "says how much is read and how much refused")]
fn no_run_of_words_is_read_as_something_else() {
    let (mut right, mut refused, mut wrong) = (0, 0, Vec::new());
    let words = SENTENCES.iter().map(|(text, of)| (text.split_inclusive(' ').collect(), of));
    let signs = WIDE.iter().map(|(text, of)| (text.split_inclusive(|_| true).collect(), of));
    for (parts, encodings) in words.chain(signs) {
        let parts: Vec<&str> = parts;
        let runs =
            (0..parts.len()).flat_map(|from| (from + 1..=parts.len()).map(move |to| from..to));
        for (run, encoding) in
            runs.flat_map(|run| encodings.iter().map(move |known| (run.clone(), known)))
        {
            let text = format!("# {}\n", parts[run].concat());
            // By chance a sign or two are valid UTF-8; then they are UTF-8.
            let (bytes, _, lost) = encoding.encode(&text);
            if lost || *encoding != ISO_2022_JP && std::str::from_utf8(&bytes).is_ok() {
                continue;
            }
            match decode(&bytes_of(&text, encoding)) {
                Ok(found) if found.text == text => right += 1,
                Ok(found) => wrong.push((text, encoding.name(), found.text, found.encoding.name())),
                Err(_) => refused += 1,
            }
        }
    }
    println!("{right} right, {refused} refused, {} wrong", wrong.len());
    assert_eq!(wrong, []);
    assert!(right > 1000, "{right} right, {refused} refused");
}
