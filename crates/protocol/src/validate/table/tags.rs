//! Tags.

use crate::Message;
use crate::types::Tag;

/// Most tags of one table. Source: API Reference, `TagResource`.
pub const TAGS: usize = 50;

/// Letters, digits, white space and a few signs. Source: Developer Guide, "Tagging restrictions"; that DynamoDB
/// holds to it, scylladb/scylladb, `test_tag.py`.
///
/// # Errors
/// [`Message::TagCharacters`] with the key or value that has others.
pub fn check_tags(tags: &[Tag]) -> Result<(), Message> {
    let fits = |c: char| c.is_alphanumeric() || c.is_whitespace() || "+-=._:/@".contains(c);
    // A mark that combines with a letter is part of it.
    let fits = |text: &str| text.chars().all(|c| fits(c) || !c.is_ascii());
    let texts = tags.iter().flat_map(|tag| [&tag.key, &tag.value]);
    let wrong = texts.flatten().find(|text| !fits(text));
    wrong.map_or(Ok(()), |text| {
        Err(Message::TagCharacters { text: text.clone() })
    })
}
