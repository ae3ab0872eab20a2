//! The one operation list. Dispatch, names, the client and the compatibility table derive from it.

#[allow(
    clippy::wildcard_imports,
    reason = "every operation's input and output"
)]
use crate::types::*;
use crate::{Error, ErrorKind, constraint, wire};
use bothways_core::Item;
use bytes::Bytes;

/// The two services that share a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Service {
    /// DynamoDB.
    DynamoDb,
    /// DynamoDB Streams.
    Streams,
}

impl Service {
    /// What stands before the operation in `X-Amz-Target`.
    #[must_use]
    pub const fn target(self) -> &'static str {
        match self {
            Self::DynamoDb => "DynamoDB_20120810",
            Self::Streams => "DynamoDBStreams_20120810",
        }
    }
}

/// How far an operation is served by this project's own engine and server. (The client sends them all.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It answers as AWS does.
    Done,
    /// It answers, with what the note says missing.
    Partly,
    /// It answers `UnknownOperationException`.
    Not,
}

macro_rules! operations {
    ($($name:ident($input:ident, $output:ident) $service:ident $status:ident $note:literal;)*) => {
        /// An operation of the DynamoDB or DynamoDB Streams API that is implemented as types.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Operation { $(#[doc = stringify!($name)] $name,)* }

        impl Operation {
            /// Every operation.
            pub const ALL: &'static [Operation] = &[$(Operation::$name,)*];
            /// Its name as in `X-Amz-Target`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Operation::$name => stringify!($name),)* }
            }
            /// The service it belongs to.
            #[must_use]
            pub const fn service(self) -> Service {
                match self { $(Operation::$name => Service::$service,)* }
            }
            /// How far it is served.
            #[must_use]
            pub const fn status(self) -> Status {
                match self { $(Operation::$name => Status::$status,)* }
            }
            /// What is to be said of that; empty where there is nothing.
            #[must_use]
            pub const fn note(self) -> &'static str {
                match self { $(Operation::$name => $note,)* }
            }
            /// Its parameters that have a type here, as on the wire.
            #[must_use]
            pub const fn parameters(self) -> &'static [&'static str] {
                match self { $(Operation::$name => <$input as wire::Shape>::MEMBERS,)* }
            }
            fn of_name(name: &str) -> Option<Self> {
                match name { $(stringify!($name) => Some(Operation::$name),)* _ => None }
            }
        }

        /// A decoded request.
        #[derive(Debug, Clone)]
        pub enum Request {
            $(#[doc = stringify!($name)] $name(Box<$input>),)*
            /// An operation that this project has no types for: a client passes it through untouched.
            Other {
                /** `X-Amz-Target`'s value. */ target: String,
                /** Its JSON. */ body: Bytes,
            },
        }

        /// An answer.
        #[derive(Debug, Clone)]
        pub enum Response {
            $(#[doc = stringify!($name)] $name(Box<$output>),)*
            /// The JSON of an operation passed through.
            Other(Bytes),
        }

        impl Request {
            /// Reads a request's body.
            ///
            /// # Errors
            /// `SerializationException` for what is not JSON of the operation's types; `ValidationException` where
            /// a word is not in its closed set, with whatever else the constraint stage finds.
            pub fn decode(operation: Operation, body: &[u8]) -> Result<Self, Error> {
                if operation == Operation::SearchVectors {
                    wire::strict::search_vectors(body)?;
                }
                match operation {
                    $(Operation::$name => Ok(Self::$name(Box::new(input::<$input>(body)?))),)*
                }
            }
            /// The operation asked for; none for one passed through.
            #[must_use]
            pub const fn operation(&self) -> Option<Operation> {
                match self {
                    $(Self::$name(_) => Some(Operation::$name),)*
                    Self::Other { .. } => None,
                }
            }
            /// Appends the request's body.
            pub fn encode(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$name(input) => wire::Wire::write(&**input, out),)*
                    Self::Other { body, .. } => out.extend_from_slice(body),
                }
            }
        }

        impl Response {
            /// Reads an answer's body.
            ///
            /// # Errors
            /// `InternalServerError` for what is not JSON of the operation's types.
            pub fn decode(operation: Operation, body: &[u8]) -> Result<Self, Error> {
                match operation {
                    $(Operation::$name => Ok(Self::$name(Box::new(output::<$output>(body)?))),)*
                }
            }
            /// Appends the answer's body.
            pub fn encode(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$name(output) => wire::Wire::write(&**output, out),)*
                    Self::Other(body) => out.extend_from_slice(body),
                }
            }
        }
    };
}

