//! Every message: its name, its fields, and the exception that carries it where that is not `ValidationException`.

use crate::ErrorKind;
use std::fmt::Write as _;

with_plane_messages! {

    // The constraint stage.
    /// Faults of the constraint stage, joined.
    Constraints { count: usize, faults: String };
    /// A semantic error that AWS counts like a constraint.
    Counted { fault: String };
    /// A required member is missing.
    NotNull { at: String };
    /// A required member is missing, said alone.
    ParameterRequired { name: String };
    /// Too short.
    TooShort { value: String, at: String, limit: usize };
    /// Too long.
    TooLong { value: String, at: String, limit: usize };
    /// Too small.
    TooSmall { value: String, at: String, limit: i64 };
    /// Too large.
    TooLarge { value: String, at: String, limit: i64 };
    /// Characters that the pattern does not allow.
    OffPattern { value: String, at: String, pattern: &'static str };
    /// A word outside its set.
    UnknownWord { value: String, at: String, words: &'static str };
    /// A word outside its set, said without value and place.
    BareWord { words: &'static str };
    /// Too short, said without the value.
    BareTooShort { at: String, limit: usize };
    /// Too long, said without the value.
    BareTooLong { at: String, limit: usize };
    /// Too small, said without the value.
    BareTooSmall { at: String, limit: i64 };
    /// A map's key breaks its rules.
    BadMapKey { value: String, at: String, min: usize, max: usize, pattern: &'static str };
    /// A list's element breaks its rules.
    BadElement { value: String, at: String, min: usize, max: usize };
    /// A map's value breaks its rules.
    BadMapValue { value: String, at: String, min: usize, max: usize };

    // Attribute values.
    /// An attribute value of no type.
    ValueEmpty;
    /// An attribute value of several types.
    ValueAmbiguous;
    /// NULL that is not true.
    NullNotTrue;
    /// An empty string set.
    EmptyStringSet;
    /// An empty number set.
    EmptyNumberSet;
    /// An empty binary set.
    EmptyBinarySet;
    /// A string set with a member twice.
    DuplicateStrings { members: String };
    /// A number set with a member twice.
    DuplicateNumbers;
    /// The same in the older words.
    DuplicateNumbersOlder;
    /// A binary set with a member twice.
    DuplicateBinaries { members: String };
    /// An empty number, in the older words.
    NumberEmptyOlder;
    /// Not a number.
    NumberMalformed { text: String };
    /// Too large a number.
    NumberOverflow;
    /// Too small a number.
    NumberUnderflow;
    /// Too many digits.
    NumberTooPrecise;
    /// Lists and maps nested too deep.
    TooDeep;
    /// An item over 400 KB.
    ItemTooLarge;
    /// An updated item over 400 KB.
    UpdatedItemTooLarge;
    /// An attribute's name that is too long.
    AttributeNameTooLong;
    /// An updated item nested too deep.
    UpdatedItemTooDeep;
    /// An attribute without a name.
    EmptyAttributeName;
    /// A wrong value among `ExpressionAttributeValues`.
    ValueInValues { fault: String, key: String };
    /// A wrong value in `ExclusiveStartKey`.
    StartKeyInvalid { fault: String };

    // Parameters together.
    /// Legacy parameters beside expressions.
    MixedParameters { legacy: String, expressions: String };
    /// Names without an expression.
    NamesWithoutExpression;
    /// Values without an expression.
    ValuesWithoutExpression { missing: String };
    /// Values without an expression, on an operation of the counted kind.
    ValuesWithoutExpressionCounted;
    /// No names at all.
    NamesEmpty;
    /// No values at all.
    ValuesEmpty;
    /// A placeholder for what is no name.
    NamesBadValue { fault: String, key: String };
    /// A name that is not `#name`.
    NamesBadKey { key: String };
    /// A value that is not `:value`.
    ValuesBadKey { key: String };
    /// Names that no expression uses.
    NamesUnused { keys: String };
    /// Values that no expression uses.
    ValuesUnused { keys: String };
    /// PutItem and DeleteItem return nothing new.
    ReturnValuesPut;
    /// `AttributesToGet` names one twice.
    DuplicateAttribute { name: String };
    /// Select `SPECIFIC_ATTRIBUTES` without naming any.
    SelectSpecificNeedsAttributes;
    /// Select that is not `SPECIFIC_ATTRIBUTES` with named attributes.
    SelectWithAttributes { kind: &'static str, select: &'static str };
    /// Select COUNT with named attributes.
    CountWithAttributes { kind: &'static str };
    /// `ALL_PROJECTED_ATTRIBUTES` on a table.
    SelectProjectedWithoutIndex;
    /// A Query without a key condition.
    KeyConditionMissing;
    /// Too many or no legacy key conditions.
    KeyConditionCount;
    /// Segment alone.
    SegmentWithoutTotal;
    /// `TotalSegments` alone.
    TotalWithoutSegment;
    /// Segment not below `TotalSegments`.
    SegmentOutOfRange { segment: i32, total: i32 };

    // Legacy parameters.
    /// Expected with both forms.
    ExpectedValueAndList { name: String };
    /// Expected with both forms.
    ExpectedExistsAndOperator { name: String };
    /// An operator without a value.
    ExpectedNothingToCompare { operator: String, name: String };
    /// Values without an operator.
    ExpectedListWithoutOperator { name: String };
    /// Exists without a value.
    ExpectedValueRequired { exists: &'static str, name: String };
    /// A value that must not exist.
    ExpectedValueForbidden { name: String };
    /// A wrong number of values.
    ArgumentCount { operator: String };
    /// Values of several types.
    ArgumentTypesDiffer;
    /// A value that the operator cannot take.
    ArgumentType { operator: String, kind: &'static str };
    /// BETWEEN with its bounds swapped.
    BetweenReversed;
    /// `ConditionalOperator` alone.
    OperatorWithoutFilter;
    /// `ConditionalOperator` with one condition.
    OperatorNeedsTwo;
    /// PUT or ADD without a value.
    UpdateWithoutValue;
    /// DELETE from what is no set.
    UpdateDeleteType { kind: &'static str };
    /// ADD to what cannot be added to.
    UpdateAddType { kind: &'static str };
    /// A legacy update of another type than the item's.
    UpdateTypeMismatch;

    // Batches and transactions.
    /// An empty `RequestItems`.
    RequestItemsRequired { operation: &'static str };
    /// More than 25 writes over several tables.
    BatchTooMany;
    /// More than 100 keys over several tables.
    BatchTooManyKeys;
    /// A write request that is not one of put and delete.
    WriteRequestShape;
    /// The same key twice in a batch.
    DuplicateKeys;
    /// A transaction's action that is not one.
    TransactionOneAction;
    /// Two actions on one item.
    TransactionDuplicate;
    /// An item collection over 10 GB.
    CollectionTooLarge => ItemCollectionSizeLimitExceeded;
    /// Items over 4 MB in one transaction.
    TransactionTooLarge;
    /// A cancelled transaction.
    TransactionCanceled { codes: String } => TransactionCanceled;
    /// A write met a transaction.
    TransactionConflict => TransactionConflict;
    /// The same token at work.
    TransactionInProgress => TransactionInProgress;
    /// The same token with other parameters.
    TokenMismatch => IdempotentParameterMismatch;
    /// A key takes more than one partition gives.
    Throttled => Throttling;
    /// A condition did not hold.
    ConditionFailed => ConditionalCheckFailed;

    // Expressions.
    /// An expression that is wrong, and how.
    InvalidExpression { parameter: &'static str, fault: String };
    /// Nothing in the expression.
    ExpressionEmpty;
    /// Over 4 KB.
    ExpressionTooLong { bytes: usize };
    /// An update over 4 KB.
    UpdateTooLong;
    /// Over 300 operators.
    TooManyOperators { count: usize };
    /// A built tree over our own depth.
    ExpressionTooDeep;
    /// The grammar does not allow it.
    ExpressionSyntax { token: String, near: String };
    /// Parentheses around parentheses.
    RedundantParentheses;
    /// No such function.
    UnknownFunction { name: String };
    /// A function of the other grammar; `place` is "an update" or "a condition".
    FunctionNotAllowed { place: &'static str, name: String };
    /// A function where it cannot stand.
    MisusedFunction { name: String };
    /// A bare name that is reserved.
    ReservedWord { word: String };
    /// A `#name` without a definition.
    NameUndefined { name: String };
    /// A `:value` without a definition.
    ValueUndefined { name: String };
    /// A wrong number of operands.
    OperandCount { operator: String, count: usize };
    /// The same operand twice.
    OperandsSame { operator: &'static str, path: String };
    /// An operand that the operator cannot take.
    OperandType { operator: &'static str, kind: &'static str };
    /// `attribute_type` of no type.
    TypeUnknown { name: String, valid: &'static str };
    /// A function of a value that needs a path.
    PathRequired { function: &'static str };
    /// BETWEEN bounds of two types.
    BetweenTypes { lower: String, upper: String };
    /// BETWEEN with its bounds swapped.
    BetweenOrder { lower: String, upper: String };
    /// A clause twice.
    ClauseTwice { clause: &'static str };
    /// One path in another.
    PathsOverlap { one: String, two: String };
    /// A list for one path, a map for another.
    PathsConflict { one: String, two: String };
    /// ADD or DELETE of what it cannot take.
    ClauseOperandType { clause: &'static str, kind: &'static str };
    /// A list index too large.
    IndexOutOfRange { index: String };
    /// A path of more than 32 levels.
    PathTooDeep { levels: usize };
    /// Over 100 values on the right of IN.
    TooManyInOperands { count: usize };

    // Key conditions.
    /// An operator that is no range.
    KeyConditionBadOperator { operator: &'static str };
    /// The attribute in the wrong place.
    KeyConditionAttributeNotFirst { operator: &'static str };
    /// Two attributes in one comparison.
    KeyConditionSeveralAttributes;
    /// No attribute in a comparison.
    KeyConditionNoAttribute;
    /// `size` in a key condition.
    KeyConditionNestedOperation;
    /// A nested path in a key condition.
    KeyConditionNestedAttribute;
    /// Two conditions on one attribute.
    KeyConditionRepeated;
    /// More conditions than key attributes.
    KeyConditionTooMany { given: usize, defined: usize };
    /// A partition attribute, one of several, without an equality.
    KeyConditionPartition { missing: String };
    /// A gap in the conditions on several sort key attributes.
    KeyConditionEquality { missing: String, present: String };

    // Keys and the schema.
    /// A Key of other attributes or types than the table's.
    KeyMismatch;
    /// An empty key value.
    KeyEmpty { kind: &'static str, name: String };
    /// An empty key value in a key condition.
    KeyConditionEmpty { kind: &'static str, name: String };
    /// A partition key over its limit.
    HashKeyTooLong;
    /// A sort key over its limit.
    RangeKeyTooLong;
    /// An item without a key attribute.
    ItemKeyMissing { name: String };
    /// An item with a key attribute of another type.
    ItemKeyType { name: String, expected: &'static str, actual: &'static str };
    /// An item with an index key attribute of another type.
    IndexKeyType { name: String, expected: &'static str, actual: &'static str, index: String };
    /// An empty index key value.
    IndexKeyEmpty { kind: &'static str, name: String, index: String };
    /// An index partition key over its limit.
    IndexHashKeyTooLong { name: String, index: String };
    /// An index sort key over its limit.
    IndexRangeKeyTooLong { name: String, index: String };
    /// An update of a key attribute.
    KeyUpdate { name: String };
    /// A path into a key attribute.
    KeyNotScalar { name: String };
    /// The same of an index.
    IndexKeyNotScalar { name: String };
    /// An update of an index key attribute to another type.
    UpdateIndexKeyType;
    /// An update of an index key attribute to an empty value.
    UpdateIndexKeyEmpty { kind: &'static str };
    /// An update through what is not a map or list.
    UpdatePathInvalid;
    /// An update with an operand of a wrong type.
    UpdateOperandType;
    /// An update that reads what is not there.
    UpdateMissingAttribute;

    // Queries and scans against the schema.
    /// No such index.
    IndexNotFound { name: String };
    /// A read of an index that is being built.
    IndexBackfilling { name: String };
    /// A consistent read of a GSI.
    ConsistentGsi;
    /// A key condition that no index can serve.
    KeyNotSupported;
    /// A key condition without the partition key.
    KeyConditionMissed { name: String };
    /// A legacy key condition that is no range.
    KeyConditionOperator;
    /// A key condition of another type.
    KeyConditionType;
    /// A filter on a key attribute.
    FilterOnKey { filter: &'static str, name: String };
    /// `ALL_ATTRIBUTES` on a GSI that lacks some.
    SelectAllOnGsi { name: String };
    /// Attributes that a GSI lacks.
    GsiProjectionLacks { index: String, names: String };
    /// An `ExclusiveStartKey` that is no key.
    StartKeyMismatch;
    /// An `ExclusiveStartKey` of another schema.
    StartKeySchema;
    /// An `ExclusiveStartKey` beyond the partition.
    StartKeyOutside;
    /// An `ExclusiveStartKey` beyond the range.
    StartKeyPredicate;
    /// An `ExclusiveStartKey` where there is but one row.
    StartKeyOneRow;
    /// An `ExclusiveStartKey` in a table without sort keys.
    StartKeyNotRestartable { key: String };
    /// An `ExclusiveStartKey` of another segment.
    StartKeySegment { total: i32, segment: i32 };

    // Tables.
    /// On-demand with throughput.
    ThroughputForbidden;
    /// Provisioned without throughput.
    ThroughputRequired;
    /// Too much throughput.
    ThroughputOutOfBounds { value: i64, name: &'static str };
    /// Fewer definitions than keys.
    KeyUndefined;
    /// A key attribute without a definition.
    KeysUndefined { keys: String, definitions: String };
    /// A key of one attribute twice.
    KeysSameName;
    /// A key that does not begin with its partition key.
    FirstKeyNotHash;
    /// A key whose second part is no sort key.
    SecondKeyNotRange;
    /// More attributes of one role than a global index's key has.
    IndexKeyTooMany { kind: &'static str, limit: usize };
    /// A partition attribute behind a sort attribute, of a global index.
    IndexKeyOrder;
    /// Definitions that no key uses.
    DefinitionsUnused;
    /// Definitions that neither key nor index uses.
    DefinitionsUnusedIndexes { keys: String, definitions: String };
    /// A definition twice.
    DefinitionTwice { name: String };
    /// No LSI in the list.
    LsiEmpty;
    /// No GSI in the list.
    GsiEmpty;
    /// An LSI on a table without sort key.
    LsiTableRange;
    /// An LSI without sort key.
    LsiRange { name: String };
    /// An LSI of another partition key.
    LsiHash { name: String, index_key: String, table_key: String };
    /// An index without projection type.
    ProjectionUnknown;
    /// Attributes named for a projection that takes none.
    ProjectionNonKey { kind: &'static str };
    /// INCLUDE without attributes.
    ProjectionIncludeEmpty;
    /// A projected attribute named twice.
    ProjectionDuplicate { name: String };
    /// Two indexes of one name.
    IndexTwice { name: String };
    /// More than 5 LSIs.
    LsiTooMany;
    /// More than 20 GSIs.
    GsiTooMany;
    /// A GSI with throughput on demand.
    GsiThroughputForbidden { name: String };
    /// A GSI without throughput.
    GsiThroughputRequired { name: String };
    /// A stream without a view type.
    StreamViewMissing;
    /// A view type without a stream.
    StreamViewForbidden;
    /// UpdateTable: a stream without a view type.
    UpdateStreamViewMissing;
    /// UpdateTable: a view type without a stream.
    UpdateStreamViewForbidden;
    /// A stream on a table that has one.
    StreamAlreadyEnabled { name: String };
    /// No stream on a table that has none.
    StreamNotEnabled { name: String };
    /// Text that is no stream's ARN.
    StreamArnInvalid;
    /// No such stream.
    StreamNotFound { arn: String } => ResourceNotFound;
    /// No such shard.
    ShardNotFound => ResourceNotFound;
    /// A shard iterator that is none of ours.
    IteratorInvalid;
    /// A shard iterator older than 15 minutes.
    IteratorExpired { created: String, now: String, millis: u64 } => ExpiredIterator;
    /// A record that was trimmed.
    RecordTrimmed => TrimmedDataAccess;
    /// A place in a shard without its number.
    SequenceMissing { kind: &'static str };
    /// A number where the place needs none.
    SequenceForbidden { kind: &'static str };
    /// A number of no record of the shard.
    SequenceInvalid { number: String };
    /// A time in a shard without the time.
    TimestampMissing;
    /// A shard filter without type or shard.
    ShardFilterIncomplete;
    /// No such table (data plane).
    TableNotFound => ResourceNotFound;
    /// No such table (control plane).
    NamedTableNotFound { name: String } => ResourceNotFound;
    /// The table exists already.
    TableExists { name: String } => ResourceInUse;
    /// The table is being created.
    TableBeingCreated { name: String } => ResourceInUse;
    /// The table is being updated.
    TableBeingUpdated { name: String } => ResourceInUse;
    /// The table is being deleted.
    TableBeingDeleted { name: String } => ResourceInUse;
    /// Deletion protection is on.
    TableProtected { arn: String };
    /// An UpdateTable that changes nothing.
    UpdateTableNothing;
    /// UpdateTable to what is.
    ThroughputUnchanged { reads: i64, writes: i64 };
    /// Enabling TTL twice.
    TtlAlreadyEnabled;
    /// Disabling what is not enabled.
    TtlAlreadyDisabled;
    /// TTL on a second attribute.
    TtlOtherAttribute { name: String };
    /// TTL switched again too soon.
    TtlTooSoon;
    /// Text that is no table's ARN.
    ArnInvalid { arn: String };
    /// A table's ARN that there is not.
    ArnNotFound { arn: String } => ResourceNotFound;
    /// Another account's or region's resource.
    ArnForeign { account: String, user: String, operation: &'static str, arn: String } => AccessDenied;
    /// No tags to add.
    TagsEmpty;
    /// No tags to remove.
    TagKeysEmpty;
    /// More tags than fit.
    TagsTooMany;
    /// A tag with characters that none may have.
    TagCharacters { text: String };
    /// More than one index at a time.
    UpdateTableOneIndex => LimitExceeded;
    /// An update of an index that says nothing.
    IndexUpdateEmpty;
    /// An update of an index that says several things.
    IndexUpdateActions;
    /// Two updates of one index.
    IndexUpdateTwice { name: String };
    /// No index in the list, beside another change.
    IndexUpdatesEmpty;
    /// An index made or dropped with the table's throughput.
    IndexWithThroughput;
    /// An index made or dropped with the stream's setting.
    IndexWithStream;
    /// An index made or dropped with warm throughput.
    IndexWithWarmThroughput;
    /// What takes no other change beside it.
    OnlyOperation { what: &'static str };
    /// An index to add that is there.
    IndexExists;
    /// An index to add whose key is nowhere defined.
    IndexUndefined { name: String };
    /// A 21st GSI.
    IndexTooMany => LimitExceeded;
    /// A key attribute of another type than it has.
    AttributeRedefined { name: String, was: String, was_key: &'static str, is: String, is_key: &'static str };
    /// A GSI to add without throughput.
    IndexThroughputMissing { name: String };
    /// A GSI to add on demand, with throughput.
    IndexThroughputForbidden { name: String };
    /// Throughput for a GSI on demand.
    IndexThroughputOnDemand { name: String };
    /// Throughput of a GSI to what it is.
    IndexThroughputUnchanged { name: String, reads: i64, writes: i64 };
    /// No such index to change or drop.
    IndexOfTableNotFound { name: String, table: String } => ResourceNotFound;
    /// An LSI to drop.
    IndexDropLocal { name: String };
    /// An LSI to change.
    IndexUpdateLocal { name: String };
    /// An index to drop that is not yet being filled.
    IndexAllocating { table: String, name: String } => ResourceInUse;
    /// An index to change that is being made.
    IndexBeingCreated { table: String, name: String } => ResourceInUse;
    /// An index to change that is being dropped.
    IndexBeingDeleted { table: String, name: String } => ResourceInUse;
    /// The table's throughput, while an index is being dropped.
    ThroughputWhileDeleting { table: String, names: String } => ResourceInUse;
    /// A table to delete whose indexes are being made or dropped.
    IndexesChanging => ResourceInUse;

    // The wire.
    /// No credentials at all.
    MissingAuthentication => MissingAuthenticationToken;
    /// Unknown credentials.
    UnrecognizedClient => UnrecognizedClient;
    /// A wrong signature.
    InvalidSignature => InvalidSignature;
    /// Signed twice over.
    TwoAuthentications => InvalidSignature;
    /// An Authorization header that lacks parts.
    IncompleteAuthorization { missing: String } => IncompleteSignature;
    /// A part of an `IncompleteSignatureException`.
    HeaderLacksCredential => IncompleteSignature;
    /// A part of an `IncompleteSignatureException`.
    HeaderLacksSignature => IncompleteSignature;
    /// A part of an `IncompleteSignatureException`.
    HeaderLacksSignedHeaders => IncompleteSignature;
    /// A part of an `IncompleteSignatureException`.
    HeaderLacksDate => IncompleteSignature;
    /// The header, as AWS echoes it.
    HeaderEchoed { header: String } => IncompleteSignature;
    /// A part of an `IncompleteSignatureException`.
    QueryLacks { name: &'static str } => IncompleteSignature;
    /// The end of an `IncompleteSignatureException`.
    QueryReexamine => IncompleteSignature;
    /// A credential scope of other than five parts.
    CredentialParts { credential: String } => IncompleteSignature;
}
