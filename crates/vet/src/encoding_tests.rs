//! Files that are not plain UTF-8: what a reply changes, and what stays to the byte.

use std::collections::BTreeMap;

use encoding_rs::{EUC_JP, SHIFT_JIS, WINDOWS_1251};
use serde_json::{Value, json};

use super::*;
use papayu_base::domain::{ActionKind, Sha256, Version};
use papayu_base::text::Masker;
use papayu_base::text::lines::normalize_to_lf;
use papayu_patch::Change;
use papayu_patch::protocol::decode_actions;

const RUSSIAN: &str = "# coding: cp1251, среднее значение\r\nprint('нет')\r\n";
const JAPANESE: &str =
    "# coding: shift_jis 平均を返す関数です\nprint('ファイルが見つかりません')\n";

fn utf16(text: &str, to: fn(u16) -> [u8; 2]) -> Vec<u8> {
    ["\u{feff}", text].concat().encode_utf16().flat_map(to).collect()
}

struct OneFile<'a>(&'a [u8]);

impl PathFacts for OneFile<'_> {
    fn find(&self, path: &RepoPath, _: ActionKind) -> PathFact {
        PathFact::File { resolved: path.clone(), bytes: self.0.to_vec() }
    }
}

/// Vets one action on one file, and returns the file's new bytes.
fn changed(version: Version, before: &[u8], mut action: Value) -> Result<Vec<u8>, String> {
    action["path"] = "f".into();
    if action["kind"] != "UPDATE_FILE" {
        action["base_sha256"] = Sha256::of(before).to_string().into();
    }
    let reply = json!({ "actions": [action], "summary": "test" }).to_string();
    let (set, _) = decode_actions(version, &reply).unwrap();
    let shown = BTreeMap::from([(RepoPath::parse("f").unwrap(), Sha256::of(before))]);
    let masker = Masker::new([]);
    let files = OneFile(before);
    let snapshot = Snapshot { files: &files, shown: &shown, earlier: None, masker: &masker };
    let change = vet(set, &snapshot, &Policy::default()).map_err(|refusal| refusal.to_string())?;
    let [Change::WriteFile { after, .. }] = change.whole().changes() else {
        panic!("{:?}", change.whole().changes())
    };
    Ok(after.clone())
}

fn patch(hunk: &str) -> Value {
    json!({ "kind": "PATCH_FILE", "patch": format!("--- a/f\n+++ b/f\n{hunk}") })
}

#[test]
fn a_patch_keeps_encoding_mark_and_line_ends_of_every_byte_it_does_not_touch() {
    let hunk = |text: &str| -> (Value, String) {
        let line = text.lines().nth(1).unwrap();
        let new = line.replace("print", "echo");
        (patch(&format!("@@ -2 +2 @@\n-{line}\n+{new}\n")), text.replace("print", "echo"))
    };
    let bytes =
        |encoding: &'static encoding_rs::Encoding, text: &str| encoding.encode(text).0.into_owned();
    let russian = hunk(RUSSIAN);
    let japanese = hunk(JAPANESE);
    let euc = JAPANESE.replace("shift_jis", "euc-jp");
    let japanese_euc = hunk(&euc);
    for (before, (action, after), write) in [
        (
            utf16(RUSSIAN, u16::to_le_bytes),
            russian.clone(),
            &(|text: &str| utf16(text, u16::to_le_bytes)) as &dyn Fn(&str) -> Vec<u8>,
        ),
        (utf16(RUSSIAN, u16::to_be_bytes), russian.clone(), &|text| utf16(text, u16::to_be_bytes)),
        (["\u{feff}", RUSSIAN].concat().into(), russian.clone(), &|text| {
            ["\u{feff}", text].concat().into()
        }),
        (bytes(WINDOWS_1251, RUSSIAN), russian, &|text| bytes(WINDOWS_1251, text)),
        (bytes(SHIFT_JIS, JAPANESE), japanese, &|text| bytes(SHIFT_JIS, text)),
        (bytes(EUC_JP, &euc), japanese_euc, &|text| bytes(EUC_JP, text)),
    ] {
        assert_eq!(changed(Version::V2, &before, action), Ok(write(&after)));
    }
}

