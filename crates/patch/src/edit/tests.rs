//! Edits that land, edits that must not, and what no list of edits may do to a file.

use proptest::prelude::*;

use super::*;
use papayu_base::domain::{Edit, EditOp, ErrorCode};
use papayu_base::text::lines::dominant_ending;

fn edit(op: EditOp, [anchor, before, after]: [&str; 3]) -> Edit {
    Edit { op, anchor: anchor.into(), before: before.into(), after: after.into() }
}

fn replace(anchor: &str, before: &str, after: &str) -> Edit {
    edit(EditOp::Replace, [anchor, before, after])
}

fn insert_before(anchor: &str, before: &str, after: &str) -> Edit {
    edit(EditOp::InsertBefore, [anchor, before, after])
}

fn insert_after(anchor: &str, before: &str, after: &str) -> Edit {
    edit(EditOp::InsertAfter, [anchor, before, after])
}

fn delete(anchor: &str, before: &str) -> Edit {
    edit(EditOp::Delete, [anchor, before, ""])
}

/// Returns the new text, or the code and the sentence of the refusal.
fn landed(before: &str, edits: &[Edit]) -> Result<String, (ErrorCode, String)> {
    apply_edits(before, edits)
        .map(|landed| landed.after)
        .map_err(|fault| (fault.code, fault.to_string()))
}

const NOT_INDENTED: &str = "its texts are not indented as the file is; copy whole lines";

/// A file with a function that stands twice in all but its name.
const TWINS: &str =
    "def one(x):\n    y = x + 1\n    return y\n\n\ndef two(x):\n    y = x + 1\n    return y\n";

