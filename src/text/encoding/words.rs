//! Whether what bytes are read as looks like words: letters and signs where people put them.

/// Tells whether words look like words: no sign and no change to capitals within one, no mixture of
/// alphabets, ideographs in company, few letters that stand alone. `slips` of a hundred letters may be odd.
pub(super) fn looks_written(text: &str, slips: usize) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let (mut letters, mut odd, mut alone) = (0, 0, 0);
    for (at, here) in chars.iter().copied().enumerate() {
        if here.is_ascii() {
            continue;
        }
        let beside =
            |index: Option<usize>| index.and_then(|i| chars.get(i)).copied().unwrap_or(' ');
        let (before, after) = (beside(at.checked_sub(1)), beside(at.checked_add(1)));
        if is_wide(here) {
            letters += 1;
            alone += usize::from(!is_wide(before) && !is_wide(after));
        } else if here.is_alphabetic() {
            letters += 1;
            alone += usize::from(!before.is_alphabetic() && !after.is_alphabetic());
            odd += usize::from(breaks_word(before, here) || breaks_word(here, after));
        } else if !is_joiner(here) {
            odd += usize::from(is_odd_sign(before, here, after));
        }
    }
    odd * 100 <= letters * slips && alone * 3 <= letters
}

/// Tells whether a word would change in the middle as no word does.
fn breaks_word(left: char, right: char) -> bool {
    if !left.is_alphabetic() || !right.is_alphabetic() {
        return false;
    }
    let mixed = |one: char, other: char| one.is_ascii() && u32::from(other) > 0x24f;
    left.is_lowercase() && right.is_uppercase() || mixed(left, right) || mixed(right, left)
}

/// Ideographs, kana, hangul and the signs that go with them.
pub(super) fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}')
}

/// Tells whether a sign stands where it does not: within a word, at the wrong end of one, or in a row of
/// signs that is no end of a quotation.
fn is_odd_sign(before: char, here: char, after: char) -> bool {
    let touches = [before, after].map(char::is_alphabetic);
    let is_sign = |c: char| !c.is_ascii() && !c.is_alphabetic();
    // Catalan has it between two letters; others have it in lists.
    let is_l_l = here == '·' && before == 'l' && after == 'l';
    touches == [true; 2] && !is_l_l
        || touches != [false; 2] && !may_touch(here)
        || touches[0] && "„‚¿¡".contains(here)
        || touches[1] && "”…".contains(here)
        || after.is_whitespace() && "„‚¿¡\u{a0}".contains(here)
        || before.is_whitespace() && here == '\u{a0}'
        || before.is_whitespace() && !after.is_alphanumeric() && here == '…'
        || is_sign(after) && !(is_joint(here) && is_joint(after))
}

/// Signs that may follow one another.
fn is_joint(c: char) -> bool {
    "“”„‘’‚«»‹›–—… \u{a0}".contains(c)
}

/// Quotes, dashes and the like stand at the end of a word; other signs do not.
fn may_touch(c: char) -> bool {
    matches!(
        c,
        '\u{a0}'
            | '·'
            | '…'
            | '‹'
            | '›'
            | '¡'
            | '¿'
            | '«'
            | '»'
            | '°'
            | '§'
            | '©'
            | '®'
            | '™'
            | '¹'
            | '²'
            | '³'
            | '№'
    ) || matches!(c, '\u{2010}'..='\u{201f}' | '\u{384}'..='\u{387}')
}

/// Apostrophes and marks that stand on letters.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{2019}' | '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5f4}' | '\u{64b}'..='\u{65f}' | '\u{e31}'..='\u{e4e}')
}
