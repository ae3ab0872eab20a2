//! Every limit of DynamoDB that this project enforces, named, with its unit and source.
//!
//! "Constraints" and "Quotas" are the pages of those names in the Developer Guide ("Constraints in Amazon
//! DynamoDB", "Quotas in Amazon DynamoDB"). A KB is 1,024 bytes there and here.

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
/// Deepest level of a value that DynamoDB's newer front end reads; past it the older one answers for single-item
/// writes. Source: measured, `paritysuite/dynamodb-conformance`, validation-ordering/deepRequests ("about 62").
pub const OLDER_NESTING_LEVELS: usize = 63;

/// Largest item, bytes of names and values. Source: Constraints, items.
pub const ITEM_BYTES: usize = 400 * 1024;
/// Storage that every item and index row takes beside its own size, bytes. Source: Developer Guide, "DynamoDB
/// item sizes and formats".
pub const ITEM_OVERHEAD_BYTES: usize = 100;
/// Longest attribute name, bytes. Source: Constraints, attributes ("less than 64 KB").
pub const ATTRIBUTE_NAME_BYTES: usize = 64 * 1024 - 1;
/// Longest name of a key attribute or of one that an index projects by name, bytes. Source: as above.
pub const KEY_NAME_BYTES: usize = 255;
/// Largest partition key value, bytes. Source: Constraints, partition keys and sort keys.
pub const PARTITION_KEY_BYTES: usize = 2048;
/// Largest sort key value, bytes. Source: as above.
pub const SORT_KEY_BYTES: usize = 1024;
/// Shortest and longest table or index name, characters of `a-zA-Z0-9_.-`. Source: Constraints, naming rules.
pub const TABLE_NAME_CHARS: std::ops::RangeInclusive<usize> = 3..=255;

/// Partition attributes, and sort attributes, that an index key can have each. Source: Developer Guide,
/// "Multi-attribute keys pattern" (global secondary indexes; a table has one and at most one).
pub const INDEX_KEY_ATTRIBUTES: usize = 4;
/// Global secondary indexes of one table. Source: Quotas, secondary indexes.
pub const GLOBAL_INDEXES: usize = 20;
/// Local secondary indexes of one table. Source: as above.
pub const LOCAL_INDEXES: usize = 5;
/// Attributes that all of a table's indexes together project by name. Source: Constraints, secondary indexes.
pub const PROJECTED_ATTRIBUTES: usize = 100;
/// Largest item collection of a table with a local index, bytes. Source: Constraints, sort key values.
pub const ITEM_COLLECTION_BYTES: u64 = 10 * 1024 * 1024 * 1024;

/// Bytes that one read unit reads, strongly consistent. Source: Constraints, capacity unit sizes.
pub const READ_UNIT_BYTES: usize = 4 * 1024;
/// Bytes that one write unit writes. Source: as above.
pub const WRITE_UNIT_BYTES: usize = 1024;
/// Bytes read by one Query or Scan page before filters. Source: Constraints, API-specific.
pub const PAGE_BYTES: usize = 1024 * 1024;
/// Most segments of a parallel scan. Source: API Reference, Scan, `TotalSegments`.
pub const SCAN_SEGMENTS: u32 = 1_000_000;
/// Most table names in one answer of `ListTables`. Source: API Reference, `ListTables`, `Limit`.
pub const LISTED_TABLES: usize = 100;
/// Keys of one `BatchGetItem`. Source: Constraints, API-specific.
pub const BATCH_GET_KEYS: usize = 100;
/// Puts and deletes of one `BatchWriteItem`. Source: as above.
pub const BATCH_WRITES: usize = 25;
/// Actions of one transaction. Source: Constraints, transactions.
pub const TRANSACTION_ACTIONS: usize = 100;
/// Longest `ClientRequestToken`, characters. Source: API Reference, `TransactWriteItems`.
pub const TOKEN_CHARS: usize = 36;
/// How long a `ClientRequestToken` is remembered, milliseconds. Source: as above.
pub const TOKEN_MILLIS: u64 = 10 * 60 * 1000;
/// How long a stream record is kept, milliseconds. Source: Developer Guide, "Change data capture for DynamoDB
/// Streams".
pub const STREAM_MILLIS: u64 = 24 * 60 * 60 * 1000;

/// Longest `#name` or `:value` placeholder, bytes. Source: Constraints, expression parameters.
pub const PLACEHOLDER_BYTES: usize = 255;
/// All placeholders of one request with what they stand for, bytes. Source: as above.
pub const SUBSTITUTION_BYTES: usize = 2 * 1024 * 1024;
/// Longest expression string, bytes. Source: Developer Guide, "Quotas", expression parameters.
pub const EXPRESSION_BYTES: usize = 4096;
/// Most operators in one expression: comparisons, AND, OR, NOT, `+` and `-`; functions do not count.
/// Source: Developer Guide, "Quotas", which says so of updates; measured for every kind
/// (`scylladb/scylladb`, `test_limits.py`; aws/aws-sdk-js#3721).
pub const EXPRESSION_OPERATORS: usize = 300;
/// Most calls inside each other. Not a limit of DynamoDB: deeper ones cannot be right (240 fit of the one
/// function that may hold itself), and the parser refuses them with the error that they are in for.
pub const EXPRESSION_CALLS: usize = 256;
/// Deepest expression tree, nodes: what recursion over one may cost. Not a limit of DynamoDB: every level of
/// a parsed tree is an operator or a call of its own, so only a tree built by code can be too deep.
pub const EXPRESSION_DEPTH: usize = EXPRESSION_OPERATORS + EXPRESSION_CALLS + 2;
/// Most values on the right of IN. Source: Developer Guide, "Quotas", expression parameters.
pub const IN_OPERANDS: usize = 100;
/// Largest list index in a document path. Source: none published; the largest 32-bit signed integer,
/// far above what fits in an item.
pub const LIST_INDEX: u32 = i32::MAX as u32;
/// Bytes of items that one BatchGetItem returns. Source: API Reference, BatchGetItem.
pub const BATCH_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of all items of one transaction. Source: API Reference, TransactWriteItems.
pub const TRANSACTION_BYTES: usize = 4 * 1024 * 1024;