operations! {
    CreateTable(CreateTableInput, CreateTableOutput) DynamoDb Partly "Encryption is described, not done. Nothing is held to throughput, warm or provisioned.";
    DescribeTable(DescribeTableInput, DescribeTableOutput) DynamoDb Done "";
    ListTables(ListTablesInput, ListTablesOutput) DynamoDb Done "";
    DeleteTable(DeleteTableInput, DeleteTableOutput) DynamoDb Done "";
    PutItem(PutItemInput, PutItemOutput) DynamoDb Done "";
    GetItem(GetItemInput, GetItemOutput) DynamoDb Done "";
    UpdateItem(UpdateItemInput, UpdateItemOutput) DynamoDb Done "";
    DeleteItem(DeleteItemInput, DeleteItemOutput) DynamoDb Done "";
    Query(QueryInput, QueryOutput) DynamoDb Done "One snapshot a page, which is stronger than AWS.";
    Scan(ScanInput, ScanOutput) DynamoDb Done "One snapshot a page, which is stronger than AWS.";
    BatchGetItem(BatchGetItemInput, BatchGetItemOutput) DynamoDb Done "One snapshot a request, which is stronger than AWS.";
    BatchWriteItem(BatchWriteItemInput, BatchWriteItemOutput) DynamoDb Done "One commit a request, which is stronger than AWS.";
    TransactGetItems(TransactGetItemsInput, TransactGetItemsOutput) DynamoDb Done "";
    TransactWriteItems(TransactWriteItemsInput, TransactWriteItemsOutput) DynamoDb Done "";
    UpdateTable(UpdateTableInput, UpdateTableOutput) DynamoDb Partly "Changes hold with the answer. Nothing is held to throughput.";
    UpdateTimeToLive(UpdateTimeToLiveInput, UpdateTimeToLiveOutput) DynamoDb Done "Expired items are gone within a minute. Another change is refused for 31 minutes, as measured of AWS.";
    DescribeTimeToLive(DescribeTimeToLiveInput, DescribeTimeToLiveOutput) DynamoDb Done "";
    TagResource(TagResourceInput, TagResourceOutput) DynamoDb Done "";
    UntagResource(UntagResourceInput, UntagResourceOutput) DynamoDb Done "";
    ListTagsOfResource(ListTagsOfResourceInput, ListTagsOfResourceOutput) DynamoDb Done "";
    DescribeLimits(DescribeLimitsInput, DescribeLimitsOutput) DynamoDb Done "AWS's defaults; nothing is held to them.";
    DescribeEndpoints(DescribeEndpointsInput, DescribeEndpointsOutput) DynamoDb Done "The address that was asked, so that nobody is sent to AWS.";
    PutResourcePolicy(PutResourcePolicyInput, PutResourcePolicyOutput) DynamoDb Done "*Not enforced*: kept and given back in AWS's form. Principals and actions are not looked up, and changes need no pause of 15 s.";
    GetResourcePolicy(GetResourcePolicyInput, GetResourcePolicyOutput) DynamoDb Done "*Not enforced*.";
    DeleteResourcePolicy(DeleteResourcePolicyInput, DeleteResourcePolicyOutput) DynamoDb Done "*Not enforced*.";
    DescribeContinuousBackups(DescribeContinuousBackupsInput, DescribeContinuousBackupsOutput) DynamoDb Done "The latest time is now, where AWS's is five minutes ago.";
    UpdateContinuousBackups(UpdateContinuousBackupsInput, UpdateContinuousBackupsOutput) DynamoDb Done "Recovery can go to any millisecond since it was switched on.";
    CreateBackup(CreateBackupInput, CreateBackupOutput) DynamoDb Done "A logical copy of what the table was at the request. One that is still CREATING when the server stops goes on when it starts again. The table cannot be deleted meanwhile.";
    DescribeBackup(DescribeBackupInput, DescribeBackupOutput) DynamoDb Done "";
    ListBackups(ListBackupsInput, ListBackupsOutput) DynamoDb Done "";
    DeleteBackup(DeleteBackupInput, DeleteBackupOutput) DynamoDb Done "";
    RestoreTableFromBackup(RestoreTableFromBackupInput, RestoreTableFromBackupOutput) DynamoDb Done "";
    RestoreTableToPointInTime(RestoreTableToPointInTimeInput, RestoreTableToPointInTimeOutput) DynamoDb Done "A table cannot be deleted, or its recovery switched off, while it is being restored from.";
    ExportTableToPointInTime(ExportTableToPointInTimeInput, ExportTableToPointInTimeOutput) DynamoDb Done "To a directory that stands for the bucket (`serve --bucket-dir`). Nothing is encrypted.";
    DescribeExport(DescribeExportInput, DescribeExportOutput) DynamoDb Done "";
    ListExports(ListExportsInput, ListExportsOutput) DynamoDb Done "";
    ImportTable(ImportTableInput, ImportTableOutput) DynamoDb Done "From a directory that stands for the bucket (`serve --bucket-dir`). The table's name is taken with the answer. FailureMessage ends with the first object that was not read to its end, and why: AWS has that in CloudWatch.";
    DescribeImport(DescribeImportInput, DescribeImportOutput) DynamoDb Done "No CloudWatch log group.";
    ListImports(ListImportsInput, ListImportsOutput) DynamoDb Done "";
    UpdateContributorInsights(UpdateContributorInsightsInput, UpdateContributorInsightsOutput) DynamoDb Done "Every item that is read or written counts, once for its partition key and once for its key; nothing is throttled. No CloudWatch rules: the keys are shown by this server.";
    DescribeContributorInsights(DescribeContributorInsightsInput, DescribeContributorInsightsOutput) DynamoDb Done "";
    ListContributorInsights(ListContributorInsightsInput, ListContributorInsightsOutput) DynamoDb Done "";
    SearchVectors(SearchVectorsInput, SearchVectorsOutput) DynamoDb Done "Exact, where AWS's is approximate: every vector of the index or partition is looked at. `TableSizeBytes` has vectors by their numbers. Results end at 16 MB.";
    ExecuteStatement(ExecuteStatementInput, ExecuteStatementOutput) DynamoDb Done "One snapshot a page, which is stronger than AWS. Rare refusals have words of our own.";
    BatchExecuteStatement(BatchExecuteStatementInput, BatchExecuteStatementOutput) DynamoDb Done "";
    ExecuteTransaction(ExecuteTransactionInput, ExecuteTransactionOutput) DynamoDb Done "";
    ListStreams(ListStreamsInput, ListStreamsOutput) Streams Done "";
    DescribeStream(DescribeStreamInput, DescribeStreamOutput) Streams Done "";
    GetShardIterator(GetShardIteratorInput, GetShardIteratorOutput) Streams Done "";
    GetRecords(GetRecordsInput, GetRecordsOutput) Streams Done "";
}

