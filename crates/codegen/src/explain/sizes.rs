//! What is known of the items behind a request.

use bothways_protocol::Request;
use serde_json::Value as Json;

/// What is known of the items that a request will find: those that it reads, or those that are there where it writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sizes {
    /// The very items: bytes of each where it is read, in the table or in the index. A request by keys has one for each
    /// key in its own order, tables by their names, 0 where nothing is there; a list has its rows in the order in which they are read, without a
    /// limit.
    Measured(Vec<u64>),
    /// The table or index as it is described. Which of its items the request finds, nobody says.
    Average {
        /// How many there are.
        items: u64,
        /// Bytes of all of them.
        bytes: u64,
    },
}

impl Sizes {
    /// Those of the table or index that the request goes to, from the JSON of a table's description. None where it has
    /// no items, or does not say.
    ///
    /// DynamoDB renews both numbers about every six hours. Source: API Reference, `TableDescription`.
    ///
    /// ```
    /// use bothways_codegen::{Draft, Sizes};
    ///
    /// let draft = Draft::read(r#"{"TableName": "t", "Key": {"id": {"S": "1"}}}"#, None)?;
    /// let table = serde_json::json!({"TableName": "t", "ItemCount": 2, "TableSizeBytes": 50});
    /// assert_eq!(Sizes::described(draft.request(), &table), Some(Sizes::Average { items: 2, bytes: 50 }));
    /// # Ok::<(), bothways_codegen::DraftError>(())
    /// ```
    #[must_use]
    pub fn described(request: &Request, description: &Json) -> Option<Self> {
        let table = description.get("Table").unwrap_or(description);
        let index = match request {
            Request::Query(input) => input.index_name.as_deref(),
            Request::Scan(input) => input.index_name.as_deref(),
            _ => None,
        };
        let (place, bytes) = match index {
            None => (table, &table["TableSizeBytes"]),
            Some(name) => {
                let all = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"].iter();
                let mut all = all.flat_map(|kind| table[*kind].as_array().into_iter().flatten());
                let index = all.find(|index| index["IndexName"] == name)?;
                (index, &index["IndexSizeBytes"])
            }
        };
        let items = place["ItemCount"].as_u64().filter(|items| *items > 0)?;
        let bytes = bytes.as_u64()?;
        Some(Self::Average { items, bytes })
    }

    /// Those of one request by a key, out of so many.
    pub(super) fn at(&self, at: usize, all: usize) -> Option<Self> {
        match self {
            Self::Measured(sizes) if sizes.len() == all => {
                Some(Self::Measured(vec![*sizes.get(at)?]))
            }
            Self::Measured(_) => None,
            Self::Average { .. } => Some(self.clone()),
        }
    }
}
