//! DynamoDB Streams.

use super::Item;
use super::table::KeySchemaElement;
use super::words::{
    OperationType, ShardFilterType, ShardIteratorType, StreamStatus, StreamViewType,
};
use crate::constraint::Pattern::Name;
use crate::constraint::Rule::{MaxLength, MaxValue, MinLength, MinValue, Pattern, Required};
use crate::constraint::{SHARD, STREAM};

shapes! {
    /// ListStreams.
    ListStreamsInput {
        table_name: String = "TableName" => &[MinLength(3), MaxLength(255), Pattern(Name)],
        limit: i32 = "Limit" => &[MinValue(1), MaxValue(100)],
        exclusive_start_stream_arn: String = "ExclusiveStartStreamArn" => &[MinLength(37), MaxLength(1024)],
    }
    /// A stream.
    Stream { stream_arn: String = "StreamArn", table_name: String = "TableName", stream_label: String = "StreamLabel", }
    /// ListStreams' answer.
    ListStreamsOutput {
        streams: Vec<Stream> = "Streams",
        last_evaluated_stream_arn: String = "LastEvaluatedStreamArn",
    }
    /// Which shards to describe.
    ShardFilter {
        filter_type: ShardFilterType = "Type",
        shard_id: String = "ShardId" => &[MinLength(28), MaxLength(65)],
    }
    /// DescribeStream.
    DescribeStreamInput {
        stream_arn: String = "StreamArn" => STREAM,
        limit: i32 = "Limit" => &[MinValue(1), MaxValue(100)],
        exclusive_start_shard_id: String = "ExclusiveStartShardId" => &[MinLength(28), MaxLength(65)],
        shard_filter: ShardFilter = "ShardFilter",
    }
    /// The sequence numbers of a shard; an open shard has no last one.
    SequenceNumberRange {
        starting_sequence_number: String = "StartingSequenceNumber",
        ending_sequence_number: String = "EndingSequenceNumber",
    }
    /// A shard.
    Shard {
        shard_id: String = "ShardId",
        sequence_number_range: SequenceNumberRange = "SequenceNumberRange",
        parent_shard_id: String = "ParentShardId",
    }
    /// A stream as described.
    StreamDescription {
        stream_arn: String = "StreamArn",
        stream_label: String = "StreamLabel",
        stream_status: StreamStatus = "StreamStatus",
        stream_view_type: StreamViewType = "StreamViewType",
        creation_request_date_time: f64 = "CreationRequestDateTime",
        table_name: String = "TableName",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        shards: Vec<Shard> = "Shards",
        last_evaluated_shard_id: String = "LastEvaluatedShardId",
    }
    /// DescribeStream's answer.
    DescribeStreamOutput { stream_description: StreamDescription = "StreamDescription", }
    /// GetShardIterator.
    GetShardIteratorInput {
        stream_arn: String = "StreamArn" => STREAM,
        shard_id: String = "ShardId" => SHARD,
        shard_iterator_type: ShardIteratorType = "ShardIteratorType" => &[Required],
        sequence_number: String = "SequenceNumber" => &[MinLength(21), MaxLength(40)],
        timestamp: f64 = "Timestamp",
    }
    /// GetShardIterator's answer.
    GetShardIteratorOutput { shard_iterator: String = "ShardIterator", }
    /// GetRecords.
    GetRecordsInput {
        shard_iterator: String = "ShardIterator" => &[Required, MinLength(1), MaxLength(2048)],
        limit: i32 = "Limit" => &[MinValue(1), MaxValue(1000)],
    }
    /// What a record says of the item.
    StreamRecord {
        approximate_creation_date_time: f64 = "ApproximateCreationDateTime",
        keys: Item = "Keys",
        new_image: Item = "NewImage",
        old_image: Item = "OldImage",
        sequence_number: String = "SequenceNumber",
        size_bytes: i64 = "SizeBytes",
        stream_view_type: StreamViewType = "StreamViewType",
    }
    /// Who changed the item, where it was the service (TTL).
    Identity { principal_id: String = "PrincipalId", identity_type: String = "Type", }
    /// One record of a stream.
    Record {
        event_id: String = "eventID",
        event_name: OperationType = "eventName",
        event_version: String = "eventVersion",
        event_source: String = "eventSource",
        aws_region: String = "awsRegion",
        dynamodb: StreamRecord = "dynamodb",
        user_identity: Identity = "userIdentity",
    }
    /// GetRecords' answer.
    GetRecordsOutput { records: Vec<Record> = "Records", next_shard_iterator: String = "NextShardIterator", }
}
