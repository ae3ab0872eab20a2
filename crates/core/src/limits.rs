//! Every limit of DynamoDB that this project enforces, named, with its unit and source.

/// Largest item, bytes of names and values. Source: Developer Guide, "Quotas", item size.
pub const ITEM_BYTES: usize = 400 * 1024;
/// Largest partition key value, bytes. Source: Developer Guide, "Constraints".
pub const PARTITION_KEY_BYTES: usize = 2048;
/// Largest sort key value, bytes. Source: as above.
pub const SORT_KEY_BYTES: usize = 1024;
/// Bytes read by one Query or Scan page before filters. Source: API Reference, Query.
pub const PAGE_BYTES: usize = 1024 * 1024;
