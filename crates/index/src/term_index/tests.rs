//! Words of texts, and the files they lead to.
use super::*;
use crate::Index;

fn words(text: &str) -> Vec<u32> {
    hash_terms(text)
}

/// Returns the hashes of words that stand alone.
fn plain(list: &[&str]) -> Vec<u32> {
    list.iter().flat_map(|word| hash_terms(word)).collect()
}

#[test]
fn odd_texts_have_few_words_and_end() {
    let long = "x".repeat(10_000_000);
    assert_eq!(words(&long), Vec::<u32>::new());
    let alternating = "aB".repeat(100_000);
    assert!(words(&alternating).len() < 200_001);
    for odd in ["", "_", "___$", "\0\0", "a", "A", "é", "1 2 3", "\u{feff}", "İ"] {
        assert!(words(odd).len() <= 1, "{odd:?}");
    }
}

#[test]
fn an_identifier_counts_by_its_parts_and_as_a_whole() {
    for (identifier, parts) in [
        ("userService", &["user", "service", "userservice"][..]),
        ("user_service", &["user", "service", "userservice"]),
        ("HTTPServer2", &["http", "server2", "httpserver2"]),
        ("parseURLOf", &["parse", "url", "of", "parseurlof"]),
        ("_private", &["private"]),
        ("sha256", &["sha256"]),
        ("ИмяФайла", &["имя", "файла", "имяфайла"]),
        ("$el", &["el"]),
        ("a.b.cart", &["cart"]),
    ] {
        assert_eq!(words(identifier), plain(parts), "{identifier}");
    }
}

#[test]
fn a_bag_is_small_and_a_damaged_one_is_read_as_far_as_it_goes() {
    let text = "function parseLine(line) { return line.trim(); }\n".repeat(1000);
    let bag = encode_bag(&text);
    assert!(bag.len() < 64, "{} bytes", bag.len());
    let mut counts = [0];
    let total = count_in_bag(&bag, &plain(&["line"]), &mut counts);
    assert_eq!((counts, total), ([3000], 8000));
    for end in 0..bag.len() {
        count_in_bag(&bag[..end], &plain(&["line"]), &mut [0]);
    }
    count_in_bag(&[0xff; 1000], &plain(&["line"]), &mut [0]);
}

#[test]
fn the_file_that_says_it_more_often_and_is_shorter_comes_first_and_equals_come_by_path() {
    let filler = "other words that fill the file ".repeat(50);
    let long = format!("saveCart {filler}");
    let texts = [
        ("b.ts", "function saveCart() {}"),
        ("a.ts", "function saveCart() {}"),
        ("twice.ts", "function saveCart() { saveCart() }"),
        ("long.ts", long.as_str()),
        ("save.ts", "save()"),
        ("none.ts", "nothing here"),
    ];
    let index = Index::of_texts(&texts);
    let words = index.terms_of_texts(&texts);
    let names = |query: &[&str], limit| {
        let ranked = words.rank_files(query, limit);
        let name = |(id, _): (FileId, f32)| index.file(id).unwrap().path.clone();
        ranked.into_iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names(&["saveCart"], 9), ["twice.ts", "a.ts", "b.ts", "save.ts", "long.ts"]);
    assert_eq!(names(&["saveCart"], 2), ["twice.ts", "a.ts"]);
    assert_eq!(names(&["save_cart"], 1), ["twice.ts"]);
    assert_eq!(names(&["absent"], 9), Vec::<String>::new());
    assert_eq!(names(&[], 9), Vec::<String>::new());
    assert_eq!(TermIndex::default().rank_files(&["x"], 9), []);
}
