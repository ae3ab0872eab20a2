//! Words that an expression cannot use as an attribute name without a `#placeholder`.

use std::cmp::Ordering;
use std::sync::LazyLock;

/// Source: Developer Guide, "Reserved words in DynamoDB". One word a line, upper case, sorted.
static WORDS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| include_str!("reserved_words.txt").lines().collect());

/// Whether the name is reserved. Case does not matter.
pub fn is_reserved(name: &str) -> bool {
    WORDS
        .binary_search_by(|word| compare_upper(word, name))
        .is_ok()
}

fn compare_upper(word: &str, name: &str) -> Ordering {
    word.bytes()
        .cmp(name.bytes().map(|b| b.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_whole_and_sorted() {
        assert_eq!(WORDS.len(), 573);
        assert!(WORDS.is_sorted());
        assert!(
            WORDS
                .iter()
                .all(|w| w.bytes().all(|b| b.is_ascii_uppercase()))
        );
        assert!(WORDS.iter().all(|w| is_reserved(w)));
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
