//! The one operation list. Dispatch, names, the client and the compatibility table derive from it.

use crate::types::*;
use bytes::Bytes;

macro_rules! operations {
    ($($name:ident($input:ident, $output:ident) $service:ident;)*) => {
        /// An operation of the DynamoDB or DynamoDB Streams API that is implemented as types.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Operation { $(#[doc = stringify!($name)] $name,)* }
        impl Operation {
            /// Every operation.
            pub const ALL: &'static [Operation] = &[$(Operation::$name,)*];
            /// Its name as in `X-Amz-Target`.
            pub const fn name(self) -> &'static str { match self { $(Operation::$name => stringify!($name),)* } }
        }
        /// A decoded request.
        #[derive(Debug, Clone)]
        pub enum Request {
            $(#[doc = stringify!($name)] $name(Box<$input>),)*
            /// An operation that this project has no types for: a client passes it through untouched.
            Other { /** `X-Amz-Target`'s value. */ target: String, /** Its JSON. */ body: Bytes },
        }
        /// An answer.
        #[derive(Debug, Clone)]
        pub enum Response {
            $(#[doc = stringify!($name)] $name(Box<$output>),)*
            /// The JSON of an operation passed through.
            Other(Bytes),
        }
    };
}

operations! {
    CreateTable(CreateTableInput, CreateTableOutput) dynamodb;
    DescribeTable(DescribeTableInput, DescribeTableOutput) dynamodb;
    ListTables(ListTablesInput, ListTablesOutput) dynamodb;
    DeleteTable(DeleteTableInput, DeleteTableOutput) dynamodb;
    PutItem(PutItemInput, PutItemOutput) dynamodb;
    GetItem(GetItemInput, GetItemOutput) dynamodb;
    UpdateItem(UpdateItemInput, UpdateItemOutput) dynamodb;
    DeleteItem(DeleteItemInput, DeleteItemOutput) dynamodb;
    Query(QueryInput, QueryOutput) dynamodb;
    Scan(ScanInput, ScanOutput) dynamodb;
    BatchGetItem(BatchGetItemInput, BatchGetItemOutput) dynamodb;
    BatchWriteItem(BatchWriteItemInput, BatchWriteItemOutput) dynamodb;
    TransactGetItems(TransactGetItemsInput, TransactGetItemsOutput) dynamodb;
    TransactWriteItems(TransactWriteItemsInput, TransactWriteItemsOutput) dynamodb;
}
