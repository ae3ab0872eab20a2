//! Words that an expression cannot use as an attribute name without a `#placeholder`.

use std::sync::LazyLock;

/// Source: Developer Guide, "Reserved words in DynamoDB". One word a line, upper case, sorted.
const WORDS: &str = include_str!("reserved_words.txt");

/// One more than the longest word's length.
const LENGTHS: usize = 16;

/// The words by first letter and length: every bare name of every request is looked up, and so meets
/// one or two words at most.
static TABLE: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    let mut table = vec![Vec::new(); 26 * LENGTHS];
    for word in WORDS.lines() {
        if let Some(slot) = slot(word).and_then(|at| table.get_mut(at)) {
            slot.push(word);
        }
    }
    table
});

fn slot(word: &str) -> Option<usize> {
    let first = word.bytes().next()?.to_ascii_uppercase();
    let letter = first.checked_sub(b'A').filter(|letter| *letter < 26)?;
    (word.len() < LENGTHS).then(|| usize::from(letter) * LENGTHS + word.len())
}

/// Whether the name is reserved. Case does not matter.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    slot(name)
        .and_then(|at| TABLE.get(at))
        .is_some_and(|words| words.iter().any(|word| word.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_whole_and_sorted() {
        assert_eq!(WORDS.lines().count(), 573);
        assert!(WORDS.lines().is_sorted());
        let upper = |word: &str| word.bytes().all(|b| b.is_ascii_uppercase());
        assert!(WORDS.lines().all(|word| upper(word) && is_reserved(word)));
    }

    #[test]
    fn case_does_not_matter_and_neighbours_are_free() {
        for word in ["name", "Name", "STATUS", "abOrt", "zone"] {
            assert!(is_reserved(word), "{word}");
        }
        for word in [
            "", "names_", "pk", "sk", "statu", "zoned", "a", "title", "näme",
        ] {
            assert!(!is_reserved(word), "{word}");
        }
    }
}
