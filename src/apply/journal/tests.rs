//! What the journal's format keeps, and what it refuses.

use super::*;

fn path(text: &str) -> RepoPath {
    RepoPath::parse(text).unwrap()
}

fn journal() -> Journal {
    let image = |text: &[u8], mode| Some(Image { bytes: text.to_vec(), mode });
    let file =
        |name: &str, before, after| Step { path: path(name), what: What::File { before, after } };
    Journal {
        number: 7,
        run_id: RunId::new("run".into()),
        created_at: "2026-08-07T09:00:00.000Z".into(),
        steps: vec![
            Step { path: path("новая папка"), what: What::MakeDir },
            file("новая папка/a", None, image(b"", 0o644)),
            file("b", image(b"\xff\0\n{}\n", 0o755), image(b"text\n", 0o755)),
            file("c/d", image(b"gone", 0o400), None),
            Step { path: path("c"), what: What::DropDir },
        ],
    }
}

fn decode(bytes: &[u8]) -> Result<Journal, ApplyError> {
    Journal::decode(&path("journal"), 7, bytes)
}

#[test]
fn a_journal_is_read_back_as_it_was_written() {
    assert_eq!(decode(&journal().encode().unwrap()).unwrap(), journal());
}

#[test]
fn a_journal_cut_off_anywhere_or_damaged_is_refused() {
    let bytes = journal().encode().unwrap();
    for end in 0..bytes.len() {
        assert!(matches!(decode(&bytes[..end]), Err(ApplyError::BrokenJournal { .. })), "{end}");
    }
    let mut longer = bytes.clone();
    longer.push(b'x');
    assert!(decode(&longer).is_err());
    let mut damaged = bytes;
    *damaged.last_mut().unwrap() ^= 1;
    assert_eq!(
        decode(&damaged).unwrap_err().to_string(),
        "`journal` holds an image that is damaged"
    );
}

#[test]
fn a_forged_journal_reaches_neither_git_nor_this_program_nor_beyond_the_root() {
    let text = String::from_utf8_lossy(&journal().encode().unwrap()).into_owned();
    let head = text.lines().next().unwrap();
    for (from, to, reason) in [
        ("\"c\"", "\".git\"", "changes what is not ours to change"),
        ("\"c\"", "\"sub/.GIT/hooks\"", "changes what is not ours to change"),
        ("\"c\"", "\".papa-yu/lock\"", "changes what is not ours to change"),
        ("\"c\"", "\"../c\"", "names a path that is not allowed"),
        ("\"remove_dir\"", "\"create_file\"", "has a step without its images"),
        (
            "\"schema_version\":1",
            "\"schema_version\":2",
            "was written by another version of this program",
        ),
    ] {
        let mut forged = head.replace(from, to).into_bytes();
        let whole = journal().encode().unwrap();
        forged.extend_from_slice(&whole[head.len()..]);
        assert_eq!(decode(&forged).unwrap_err().to_string(), format!("`journal` {reason}"), "{to}");
    }
}

#[test]
fn unknown_fields_are_let_pass() {
    let bytes = journal().encode().unwrap();
    let mut newer = b"{\"later\":[1],".to_vec();
    newer.extend_from_slice(&bytes[1..]);
    assert_eq!(decode(&newer).unwrap(), journal());
}