fn far_apart() -> String {
    let gap = "    pass\n".repeat(200);
    format!("def one(x):\n    return x\n{gap}def two(x):\n    return x\n")
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn what_could_land_in_two_places_is_refused() {
    let far = far_apart();
    let wide = format!("def one(x):\n{}    return x\n", "    pass\n".repeat(find::REACH));
    for (before, edit, code, message) in [
        // An anchor that is not one.
        (
            TWINS,
            replace("return y", "y = x + 1", "y = x"),
            ErrorCode::EditAmbiguous,
            "its anchor occurs at line 3 and at line 8; a longer text must show which is meant",
        ),
        (
            TWINS,
            replace("def three", "y = x + 1", "y = x"),
            ErrorCode::EditAnchorNotFound,
            "its anchor is not in the file",
        ),
        // A region that holds both twins, and a file that does.
        (
            TWINS,
            replace("def two(x):", "y = x + 1", "y = x"),
            ErrorCode::EditAmbiguous,
            "its `before` occurs at line 2 and at line 7; a longer text must show which is meant",
        ),
        (
            TWINS,
            delete("", "    return y\n"),
            ErrorCode::EditAmbiguous,
            "its `before` occurs at line 3 and at line 8; a longer text must show which is meant",
        ),
        // Places that overlap are two places.
        (
            "a\na\na\n",
            replace("", "a\na", "b"),
            ErrorCode::EditAmbiguous,
            "its `before` occurs at line 1 and at line 2; a longer text must show which is meant",
        ),
        (
            "f(x, x)\n",
            replace("", "x", "y"),
            ErrorCode::EditAmbiguous,
            "its `before` occurs more than once in line 1; a longer text must show which is meant",
        ),
        // A model that drops the indentation may mean the indented line.
        (
            "x = 1\nif y:\n    x = 1\n",
            replace("", "x = 1", "x = 2"),
            ErrorCode::EditAmbiguous,
            "its `before` occurs at line 1 and at line 3; a longer text must show which is meant",
        ),
        // Two places that differ in white space at the end only.
        (
            "a \nb\na  \n",
            delete("", "a\n"),
            ErrorCode::EditAmbiguous,
            "its `before` occurs at line 1 and at line 3; a longer text must show which is meant",
        ),
        // Never inside a word.
        (
            "max = 10\n",
            replace("", "x = 1", "x = 2"),
            ErrorCode::EditBeforeNotFound,
            "its `before` occurs only in the middle of a word, at line 1",
        ),
        (
            "größe = 1\n",
            replace("", "gr", "G"),
            ErrorCode::EditBeforeNotFound,
            "its `before` occurs only in the middle of a word, at line 1",
        ),
        (
            "x = a or b\n",
            replace("", "a or ", "not"),
            ErrorCode::EditAmbiguous,
            "it would make one word of two; name them whole",
        ),
        (
            "return not x\n",
            delete("", " not "),
            ErrorCode::EditAmbiguous,
            "it would make one word of two; name them whole",
        ),
        (
            "cafe\u{301} = 1\n",
            replace("", "cafe", "tea"),
            ErrorCode::EditBeforeNotFound,
            "its `before` occurs only in the middle of a word, at line 1",
        ),
        (
            "a; b;\n",
            replace("", "a;", "a;\n"),
            ErrorCode::EditAmbiguous,
            "its `after` ends a line in the middle of one; copy whole lines",
        ),
        // The right text, and too far from the anchor.
        (
            &far,
            replace("def one(x):", "def two(x):\n    return x", "y"),
            ErrorCode::EditBeforeNotFound,
            "its `before` is not within 80 lines of its anchor",
        ),
        (
            &wide,
            replace("def one(x):", "return x", "y"),
            ErrorCode::EditBeforeNotFound,
            "its `before` is not within 80 lines of its anchor",
        ),
        // A first newline is an empty line, not the end of the line above.
        (
            "a\nb\n",
            replace("", "\nb", "c"),
            ErrorCode::EditBeforeNotFound,
            "its `before` is not in the file",
        ),
        // Indentation that the file has not.
        (
            "if y:\n    x = 1\n",
            replace("", "x = 1", "    x = 2"),
            ErrorCode::EditAmbiguous,
            "its texts are not indented as the file is; copy whole lines",
        ),
        (
            "if y:\n    x = 1\n",
            replace("", "  x = 1", "  x = 2"),
            ErrorCode::EditAmbiguous,
            "its texts are not indented as the file is; copy whole lines",
        ),
        // Texts that do not go with the operation.
        (
            "a\n",
            replace("a", "", "b"),
            ErrorCode::EditBeforeNotFound,
            "it has no `before`, which replace requires",
        ),
        (
            "a\n",
            delete("a", ""),
            ErrorCode::EditBeforeNotFound,
            "it has no `before`, which delete requires",
        ),
        (
            "a\n",
            edit(EditOp::Delete, ["", "a", "b"]),
            ErrorCode::EditAmbiguous,
            "a delete has no `after`; use replace to put text there",
        ),
        (
            "a\n",
            insert_after("", "", "b"),
            ErrorCode::EditAnchorNotFound,
            "it has neither `anchor` nor `before`, so its place cannot be known",
        ),
        (
            "a\n",
            insert_after("a", "", ""),
            ErrorCode::EditAmbiguous,
            "it has no `after`, the lines to insert",
        ),
        (
            "use a;\n",
            insert_after("use a;", "", "use a;\nuse b;"),
            ErrorCode::EditAmbiguous,
            "its `after` repeats the lines next to it; give only the lines to insert",
        ),
        (
            "use b;\n",
            insert_before("use b;", "", "use a;\nuse b;"),
            ErrorCode::EditAmbiguous,
            "its `after` repeats the lines next to it; give only the lines to insert",
        ),
        (
            "",
            replace("", "a", "b"),
            ErrorCode::EditBeforeNotFound,
            "its `before` is not in the file",
        ),
        (
            "",
            insert_after("a", "", "b"),
            ErrorCode::EditAnchorNotFound,
            "its anchor is not in the file",
        ),
        (
            "\n\n",
            delete("", "\n"),
            ErrorCode::EditBeforeNotFound,
            "it has no `before`, which delete requires",
        ),
        // Made already.
        (
            "y = 2\n",
            replace("", "y = 1", "y = 2"),
            ErrorCode::EditBeforeNotFound,
            "its `before` is not there and its `after` is: it has been made already",
        ),
        (
            "return x + 1\n",
            replace("", "return x", "return x + 1"),
            ErrorCode::EditApplyFailed,
            "its `after` is already there",
        ),
        (
            "use a;\nuse b;\n",
            insert_after("use a;", "", "use b;"),
            ErrorCode::EditApplyFailed,
            "its `after` is already there",
        ),
        (
            "use a;\nuse b;\n",
            insert_before("use b;", "", "use a;\n"),
            ErrorCode::EditApplyFailed,
            "its `after` is already there",
        ),
    ] {
        let expected = (code, format!("edit 1 does not apply: {message}"));
        assert_eq!(
            landed(before, std::slice::from_ref(&edit)),
            Err(expected),
            "{before:?} {edit:?}"
        );
    }
}

#[test]
fn what_belongs_to_another_definition_than_the_anchor_is_refused() {
    let twice = "def f():\n    x()\n    return 1\n\ndef g():\n    x() \n    return 1\n";
    let classes = "class F:\n    x = 1\n    pass\n\nclass G:\n    y = 1\n";
    let typo = "def f():\n    a = open(p)\n    return a\n\ndef g():\n    b = open(q)\n    return a  # typo\n";
    let decorated = "@old\ndef f():\n    pass\n\ndef g():\n    pass\n";
    let nested = "class A:\n    def f(self):\n        x = 1\n\n    def g(self):\n        y = 1\n";
    let table = "[a]\nv = 1\n\n[b]\nw = 1\n";
    for (file, edit) in [
        (twice, replace("def g():", "    x()\n    return 1", "    x()\n    return 2")),
        (twice, replace("", "    x()\n    return 1", "    x()\n    return 2")),
        (classes, insert_after("class G:", "    pass", "    z = 1")),
        (typo, delete("def g():", "    return a\n")),
        (decorated, replace("def g():", "@old", "@new")),
        (nested, replace("    def g(self):", "        x = 1", "        x = 2")),
        (nested, replace("        y = 1", "        x = 1", "        x = 2")),
        (table, replace("[b]", "v = 1", "v = 2")),
        ("if a:\n\tx()\ny()\n", replace("y()", "\tx()", "\tz()")),
        // An anchor that stands a second time, but for a space, is no anchor.
        ("def g(): \n    x()\n\ndef g():\n    y()\n", delete("def g():\n", "    y()\n")),
        ("foo foo\n", replace("", "foo ", "bar ")),
    ] {
        let code = landed(file, std::slice::from_ref(&edit)).map_err(|(code, _)| code);
        assert_eq!(code, Err(ErrorCode::EditAmbiguous), "{file:?} {edit:?}");
    }
    let (_, output) = landed(typo, &[delete("def g():", "    return a\n")]).expect_err("not g's");
    assert_eq!(
        output,
        "edit 1 does not apply: its `before`, at line 3, is above its anchor, at line 5, and may \
         belong to another definition; take an anchor above it, or one that is part of it"
    );
    for (file, edit, after) in [
        // The head of what holds the anchor, and a neighbour.
        (
            "def f(a):\n    x = 1\n\n    return x\n",
            replace("return x", "def f(a):", "def f():"),
            "def f():\n    x = 1\n\n    return x\n",
        ),
        (
            "import a\nimport b\n",
            replace("import b", "import a", "import c"),
            "import c\nimport b\n",
        ),
    ] {
        assert_eq!(landed(file, &[edit]).as_deref(), Ok(after));
    }
}

#[test]
fn inserts_beside_a_piece_of_a_line_or_another_indentation_are_refused() {
    let piece = "it inserts next to a piece of a line; copy whole lines";
    let deeper = "if a:\n        return x\n";
    for (file, edit, output) in [
        ("x = [1, 2]\n", insert_after("", "[1, 2", ", 3"), piece),
        ("x = [1, 2]\n", insert_before("", "[1, 2]", "3"), piece),
        ("use a::b;\n", insert_after("a::b", "", "use c;"), piece),
        ("def f(a,\n      b):\n    c()\n", insert_after("def f(a", "", "    d()"), piece),
        (deeper, insert_after("", "    return x", "    y = 1"), NOT_INDENTED),
        (deeper, insert_after("", "return x", "y = 1"), NOT_INDENTED),
        (deeper, insert_before("return x", "", "        y = 1"), NOT_INDENTED),
    ] {
        let expected = (ErrorCode::EditAmbiguous, format!("edit 1 does not apply: {output}"));
        assert_eq!(landed(file, std::slice::from_ref(&edit)), Err(expected), "{edit:?}");
    }
    for edit in [insert_after("", "        return x", "\n"), insert_after("", "return x", "\n")] {
        assert_eq!(landed(deeper, &[edit]).as_deref(), Ok("if a:\n        return x\n\n"));
    }
}

#[test]
fn lines_that_would_leave_the_block_of_a_line_named_without_its_indentation_are_refused() {
    let output = format!("edit 1 does not apply: {NOT_INDENTED}");
    for (file, edit) in [
        ("    x = 1\n", replace("", "x = 1", "x = 1\ny = 2")),
        ("    x = 1\n", replace("", "x = 1\n", "x = 1\n\n  y = 2\n")),
        ("    x = f(1)\n", replace("", "f(1)", "f(\n1)")),
    ] {
        assert_eq!(landed(file, &[edit]), Err((ErrorCode::EditAmbiguous, output.clone())));
    }
    for (edit, after) in [
        (replace("", "x = 1", "x = 1\n\n    y = 2"), "    x = 1\n\n    y = 2\n"),
        (replace("", "    x = 1", "    x = 1\ny = 2"), "    x = 1\ny = 2\n"),
    ] {
        assert_eq!(landed("    x = 1\n", &[edit]).as_deref(), Ok(after));
    }
}

#[test]
fn lone_carriage_returns_are_told_and_never_doubled() {
    let own = "the file has carriage returns without line feeds, so its lines are not certain; only \
               text within a line can be replaced";
    let new = "its `after` has a carriage return without a line feed, which ends no line here";
    for (file, edit, output) in [
        ("a\rb\rc\r", insert_after("", "a\rb\rc\r", "d"), own),
        ("a\rb\rc\r", replace("", "b", "b\nd"), own),
        ("a\rb\rc\r", replace("", "a\rb", "d"), own),
        ("a\rb\rc\r", replace("", "a\nb", "d"), own),
        ("a\nb\rc\n", insert_before("a", "", "d"), own),
        ("a\r\r\nb\r\n", insert_after("b", "", "d"), own),
        ("a\r\nb\r\n", replace("", "b", "d\r"), new),
        ("a\r\nb\r\n", insert_after("b", "", "d\re"), new),
    ] {
        let expected = (ErrorCode::EditAmbiguous, format!("edit 1 does not apply: {output}"));
        assert_eq!(landed(file, std::slice::from_ref(&edit)), Err(expected), "{edit:?}");
    }
    let doubled = landed("a\rb\r\n", &[delete("", "b")]).map_err(|(code, _)| code);
    assert_eq!(doubled, Err(ErrorCode::EditApplyFailed));
    assert_eq!(landed("a\rb\rc\r", &[replace("", "b", "d")]).as_deref(), Ok("a\rd\rc\r"));
}

#[test]
fn an_edit_of_the_last_newline_is_made_and_any_other_without_effect_is_a_fault() {
    for (file, edit, after) in [
        ("a\nx = 2", replace("", "x = 2", "x = 2\n"), "a\nx = 2\n"),
        ("a\r\nx = 2", replace("", "x = 2", "x = 2\n"), "a\r\nx = 2\r\n"),
        ("a\r\nx = 2\r\n", replace("", "x = 2\r\n", "x = 2"), "a\r\nx = 2"),
        ("a\nx = 2\n", replace("a", "x = 2\n", "x = 2"), "a\nx = 2"),
    ] {
        assert_eq!(landed(file, std::slice::from_ref(&edit)).as_deref(), Ok(after), "{edit:?}");
    }
    for (file, edits) in [
        ("x = 2\nb\n", vec![replace("", "x = 2", "x = 2\n")]),
        ("x = 2\nb\n", vec![replace("", "x = 2\n", "x = 2")]),
        ("x = 2\n", vec![replace("", "x = 2", "x = 2\n")]),
        ("x = 2", vec![replace("", "x = 2\n", "x = 2")]),
        ("a\nb\n", vec![replace("", "a\nb", "a\r\nb")]),
        ("a\nb \n", vec![replace("", "a\nb", "A\nb"), replace("", "a  ", "a")]),
        ("a\nb\na\n", vec![delete("", "a\nb\n"), insert_after("", "b\na\n", "b\na\n")]),
        ("a\nb\n", vec![replace("", "b\n", "b"), insert_after("b", "", "c")]),
    ] {
        let code = landed(file, &edits).map_err(|(code, _)| code);
        assert!(
            matches!(
                code,
                Err(ErrorCode::EditApplyFailed
                    | ErrorCode::EditAmbiguous
                    | ErrorCode::EditBeforeNotFound)
            ),
            "{code:?} {edits:?}"
        );
    }
    let output = landed("x = 2\nb\n", &[replace("", "x = 2", "x = 2\n")]);
    let expected = "edit 1 does not apply: its `after` leaves the file as it is";
    assert_eq!(output, Err((ErrorCode::EditApplyFailed, expected.to_owned())));
}

#[test]
fn no_edit_brings_a_byte_order_mark() {
    for edit in [
        replace("", "a", "\u{feff}b"),
        insert_before("a", "", "\u{feff}b"),
        insert_after("", "\u{feff}a", "\u{feff}b"),
    ] {
        let code = landed("\u{feff}a\n", &[edit]).map_err(|(code, _)| code);
        assert_eq!(code, Err(ErrorCode::EditAmbiguous));
    }
    let kept = replace("", "\u{feff}a", "\u{feff}b");
    assert_eq!(landed("\u{feff}a\n", &[kept]).as_deref(), Ok("\u{feff}b\n"));
}

#[test]
fn edits_that_together_make_one_word_of_two_are_refused() {
    let (call, index) = (delete("", "(x)"), delete("", "[y]"));
    for edits in [[call.clone(), index.clone()], [index, call.clone()]] {
        let code = landed("foo(x)[y]bar\n", &edits).map_err(|(code, _)| code);
        assert_eq!(code, Err(ErrorCode::EditAmbiguous));
    }
    let edits = [call, replace("", "[y]", ".")];
    assert_eq!(landed("foo(x)[y]bar\n", &edits).as_deref(), Ok("foo.bar\n"));
}

#[test]
fn a_first_newline_may_end_the_line_above_where_that_stands_once() {
    for (file, edit) in [
        ("a\nb\n", replace("", "\nb", "c")),
        ("a\nb\n", replace("", "\nb", "\n")),
        ("a\n  b\n", replace("", "\nb", "\nc")),
        ("b\na\n", delete("", "\nb")),
        ("a\nb\na\nb\n", delete("", "\nb")),
        ("a\nb c\n", delete("", "\nb")),
    ] {
        assert!(landed(file, std::slice::from_ref(&edit)).is_err(), "{file:?} {edit:?}");
    }
    for (file, edit, after) in [
        ("a\nb\n", replace("", "\nb", "\nc"), "a\nc\n"),
        ("a\r\n\r\nb\r\n", replace("", "\n\nb\n", "\n\nc\n"), "a\r\n\r\nc\r\n"),
        ("a\nb\nc\n", delete("", "\nb"), "a\nc\n"),
        ("a\nb\nc\n", insert_after("", "\nb", "x"), "a\nb\nx\nc\n"),
    ] {
        assert_eq!(landed(file, std::slice::from_ref(&edit)).as_deref(), Ok(after), "{edit:?}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn each_operation_changes_its_place_and_nothing_else() {
    let far = far_apart();
    let far_edited = far.replace("def two(x):\n    return x", "def two(x):\n    return y");
    for (before, edit, after) in [
        // Whole lines, with and without their newline, and pieces of lines.
        ("a\nb\nc\n", replace("", "b", "B"), "a\nB\nc\n"),
        ("a\nb\nc\n", replace("", "b\n", "B"), "a\nB\nc\n"),
        ("a\nb\nc\n", replace("", "b", "B\n"), "a\nB\nc\n"),
        ("a\nb\nc\n", replace("", "b\nc\n", "x\ny\nz\n"), "a\nx\ny\nz\n"),
        ("f(a, b)\n", replace("", "b", "c"), "f(a, c)\n"),
        ("f(a, b)\n", delete("", ", b"), "f(a)\n"),
        (
            "for l in text.lines():\n",
            replace("", "text.lines()", "(text or '').lines()"),
            "for l in (text or '').lines():\n",
        ),
        // A new text that holds the old one.
        ("f(x)\n", replace("", "f(x)", "g(f(x))"), "g(f(x))\n"),
        // A first line without its indentation.
        (
            "if a:\n    if b:\n        c()\n",
            replace("", "if b:\n        c()", "if d:\n        e()"),
            "if a:\n    if d:\n        e()\n",
        ),
        // The anchor tells which twin, by its region or because it is part of the text.
        (&far, replace("def two(x):", "return x", "return y"), &far_edited),
        (
            TWINS,
            replace("", "def two(x):\n    y = x + 1\n", "def two(x):\n    y = x\n"),
            &TWINS.replace("two(x):\n    y = x + 1", "two(x):\n    y = x"),
        ),
        // Deleting takes the line when nothing else is on it.
        ("a\n    b\nc\n", delete("", "b"), "a\nc\n"),
        ("a\nb  \nc\n", delete("a", "b"), "a\nc\n"),
        ("a\nb\nc\n", replace("a", "b", ""), "a\nc\n"),
        ("a\nb\nc\n", replace("a", "b", "\n"), "a\n\nc\n"),
        ("a\n", delete("", "a"), ""),
        ("x = 1  # why\n", delete("", "# why"), "x = 1  \n"),
        // Inserts bring whole lines.
        ("a\nb\n", insert_before("b", "", "x"), "a\nx\nb\n"),
        ("a\nb\n", insert_after("a", "", "x\ny\n"), "a\nx\ny\nb\n"),
        ("a\nb\nc\n", insert_after("a", "b", "x"), "a\nb\nx\nc\n"),
        ("a\nb\nc\n", insert_before("c", "a\nb", "x"), "x\na\nb\nc\n"),
        ("a\nb\n", insert_after("a", "", "\n"), "a\n\nb\n"),
        ("}\n", insert_after("}", "", "}"), "}\n}\n"),
        ("", insert_before("", "", "a\nb"), "a\nb\n"),
        // Line endings and the last newline are the file's own.
        ("a\r\nb\r\nc\r\n", replace("a\nb", "b\nc", "x\ny"), "a\r\nx\r\ny\r\n"),
        ("a\r\nb\n", insert_after("a", "", "x"), "a\r\nx\r\nb\n"),
        ("a\r\nb\n", insert_after("b\n", "", "x\r\n"), "a\r\nb\nx\n"),
        ("a\nb", insert_after("b", "", "c\n"), "a\nb\nc"),
        ("a\nb", replace("", "b", "c\n"), "a\nc"),
        ("a\nb", delete("", "b"), "a"),
        ("a", delete("", "a"), ""),
        ("a\nb\nc\r\nd", delete("", "d"), "a\nb\nc"),
        ("a\nb\r", replace("", "a", "A"), "A\nb\r"),
        // Lines that stay keep their bytes.
        ("a\nb\r\nc\nd\r\n", replace("", "a\nb\nc\nd", "a\nb\nC\nd"), "a\nb\r\nC\nd\r\n"),
        ("a\nb\r\nc\n", replace("", "a\nb\nc", "a\nb\nx\nc"), "a\nb\r\nx\nc\n"),
        ("a  \nb\nc\n", replace("", "a\nb", "a\nB"), "a  \nB\nc\n"),
        ("a\r\nmid\nc\r\n", replace("", "a\nmid\nc", "A\nmid\nC"), "A\r\nmid\nC\r\n"),
        ("a\nmid\r\nc\n", replace("", "a\nmid\nc\n", "mid\nA\nC\n"), "mid\r\nA\nC\n"),
        ("a \nmid  \nc\n", replace("", "a\nmid\nc", "A\nmid\nC"), "A\nmid  \nC\n"),
        ("a\nb\r\nc\nb\n", replace("", "a\nb\nc\nb", "b\nx\nb"), "b\r\nx\nb\n"),
        ("a\r\nb\nc", replace("", "a\nb\nc", "b\nc\nd"), "b\nc\nd"),
        // White space at the ends of lines is left out when the text does not stand otherwise.
        ("a  \nb\n", replace("", "a \nb", "x"), "x\n"),
        ("a\t\nb\na x\n", delete("", "a\n"), "b\na x\n"),
        ("\u{a0}é\nß\n", replace("é\n", "ß", "ss"), "\u{a0}é\nss\n"),
        // What changes nothing is no fault.
        ("a\n", replace("", "a", "a"), "a\n"),
    ] {
        assert_eq!(
            landed(before, std::slice::from_ref(&edit)).as_deref(),
            Ok(after),
            "{before:?} {edit:?}"
        );
    }
}

#[test]
fn edits_are_placed_in_the_text_as_it_was_whatever_their_order() {
    let edits = [
        replace("", "b", "c"),
        replace("", "c", "b"),
        insert_after("b", "", "b2"),
        insert_before("b", "", "b0"),
        delete("", "d"),
        insert_after("d", "", "e"),
    ];
    let mut turned = edits.to_vec();
    turned.reverse();
    for edits in [&edits[..], &turned] {
        assert_eq!(landed("a\nb\nc\nd\n", edits).as_deref(), Ok("a\nb0\nc\nb2\nb\ne\n"));
    }
}

#[test]
fn edits_that_touch_the_same_text_are_refused_and_none_lands() {
    let touches = "touches the text of";
    let inserts = "inserts at the place of";
    for (one, other, what) in [
        (replace("", "a\nb", "x"), replace("", "b\nc", "y"), touches),
        (replace("", "a", "x"), replace("", "a", "y"), touches),
        (delete("", "b"), replace("", "b\nc", "y"), touches),
        (replace("", "a\nb\nc", "x"), insert_after("b", "", "y"), touches),
        (insert_after("a", "", "x"), insert_before("b", "", "y"), inserts),
    ] {
        let reason = format!("it {what} edit 1; make one edit of the two");
        let expected = (ErrorCode::EditApplyFailed, format!("edit 2 does not apply: {reason}"));
        assert_eq!(landed("a\nb\nc\n", &[one.clone(), other.clone()]), Err(expected.clone()));
        assert_eq!(landed("a\nb\nc\n", &[other, one]), Err(expected));
    }
}

#[test]
fn the_model_is_told_how_far_a_region_reaches() {
    let words = include_str!("../prompts/templates/system_v3.md");
    assert!(words.contains(&format!("within {} lines of it", find::REACH)), "{words}");
}

#[test]
fn a_fault_shows_the_edit_beside_the_nearest_real_lines() {
    let text = far_apart().replace("def two(x):", "def two(value):");
    let fault = apply_edits(
        &text,
        &[replace("def one", "def one(x):", "y"), replace("def two(val):", "pass", "y")],
    );
    let fault = fault.expect_err("the anchor is misremembered");
    let lines = ["    pass", "    pass", "    pass", "def two(value):", "    return x"];
    assert_eq!(
        fault.fault,
        papayu_base::domain::hunk::HunkFault {
            hunk: 2,
            reason: "its anchor is not in the file".into(),
            body: "op: replace\nanchor:\ndef two(val):\nbefore:\npass\nafter:\ny\n".into(),
            first_line: 200,
            real: lines.map(str::to_owned).to_vec(),
        }
    );
    let long = "x".repeat(3_000);
    let fault = apply_edits("a\n", &[delete("", &long)]).expect_err("it is not there");
    assert!(
        fault.fault.body.ends_with("x\n...[TRUNCATED 1000 chars]...\n"),
        "{}",
        fault.fault.body
    );
}

#[test]
fn the_trace_is_told_how_each_edit_found_its_place() {
    let edits = [delete("", "c"), replace("a\n", "b", "x"), insert_after("a", "", "y")];
    let landed = apply_edits("a \nb\nc\n", &edits).expect("they land");
    assert_eq!(landed.after, "a \ny\nx\n");
    assert_eq!(
        landed.strategies,
        [EditStrategy::Exact, EditStrategy::TrailingSpace, EditStrategy::Exact]
    );
}

#[test]
/// Each took minutes if every place were compared to its end.
fn texts_made_to_be_slow_are_given_up() {
    let file = "-ab".repeat(350_000);
    let text = "-ab".repeat(170_000) + "-a";
    assert!(landed(&file, &[delete("", &text)]).is_err());
    let file = "a".repeat(1 << 20);
    assert!(landed(&file, &[delete("", &"a".repeat(1 << 19))]).is_err());
}

/// A file of numbered lines with some equal ones between, mixed endings, perhaps no last newline.
fn any_file() -> impl Strategy<Value = (Vec<String>, Vec<bool>, bool)> {
    let line = prop_oneof![
        3 => "[a-cé ]{0,4}",
        1 => Just("    return x".to_owned()),
        1 => Just(String::new()),
    ];
    (1_usize..14).prop_flat_map(move |count| {
        let numbered =
            prop::collection::vec((line.clone(), any::<bool>()), count).prop_map(|lines| {
                let numbered = lines.into_iter().enumerate();
                let name = |(at, (text, unique)): (usize, (String, bool))| {
                    if unique { format!("{text}<{at}>") } else { text }
                };
                numbered.map(name).collect::<Vec<_>>()
            });
        (numbered, prop::collection::vec(any::<bool>(), count), any::<bool>())
    })
}

fn joined(lines: &[String], crlf: &[bool], last_newline: bool) -> String {
    let mut text = String::new();
    for (line, crlf) in lines.iter().zip(crlf) {
        text.push_str(line);
        text.push_str(if *crlf { "\r\n" } else { "\n" });
    }
    if !last_newline {
        let kept = text.strip_suffix("\r\n").or(text.strip_suffix('\n')).map(str::len);
        text.truncate(kept.unwrap_or_default());
    }
    text
}

/// Non-overlapping ranges of lines with what is done there.
fn any_jobs(count: usize) -> impl Strategy<Value = Vec<(usize, usize, EditOp, Vec<String>)>> {
    let job = (
        0_usize..3,
        1_usize..3,
        prop::sample::select(EditOp::ALL.to_vec()),
        prop::collection::vec("[x-z]{1,3}", 1..3),
    );
    prop::collection::vec(job, 0..4).prop_map(move |jobs| {
        let mut next = 0;
        let mut out = Vec::new();
        for (gap, length, op, new) in jobs {
            let first = next + gap;
            if first + length > count {
                break;
            }
            out.push((first, first + length, op, new));
            // A line between keeps two inserts from meeting.
            next = first + length + 1;
        }
        out
    })
}

proptest! {
    /// Whole lines named so that they stand once give exactly the edited text, or, when the file has
    /// them twice, a refusal.
    #[test]
    fn edits_of_any_file_give_exactly_the_edited_text(
        ((lines, crlf, last), jobs, turn) in any_file()
            .prop_flat_map(|file| { let jobs = any_jobs(file.0.len()); (Just(file), jobs, any::<bool>()) }),
    ) {
        // An empty last line is one only by its newline.
        let last = last || lines.last().is_some_and(String::is_empty);
        let before = joined(&lines, &crlf, last);
        let mut crlf = crlf;
        if !last {
            // The ending that the last line gets when lines follow it.
            *crlf.last_mut().expect("a line") = dominant_ending(&before) == "\r\n";
        }
        let mut edits = Vec::new();
        let mut expected: Vec<(String, bool)> = Vec::new();
        let mut next = 0;
        for (first, end, op, new) in &jobs {
            expected.extend((next..*first).map(|at| (lines[at].clone(), crlf[at])));
            let old = lines[*first..*end].join("\n") + "\n";
            let new_lines = |at: usize| {
                let ending = crlf[at];
                new.iter().map(move |line| (line.clone(), ending))
            };
            let kept = (*first..*end).map(|at| (lines[at].clone(), crlf[at]));
            let text = new.join("\n");
            match op {
                EditOp::Replace => {
                    // The last of the new lines stands before the ending of the last old one.
                    let mut come: Vec<_> = new_lines(*first).collect();
                    come.last_mut().expect("a line").1 = crlf[*end - 1];
                    expected.extend(come);
                    edits.push(replace("", &old, &text));
                }
                EditOp::Delete => edits.push(delete("", &old)),
                EditOp::InsertBefore => {
                    expected.extend(new_lines(*first));
                    expected.extend(kept);
                    edits.push(insert_before("", &old, &text));
                }
                EditOp::InsertAfter => {
                    expected.extend(kept);
                    expected.extend(new_lines(*end - 1));
                    edits.push(insert_after(&old, "", &text));
                }
            }
            next = *end;
        }
        expected.extend((next..lines.len()).map(|at| (lines[at].clone(), crlf[at])));
        if turn {
            edits.reverse();
        }
        let (texts, endings): (Vec<_>, Vec<_>) = expected.into_iter().unzip();
        // What the file's last line has not is taken off the new last one.
        let expected = joined(&texts, &endings, last);
        match apply_edits(&before, &edits) {
            Ok(landed) => prop_assert_eq!(landed.after, expected),
            Err(fault) => {
                let nothing = edits.iter().any(|e| e.before.trim_matches('\n').is_empty() && e.anchor.trim_matches('\n').is_empty());
                let told = [ErrorCode::EditAmbiguous, ErrorCode::EditApplyFailed].contains(&fault.code);
                prop_assert!(told || nothing, "{}", fault);
            }
        }
    }

    /// Whatever is asked, there is an answer.
    #[test]
    fn no_edits_panic(
        before in "(a|b|é| |\n|\r\n|return x){0,30}",
        edits in prop::collection::vec(
            (prop::sample::select(EditOp::ALL.to_vec()), "(a|b|é|\n| ){0,4}", "(a|b| |\n|return x){0,5}", "(q|\n| ){0,4}"),
            0..4,
        ),
    ) {
        let edits: Vec<_> = edits.iter().map(|(op, anchor, before, after)| edit(*op, [anchor, before, after])).collect();
        if let Ok(landed) = apply_edits(&before, &edits) {
            prop_assert_eq!(landed.strategies.len(), edits.len());
        }
    }

    /// Any piece of a file that stands where words end lands exactly there, or nowhere.
    #[test]
    fn a_piece_of_any_line_is_replaced_where_it_stands_or_nowhere(
        lines in prop::collection::vec("(ab|a|é|x1|_| |\\.|\\(){0,8}", 1..8), from in 0_usize..60, length in 1_usize..20,
    ) {
        let file = lines.join("\n") + "\n";
        let places: Vec<usize> = file.char_indices().map(|(at, _)| at).chain([file.len()]).collect();
        let (start, end) = (places[from % places.len()], places[(from + length).min(places.len() - 1)]);
        let (head, rest) = file.split_at(start);
        let piece = rest.get(..end.saturating_sub(start)).unwrap_or_default().trim_matches('\n');
        if piece.is_empty() {
            return Ok(());
        }
        let (blank, tail) = rest.split_once(piece).expect("it is there");
        let head = head.to_owned() + blank;
        let expected = format!("{head}+{tail}");
        let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let ends = |text: &str| (word(text.chars().next()), word(text.chars().next_back()));
        let splits = (word(head.chars().next_back()) && ends(piece).0)
            || (ends(piece).1 && word(tail.chars().next()));
        match landed(&file, &[replace("", piece, "+")]) {
            Ok(landed) if !splits => prop_assert_eq!(landed, expected),
            // Inside a word it is another piece that is meant, and there is only one.
            Ok(landed) => prop_assert_eq!(landed.replacen('+', piece, 1), file),
            Err((code, _)) => prop_assert!(splits || code == ErrorCode::EditAmbiguous),
        }
    }

    /// An anchor or text that is changed a little lands where it was meant, or nowhere.
    #[test]
    fn a_perturbed_edit_lands_where_it_was_meant_or_nowhere(
        at in 0_usize..40, cut in 0_usize..12, drop in any::<bool>(), also in prop::sample::select(vec!['x', ' ', '\n', '1']),
    ) {
        let lines: Vec<String> = (0..40).map(|n| format!("    let value_{n} = compute({n});")).collect();
        let file = lines.join("\n") + "\n";
        let meant = &lines[at];
        let mut before: Vec<char> = meant.chars().collect();
        let place = before.len() * cut / 12;
        if drop { before.remove(place); } else { before.insert(place, also); }
        let before: String = before.into_iter().collect();
        let expected = file.replace(meant.as_str(), "    let gone = 0;");
        if let Ok(landed) = landed(&file, &[replace("", &before, "    let gone = 0;")]) {
            prop_assert_eq!(landed, expected);
        }
    }
}
