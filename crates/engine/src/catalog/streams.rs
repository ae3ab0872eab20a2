//! The catalogue's streams.

use super::table::{Features, Table};
use super::{Catalog, Change, Streams};
use crate::error::OpenError;
use crate::expiry::Expiring;
use crate::layout::{Meta, Range};
use crate::recovery::ChangeLog;
use crate::stream::{Open, StreamRecord};
use bothways_store::Snapshot;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

/// Reads all streams.
pub(super) fn read(snapshot: &dyn Snapshot) -> Result<Streams, OpenError> {
    let range = Range::prefix(Meta::Stream.key());
    let (from, to) = range.bounds();
    let mut streams = Streams::new();
    for row in snapshot.range(from, to, false) {
        let stream: StreamRecord = serde_json::from_slice(&row?.1).map_err(OpenError::Catalogue)?;
        streams.insert(key(&stream), Arc::new(stream));
    }
    Ok(streams)
}

/// What a stored table's writes write beside items and index rows.
pub(super) fn features(
    table: &Table,
    streams: &Streams,
    snapshot: &dyn Snapshot,
) -> Result<Features, OpenError> {
    let latest = table.record.stream.as_ref().filter(|s| s.view.is_some());
    let stream = latest.and_then(|latest| {
        let (namespace, name) = (table.namespace.clone(), table.name.clone());
        streams.get(&(namespace, name, latest.label.clone()))
    });
    Ok(Features {
        stream: stream.and_then(|stream| Open::of(stream)),
        expiring: Expiring::restore(&table.record, snapshot)?,
        log: ChangeLog::restore(&table.record, snapshot)?,
        copying: None,
    })
}

fn key(stream: &StreamRecord) -> (String, String, String) {
    (
        stream.namespace.clone(),
        stream.table.clone(),
        stream.label.clone(),
    )
}

impl Catalog {
    pub(crate) fn stream(
        &self,
        namespace: &str,
        table: &str,
        label: &str,
    ) -> Option<Arc<StreamRecord>> {
        let key = (namespace.to_owned(), table.to_owned(), label.to_owned());
        self.streams.load().get(&key).cloned()
    }

    /// Up to `limit` streams of a caller, of one table or of all, after the one of this table and label.
    pub(crate) fn streams(
        &self,
        namespace: &str,
        table: Option<&str>,
        start: Option<(&str, &str)>,
        limit: usize,
    ) -> Vec<Arc<StreamRecord>> {
        let streams = self.streams.load();
        let (name, label) = start.unwrap_or_default();
        let from = (namespace.to_owned(), name.to_owned(), label.to_owned());
        let rows = streams.range((Excluded(from), Unbounded));
        let own = rows.take_while(|((of, _, _), _)| of == namespace);
        let wanted = own.filter(|((_, of, _), _)| table.is_none_or(|table| of == table));
        wanted.take(limit).map(|(_, s)| Arc::clone(s)).collect()
    }

    pub(crate) fn all_streams(&self) -> Vec<Arc<StreamRecord>> {
        self.streams.load().values().cloned().collect()
    }

    pub(crate) fn all_tables(&self) -> Vec<Arc<Table>> {
        let tables = self.tables.load();
        tables
            .values()
            .flat_map(|own| own.values().cloned())
            .collect()
    }
}

impl Change<'_> {
    /// Shows a new stream, or a new version of one, to everybody.
    pub(crate) fn publish_stream(&mut self, stream: Arc<StreamRecord>) {
        let mut streams = Streams::clone(&self.catalog.streams.load());
        streams.insert(key(&stream), stream);
        self.catalog.streams.store(Arc::new(streams));
    }

    /// Hides a stream from everybody.
    pub(crate) fn withdraw_stream(&mut self, stream: &StreamRecord) {
        let mut streams = Streams::clone(&self.catalog.streams.load());
        streams.remove(&key(stream));
        self.catalog.streams.store(Arc::new(streams));
    }
}