impl Operation {
    /// The operation that an `X-Amz-Target` names: `DynamoDB_20120810.GetItem`.
    ///
    /// # Errors
    /// `UnknownOperationException` for any other text, and for none.
    pub fn of_target(target: Option<&str>) -> Result<Self, Error> {
        target
            .and_then(|target| target.split_once('.'))
            .and_then(|(service, name)| Some((service, Self::of_name(name)?)))
            .filter(|(service, operation)| operation.service().target() == *service)
            .map(|(_, operation)| operation)
            .ok_or_else(|| Error::new(ErrorKind::UnknownOperation, ""))
    }

    /// Its `X-Amz-Target`.
    #[must_use]
    pub fn target(self) -> String {
        format!("{}.{}", self.service().target(), self.name())
    }
}

impl Response {
    /// About how many bytes [`Response::encode`] appends, so that room for them is made once. Mostly a little more.
    #[must_use]
    pub fn room(&self) -> usize {
        const FRAME: usize = 256;
        // An item's JSON has, beside names and values, each attribute's type and quotes.
        let of = |item: &Item| item.size() + item.len() * 16;
        FRAME
            + match self {
                Self::GetItem(output) => output.item.as_ref().map_or(0, of),
                Self::Query(output) => output.items.iter().flatten().map(of).sum(),
                Self::Scan(output) => output.items.iter().flatten().map(of).sum(),
                _ => 0,
            }
    }

    /// Whether the API model has no output for the operation: AWS then sends no body at all, not even `{}`.
    /// Source: scylladb/scylladb, `test_manual_requests.py` (`tags_return_empty_body`), measured on AWS.
    #[must_use]
    pub const fn is_bodiless(&self) -> bool {
        matches!(self, Self::TagResource(_) | Self::UntagResource(_))
    }
}

/// A request is an object; `null`, which stands for an absent member, is none. Source: scylladb/scylladb,
/// `test_manual_requests.py` (`request_payload_must_be_object`), measured on AWS.
fn input<T: wire::Wire + Default>(body: &[u8]) -> Result<T, Error> {
    if body.trim_ascii() == b"null" {
        return Err(Error::new(ErrorKind::Serialization, ""));
    }
    let decoded = wire::decode::<T>(body)
        .map_err(|words| Error::new(ErrorKind::Serialization, words.unwrap_or_default()))?;
    if !decoded.unknown.is_empty() {
        constraint::check_with(&decoded.value, decoded.unknown)?;
    }
    Ok(decoded.value)
}

/// Where there is no output there is no body.
fn output<T: wire::Wire + Default>(body: &[u8]) -> Result<T, Error> {
    if body.is_empty() {
        return Ok(T::default());
    }
    wire::decode::<T>(body)
        .map(|decoded| decoded.value)
        .map_err(|words| {
            let words = words.unwrap_or_else(|| "not JSON".to_owned());
            Error::new(
                ErrorKind::InternalServerError,
                format!("the answer could not be read: {words}"),
            )
        })
}
