//! Streams as a reader sees them.

use super::{Attributes, Db, attributes, create_input};
use bothways_protocol::Error;
use bothways_protocol::types::*;

/// Creates a table with a stream.
pub fn create_streamed(db: &Db, name: &str, key: &str, view: StreamViewType) {
    let mut input = create_input(name, key, &[]);
    input.stream_specification = Some(StreamSpecification {
        stream_enabled: Some(true),
        stream_view_type: Some(view),
    });
    db.create_table(input).unwrap();
}

fn switch(db: &Db, table: &str, view: Option<StreamViewType>) -> Result<(), Error> {
    let input = UpdateTableInput {
        table_name: Some(table.into()),
        stream_specification: Some(StreamSpecification {
            stream_enabled: Some(view.is_some()),
            stream_view_type: view,
        }),
        ..UpdateTableInput::default()
    };
    db.update_table(input).map(drop)
}

pub fn switch_on(db: &Db, table: &str, view: StreamViewType) {
    switch(db, table, Some(view)).unwrap();
}

pub fn switch_off(db: &Db, table: &str) {
    switch(db, table, None).unwrap();
}

/// The ARN of a table's newest stream.
pub fn arn(db: &Db, table: &str) -> String {
    db.describe(table).latest_stream_arn.unwrap()
}

pub fn describe(db: &Db, arn: &str) -> Result<StreamDescription, Error> {
    let input = DescribeStreamInput {
        stream_arn: Some(arn.into()),
        ..DescribeStreamInput::default()
    };
    Ok(db.describe_stream(input)?.stream_description.unwrap())
}

/// Every shard, three at a time.
pub fn shards(db: &Db, arn: &str) -> Vec<Shard> {
    let mut shards = Vec::new();
    let mut start = None;
    loop {
        let input = DescribeStreamInput {
            stream_arn: Some(arn.into()),
            limit: Some(3),
            exclusive_start_shard_id: start,
            ..DescribeStreamInput::default()
        };
        let page = db
            .describe_stream(input)
            .unwrap()
            .stream_description
            .unwrap();
        shards.extend(page.shards.unwrap());
        start = page.last_evaluated_shard_id;
        if start.is_none() {
            return shards;
        }
    }
}

pub fn iterator(
    db: &Db,
    arn: &str,
    shard: &str,
    kind: ShardIteratorType,
    number: Option<&str>,
) -> Result<String, Error> {
    let input = GetShardIteratorInput {
        stream_arn: Some(arn.into()),
        shard_id: Some(shard.into()),
        shard_iterator_type: Some(kind),
        sequence_number: number.map(str::to_owned),
        ..GetShardIteratorInput::default()
    };
    Ok(db.get_shard_iterator(input)?.shard_iterator.unwrap())
}

pub fn read(
    db: &Db,
    iterator: &str,
    limit: Option<i32>,
) -> Result<(Vec<Record>, Option<String>), Error> {
    let input = GetRecordsInput {
        shard_iterator: Some(iterator.into()),
        limit,
    };
    let output = db.get_records(input)?;
    Ok((output.records.unwrap(), output.next_shard_iterator))
}

/// All that an iterator leads to now.
pub fn read_on(db: &Db, iterator: &str) -> (Vec<Record>, Option<String>) {
    let mut all = Vec::new();
    let mut next = Some(iterator.to_owned());
    while let Some(iterator) = next.clone() {
        let (records, following) = read(db, &iterator, None).unwrap();
        let done = records.is_empty();
        all.extend(records);
        next = following;
        if done {
            break;
        }
    }
    (all, next)
}

/// Every record of one shard.
pub fn records_of(db: &Db, arn: &str, shard: &str) -> Vec<Record> {
    let start = iterator(db, arn, shard, ShardIteratorType::TrimHorizon, None).unwrap();
    read_on(db, &start).0
}

/// Every record of a stream, by sequence number.
pub fn records(db: &Db, arn: &str) -> Vec<Record> {
    records_after(db, arn, None)
}

/// Every record of a stream behind a sequence number, by sequence number.
pub fn records_after(db: &Db, arn: &str, last: Option<&str>) -> Vec<Record> {
    let mut all = Vec::new();
    for shard in shards(db, arn) {
        let end = shard.sequence_number_range.unwrap().ending_sequence_number;
        if end.is_none_or(|end| Some(end.as_str()) > last) {
            all.extend(records_of(db, arn, shard.shard_id.as_deref().unwrap()));
        }
    }
    all.retain(|record| Some(number(record)) > last);
    all.sort_by(|a, b| number(a).cmp(number(b)));
    all
}

pub fn number(record: &Record) -> &str {
    let body = record.dynamodb.as_ref().unwrap();
    body.sequence_number.as_deref().unwrap()
}

/// Old and new image.
pub fn images(record: &Record) -> (Option<Attributes>, Option<Attributes>) {
    let body = record.dynamodb.as_ref().unwrap();
    (
        body.old_image.as_ref().map(attributes),
        body.new_image.as_ref().map(attributes),
    )
}

/// The items that a whole stream with both images leads to; each old image must be what its item was.
pub fn replay(records: &[Record]) -> Vec<Attributes> {
    let mut items: Vec<(Attributes, Attributes)> = Vec::new();
    for record in records {
        let key = attributes(record.dynamodb.as_ref().unwrap().keys.as_ref().unwrap());
        let at = items.iter().position(|(own, _)| *own == key);
        let before = at.map(|at| items.swap_remove(at).1);
        let (old, new) = images(record);
        assert_eq!(old, before, "the old image of {key:?}");
        items.extend(new.map(|new| (key, new)));
    }
    let mut items: Vec<_> = items.into_iter().map(|(_, item)| item).collect();
    items.sort_by_key(|item| format!("{item:?}"));
    items
}

/// The items of a table, as [`replay`] orders them.
pub fn scan(db: &Db, table: &str) -> Vec<Attributes> {
    let input = ScanInput {
        table_name: Some(table.into()),
        ..ScanInput::default()
    };
    let items = db.scan(input).unwrap().items.unwrap();
    let mut items: Vec<_> = items.iter().map(attributes).collect();
    items.sort_by_key(|item| format!("{item:?}"));
    items
}
