use super::*;

const MISSPELT: &str = include_str!("../recorded/misspelt_variable.jsonl");

fn read_in_chunks(output: &[u8], size: usize) -> Vec<CompilerError> {
    let mut reader = MessageReader::default();
    output.chunks(size).for_each(|chunk| reader.take(chunk));
    reader.finish()
}

#[test]
fn an_error_that_the_library_and_its_tests_share_is_kept_once_however_the_bytes_are_cut() {
    for size in [1, 7, 4096, usize::MAX] {
        let errors = read_in_chunks(MISSPELT.as_bytes(), size);
        let messages: Vec<_> =
            errors.iter().map(|error| error.diagnostic.message.as_str()).collect();
        assert_eq!(messages, ["cannot find value `heigth` in this scope"], "{size}");
    }
}

#[test]
fn lines_of_standard_error_around_a_message_do_no_harm() {
    let line = MISSPELT.lines().next().unwrap();
    let noisy =
        format!("error: could not{line}error: could not compile\n\u{1b}[1mwarning\u{1b}[0m\n{{\n");
    let errors = read_in_chunks(noisy.as_bytes(), usize::MAX);
    assert_eq!(errors, read_in_chunks(line.as_bytes(), usize::MAX));
    assert_eq!(errors.len(), 1);
}

#[test]
fn warnings_and_messages_cut_short_are_not_errors() {
    let warning = MISSPELT.replace(r#""level":"error""#, r#""level":"warning""#);
    let cut = MISSPELT.lines().next().unwrap().get(..900).unwrap();
    for output in [warning.as_str(), cut, "", "\n\n", r#"{"reason":"compiler-message"}"#] {
        assert_eq!(read_in_chunks(output.as_bytes(), 64), [], "{output}");
    }
}

#[test]
fn a_line_without_end_is_dropped_and_what_follows_it_is_read() {
    let mut reader = MessageReader::default();
    for _ in 0..6 {
        reader.take(&vec![b'x'; 1 << 20]);
        assert!(reader.line.len() <= MAX_LINE_BYTES);
    }
    reader.take(b"\n");
    reader.take(MISSPELT.as_bytes());
    assert_eq!(reader.finish().len(), 1);
}
