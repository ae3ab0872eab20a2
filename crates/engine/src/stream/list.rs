//! ListStreams and DescribeStream.

use super::record::{ShardRef, StreamRecord};
use crate::catalog::seconds;
use crate::engine::Inner;
use crate::error::Fault;
use crate::pending::Pending;
use bothways_protocol::types::{
    DescribeStreamInput, DescribeStreamOutput, ListStreamsInput, ListStreamsOutput,
    ShardFilterType, Stream, StreamDescription, StreamStatus, StreamViewType,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Response};
use std::sync::Arc;

/// Most streams or shards of one answer, and how many there are by default. Source: API Reference.
const LIMIT: usize = 100;

fn limit(given: Option<i32>) -> usize {
    let given = given.and_then(|n| usize::try_from(n).ok());
    given.unwrap_or(LIMIT).clamp(1, LIMIT)
}

impl Inner {
    /// Streams by table and label, also those that have ended and still have records.
    pub(crate) fn list_streams(
        &self,
        cx: &Context,
        input: &ListStreamsInput,
    ) -> Result<Pending, Fault> {
        validate::list_streams(input)?;
        let limit = limit(input.limit);
        let start = input.exclusive_start_stream_arn.as_deref();
        let start = start.map(table_and_label).transpose()?;
        let table = input.table_name.as_deref().map(validate::table_name);
        let mut found = self
            .catalog
            .streams(&self.namespace(cx), table, start, limit + 1);
        let more = found.len() > limit;
        found.truncate(limit);
        let last = found.last().filter(|_| more);
        let output = ListStreamsOutput {
            last_evaluated_stream_arn: last.map(|stream| stream.arn.clone()),
            streams: Some(found.iter().map(|stream| shown(stream)).collect()),
        };
        Ok(Pending::ready(Response::ListStreams(Box::new(output))))
    }

    pub(crate) fn describe_stream(
        &self,
        cx: &Context,
        input: &DescribeStreamInput,
    ) -> Result<Pending, Fault> {
        validate::describe_stream(input)?;
        let arn = input.stream_arn.as_deref().unwrap_or_default();
        let stream = self.stream_of_arn(cx, arn)?;
        let parent = match &input.shard_filter {
            None => None,
            Some(filter) => match (filter.filter_type, &filter.shard_id) {
                (Some(ShardFilterType::ChildShards), Some(shard)) => Some(shard.as_str()),
                _ => return Err(Message::ShardFilterIncomplete.into()),
            },
        };
        let start = input.exclusive_start_shard_id.as_deref();
        let wanted = |shard: &ShardRef<'_>| {
            start.is_none_or(|start| shard.name().as_str() > start)
                && (parent.is_none() || shard.parent().as_deref() == parent)
        };
        let mut shards = stream.shards().filter(wanted);
        let page: Vec<_> = { shards.by_ref() }
            .take(limit(input.limit))
            .map(|shard| shard.describe())
            .collect();
        let more = shards.next().is_some();
        let last = page.last().filter(|_| more);
        let output = DescribeStreamOutput {
            stream_description: Some(StreamDescription {
                last_evaluated_shard_id: last.and_then(|shard| shard.shard_id.clone()),
                shards: Some(page),
                ..description(&stream)
            }),
        };
        Ok(Pending::ready(Response::DescribeStream(Box::new(output))))
    }

    /// The caller's stream.
    pub(crate) fn stream_of_arn(
        &self,
        cx: &Context,
        arn: &str,
    ) -> Result<Arc<StreamRecord>, Fault> {
        let (table, label) = table_and_label(arn)?;
        let stream = self.catalog.stream(&self.namespace(cx), table, label);
        // The ARN says the region and account too.
        let stream = stream.filter(|stream| stream.arn == arn);
        Ok(stream.ok_or_else(|| Message::StreamNotFound { arn: arn.into() })?)
    }
}

/// `arn:aws:dynamodb:region:account:table/name/stream/label`.
fn table_and_label(arn: &str) -> Result<(&str, &str), Message> {
    let parts: Vec<&str> = arn.splitn(6, ':').collect();
    let resource = match parts[..] {
        ["arn", _, "dynamodb", _, _, resource] => resource.strip_prefix("table/"),
        _ => None,
    };
    resource
        .and_then(|resource| resource.split_once("/stream/"))
        .ok_or(Message::StreamArnInvalid)
}

fn shown(stream: &StreamRecord) -> Stream {
    Stream {
        stream_arn: Some(stream.arn.clone()),
        table_name: Some(stream.table.clone()),
        stream_label: Some(stream.label.clone()),
    }
}

/// AWS's word for what a stream's records carry.
pub(crate) fn view(word: &str) -> Option<StreamViewType> {
    let mut all = StreamViewType::ALL.iter().copied();
    all.find(|view| view.as_str() == word)
}

fn description(stream: &StreamRecord) -> StreamDescription {
    StreamDescription {
        stream_arn: Some(stream.arn.clone()),
        stream_label: Some(stream.label.clone()),
        stream_status: Some(if stream.open().is_some() {
            StreamStatus::Enabled
        } else {
            StreamStatus::Disabled
        }),
        stream_view_type: view(&stream.view),
        creation_request_date_time: Some(seconds(stream.created)),
        table_name: Some(stream.table.clone()),
        key_schema: Some(stream.key.elements()),
        ..StreamDescription::default()
    }
}
