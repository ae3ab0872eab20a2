//! Every limit of DynamoDB that this project enforces, named, with its unit and source.

/// Significant digits of a number. Source: Developer Guide, "Supported data types", Number.
pub const NUMBER_DIGITS: u32 = 38;
/// Largest power of ten of a number's leading digit. Source: as above (9.99…E+125).
pub const NUMBER_MAX_MAGNITUDE: i32 = 125;
/// Smallest power of ten of a number's leading digit. Source: as above (1E-130).
pub const NUMBER_MIN_MAGNITUDE: i32 = -130;

/// Size of a list or map without its elements, bytes. Source: Developer Guide, "DynamoDB item sizes and formats".
pub const DOCUMENT_OVERHEAD_BYTES: usize = 3;
/// Size that each element of a list or map adds to its own, bytes. Source: as above.
pub const ELEMENT_OVERHEAD_BYTES: usize = 1;
/// Deepest level of a value; an attribute's own value is level 1. Source: Developer Guide, "Quotas",
/// nested attribute depth; the count is measured on AWS (`paritysuite/dynamodb-conformance`, nesting depth).
pub const NESTING_LEVELS: usize = 32;

/// Largest item, bytes of names and values. Source: Developer Guide, "Quotas", item size.
pub const ITEM_BYTES: usize = 400 * 1024;
/// Largest partition key value, bytes. Source: Developer Guide, "Constraints".
pub const PARTITION_KEY_BYTES: usize = 2048;
/// Largest sort key value, bytes. Source: as above.
pub const SORT_KEY_BYTES: usize = 1024;
/// Bytes read by one Query or Scan page before filters. Source: API Reference, Query.
pub const PAGE_BYTES: usize = 1024 * 1024;

/// Longest expression string, bytes. Source: Developer Guide, "Quotas", expression parameters.
pub const EXPRESSION_BYTES: usize = 4096;
/// Most operators and functions in one expression; AND and OR do not count. Source: as above, which
/// says so of updates; measured for every kind (scylladb/scylladb#14473, aws/aws-sdk-js#3721).
pub const EXPRESSION_OPERATORS: usize = 300;
/// Deepest expression tree, nodes: what recursion over one may cost. Not a limit of DynamoDB: text
/// within the two limits above cannot reach it (every level holds an operator of its own or two
/// branches that do), so only a tree built by code can be too deep.
pub const EXPRESSION_DEPTH: usize = 2 * EXPRESSION_OPERATORS + 8;
/// Most values on the right of IN. Source: Developer Guide, "Quotas", expression parameters.
pub const IN_OPERANDS: usize = 100;
/// Largest list index in a document path. Source: none published; the largest 32-bit signed integer,
/// far above what fits in an item.
pub const LIST_INDEX: u32 = i32::MAX as u32;
/// Bytes of items that one BatchGetItem returns. Source: API Reference, BatchGetItem.
pub const BATCH_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of all items of one transaction. Source: API Reference, TransactWriteItems.
pub const TRANSACTION_BYTES: usize = 4 * 1024 * 1024;
