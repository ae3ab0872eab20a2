//! The table's stream: found, switched on, read.

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::receipt::Receipt;
use bothways_protocol as protocol;
use bothways_protocol::types::{
    DescribeStreamInput, GetRecordsInput, GetRecordsOutput, GetShardIteratorInput, Shard,
    ShardIteratorType, StreamSpecification, StreamViewType, UpdateTableInput,
};
use bothways_protocol::{Context, DynamoDbExt, ErrorKind, Operation};

/// Pages of a stream's description. Each has up to 100 shards; a day of the busiest table has fewer.
const PAGES: u32 = 1_000;
/// Most records of one answer (API Reference, `GetRecords`).
const RECORDS: i32 = 1_000;

/// A stream as described.
pub(super) struct Stream {
    pub(super) arn: String,
    pub(super) label: String,
    /// Milliseconds since 1970; 0 where the backend does not say.
    pub(super) created: u64,
    /// Parents before their children.
    pub(super) shards: Vec<Shard>,
}

impl Graph {
    /// The ARN of the table's stream that has what counting needs: both images, or the old and the new one.
    pub(super) async fn stream_arn(&self, cx: &Context) -> Result<Option<String>> {
        let mut receipt = Receipt::new(Operation::DescribeTable, &self.model.table);
        let table = self.describe(cx, &mut receipt).await?;
        let on = |t: &protocol::types::TableDescription| {
            let spec = t.stream_specification.as_ref()?;
            let whole = spec.stream_view_type == Some(StreamViewType::NewAndOldImages);
            (spec.stream_enabled == Some(true) && whole).then(|| t.latest_stream_arn.clone())?
        };
        Ok(table.as_ref().and_then(on))
    }

    /// Switches the table's stream on, with both images, unless it is.
    pub(super) async fn ensure_stream(&self, cx: &Context) -> Result<()> {
        if self.stream_arn(cx).await?.is_some() {
            return Ok(());
        }
        let input = UpdateTableInput {
            table_name: Some(self.model.table.clone()),
            stream_specification: Some(StreamSpecification {
                stream_enabled: Some(true),
                stream_view_type: Some(StreamViewType::NewAndOldImages),
            }),
            ..UpdateTableInput::default()
        };
        self.db.update_table(cx, input).await?;
        self.apply(cx).await?;
        match self.stream_arn(cx).await? {
            Some(_) => Ok(()),
            None => Err(no_stream(&self.model.table)),
        }
    }

    /// The stream with its shards.
    pub(super) async fn describe_stream(&self, cx: &Context) -> Result<Stream> {
        let Some(arn) = self.stream_arn(cx).await? else {
            return Err(no_stream(&self.model.table));
        };
        let mut stream = Stream {
            arn: arn.clone(),
            label: String::new(),
            created: 0,
            shards: Vec::new(),
        };
        let mut from = None;
        for _ in 0..PAGES {
            let mut receipt = Receipt::new(Operation::DescribeStream, &self.model.table);
            let send = || {
                let input = DescribeStreamInput {
                    stream_arn: Some(arn.clone()),
                    exclusive_start_shard_id: from.clone(),
                    ..DescribeStreamInput::default()
                };
                self.db.describe_stream(cx, input)
            };
            let output = self.reading(cx, &mut receipt, send).await?;
            let Some(described) = output.stream_description else {
                break;
            };
            stream.label = described.stream_label.unwrap_or_default();
            stream.created = millis(described.creation_request_date_time);
            stream.shards.extend(described.shards.into_iter().flatten());
            from = described.last_evaluated_shard_id;
            if from.is_none() {
                break;
            }
        }
        Ok(stream)
    }

    /// An iterator behind a record, or at the oldest one. `None`: what is behind the record is gone.
    pub(super) async fn iterator(
        &self,
        cx: &Context,
        arn: &str,
        shard: &str,
        behind: Option<&str>,
    ) -> Result<Option<String>> {
        let mut receipt = Receipt::new(Operation::GetShardIterator, &self.model.table);
        let send = || {
            let input = GetShardIteratorInput {
                stream_arn: Some(arn.to_owned()),
                shard_id: Some(shard.to_owned()),
                shard_iterator_type: Some(match behind {
                    Some(_) => ShardIteratorType::AfterSequenceNumber,
                    None => ShardIteratorType::TrimHorizon,
                }),
                sequence_number: behind.map(str::to_owned),
                ..GetShardIteratorInput::default()
            };
            self.db.get_shard_iterator(cx, input)
        };
        match self.reading(cx, &mut receipt, send).await {
            Ok(output) => Ok(output.shard_iterator),
            Err(error) if is_trimmed(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The records at an iterator. `None`: the iterator is too old, or what it points at is gone.
    pub(super) async fn records(
        &self,
        cx: &Context,
        iterator: &str,
    ) -> Result<Option<GetRecordsOutput>> {
        let mut receipt = Receipt::new(Operation::GetRecords, &self.model.table);
        let send = || {
            let input = GetRecordsInput {
                shard_iterator: Some(iterator.to_owned()),
                limit: Some(RECORDS),
            };
            self.db.get_records(cx, input)
        };
        match self.reading(cx, &mut receipt, send).await {
            Ok(output) => Ok(Some(output)),
            Err(error) if is_trimmed(&error) => Ok(None),
            Err(Error::Database(error)) if error.kind == ErrorKind::ExpiredIterator => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn is_trimmed(error: &Error) -> bool {
    matches!(error, Error::Database(error) if error.kind == ErrorKind::TrimmedDataAccess)
}

/// Seconds of the API as milliseconds.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time since 1970 fits, and a float has no checked conversion"
)]
pub(super) fn millis(seconds: Option<f64>) -> u64 {
    (seconds.unwrap_or(0.0).max(0.0) * 1000.0) as u64
}

fn no_stream(table: &str) -> Error {
    Error::Counting {
        why: format!(
            "table {table} has no stream with both images: bothways counters switch … --to async makes one"
        ),
    }
}