#[test]
fn ranges_and_whole_files_keep_them_too() {
    let before = utf16("one\r\ntwo\r\nthree", u16::to_le_bytes);
    let range =
        json!({ "kind": "REPLACE_RANGE", "start_line": 2, "end_line": 3, "content": "2\n3é\n" });
    assert_eq!(changed(Version::V2, &before, range), Ok(utf16("one\r\n2\r\n3é", u16::to_le_bytes)));
    let whole = |content: &str| json!({ "kind": "UPDATE_FILE", "content": content });
    assert_eq!(
        changed(Version::V1, &before, whole("one\n2\n")),
        Ok(utf16("one\r\n2\r\n", u16::to_le_bytes))
    );
    let (before, _, _) = WINDOWS_1251.encode(RUSSIAN);
    let content = RUSSIAN.replace("нет", "да").replace("\r\n", "\n");
    let after = RUSSIAN.replace("нет", "да");
    let (after, _, _) = WINDOWS_1251.encode(&after);
    assert_eq!(changed(Version::V1, &before, whole(&content)), Ok(after.into_owned()));
    // Its mark is the file's, whether the reply writes one or not.
    for content in ["\u{feff}new\n", "new\n"] {
        assert_eq!(
            changed(Version::V1, "\u{feff}old\n".as_bytes(), whole(content)),
            Ok("\u{feff}new\n".into())
        );
    }
}

#[test]
fn a_patch_that_writes_the_mark_itself_lands_and_adds_no_second_one() {
    let before = "\u{feff}a = 1\nb\n".as_bytes();
    for hunk in [
        "@@ -1,2 +1,2 @@\n-\u{feff}a = 1\n+\u{feff}a = 2\n b\n",
        "@@ -1,2 +1,2 @@\n-\u{feff}a = 1\n+a = 2\n b\n",
        "@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n b\n",
    ] {
        assert_eq!(changed(Version::V2, before, patch(hunk)), Ok("\u{feff}a = 2\nb\n".into()));
    }
}

#[test]
fn lines_that_stay_keep_their_own_ends_and_a_lone_return_is_no_end() {
    let before = b"a\r\nb\nc\rd\r\ne\n";
    let hunk = patch("@@ -1,4 +1,4 @@\n a\n-b\n+B\n c\rd\n e\n");
    assert_eq!(changed(Version::V2, before, hunk), Ok(b"a\r\nB\nc\rd\r\ne\n".to_vec()));
    let whole = json!({ "kind": "UPDATE_FILE", "content": "a\nb\nnew\ne\n" });
    assert_eq!(
        changed(Version::V1, b"a\r\nb\nc\r\ne\n", whole),
        Ok(b"a\r\nb\nnew\r\ne\n".to_vec())
    );
    assert_eq!(normalize_to_lf("a\r\nb\rc\n"), "a\nb\rc\n");
}

#[test]
fn what_the_files_encoding_cannot_hold_is_refused_with_the_character() {
    let (before, _, _) = WINDOWS_1251.encode(RUSSIAN);
    let hunk = patch("@@ -2 +2 @@\n-print('нет')\n+print('no 中')\n");
    let refused =
        "ERR_NON_UTF8_FILE: `f` `中` (U+4E2D) cannot be written in its encoding, windows-1251";
    assert_eq!(changed(Version::V2, &before, hunk), Err(refused.to_owned()));
    let whole = json!({ "kind": "UPDATE_FILE", "content": "中\n" });
    assert_eq!(changed(Version::V1, &before, whole), Err(refused.to_owned()));
    let (before, _, _) = SHIFT_JIS.encode(JAPANESE);
    let hunk = patch("@@ -2 +2 @@\n-print('ファイルが見つかりません')\n+print('¥')\n");
    let refused =
        "ERR_NON_UTF8_FILE: `f` `¥` (U+00A5) cannot be written in its encoding, Shift_JIS";
    assert_eq!(changed(Version::V2, &before, hunk), Err(refused.to_owned()));
}

#[test]
fn a_whole_new_text_does_not_replace_what_could_not_be_read() {
    for (before, why) in [
        (
            &b"caf\xc3\xa9 caf\xe9\n"[..],
            "line 1 is not ASCII and the file does not declare its encoding, so only ASCII lines can change",
        ),
        (b"\0", "it is binary: it contains NUL"),
    ] {
        let whole = json!({ "kind": "UPDATE_FILE", "content": "new\n" });
        let refused = format!("ERR_NON_UTF8_FILE: `f` {why}");
        assert_eq!(changed(Version::V1, before, whole), Err(refused));
    }
}
