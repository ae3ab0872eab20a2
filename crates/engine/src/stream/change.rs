//! Streams begin and end.

use super::label;
use super::record::StreamRecord;
use crate::catalog::record::LatestStream;
use crate::catalog::{Change, Companions, Switch, Table};
use crate::engine::Inner;
use crate::error::Fault;
use bothways_protocol::Message;
use bothways_protocol::types::{StreamSpecification, StreamViewType};

impl Inner {
    /// A stream about to begin; the caller commits it. Labels are times, and no two of a table's are the same.
    pub(crate) fn begin_stream(
        &self,
        change: &Change<'_>,
        companions: &mut Companions,
        table: &mut Table,
        view: StreamViewType,
    ) -> Result<(), Fault> {
        let now = self.options.clock.now_millis();
        let mut named = now;
        while self
            .catalog
            .stream(&table.namespace, &table.name, &label(named))
            .is_some()
        {
            named += 1;
        }
        let stream = StreamRecord {
            id: companions.id(change)?,
            namespace: table.namespace.clone(),
            table: table.name.clone(),
            label: label(named),
            arn: format!("{}/stream/{}", table.record.arn, label(named)),
            view: view.as_str().to_owned(),
            created: now,
            key: table.record.key.clone(),
            generations: Vec::new(),
        };
        table.record.stream = Some(LatestStream {
            label: stream.label.clone(),
            view: Some(stream.view.clone()),
        });
        companions.switch(stream, Switch::Roll { now, bits: 0 });
        Ok(())
    }

    /// A table's stream about to end; nothing where it has none.
    pub(crate) fn end_stream(&self, companions: &mut Companions, table: &Table) {
        let now = self.options.clock.now_millis();
        let latest = table.record.stream.as_ref();
        let stream = latest
            .filter(|latest| latest.view.is_some())
            .and_then(|latest| {
                self.catalog
                    .stream(&table.namespace, &table.name, &latest.label)
            });
        if let Some(stream) = stream {
            companions.switch(StreamRecord::clone(&stream), Switch::Close { now });
        }
    }

    /// What an UpdateTable makes of a table's stream.
    pub(crate) fn switch_stream(
        &self,
        change: &Change<'_>,
        companions: &mut Companions,
        table: &mut Table,
        wanted: &StreamSpecification,
    ) -> Result<(), Fault> {
        let on = table
            .record
            .stream
            .as_ref()
            .is_some_and(|s| s.view.is_some());
        let name = || table.name.clone();
        match (
            on,
            wanted
                .stream_view_type
                .filter(|_| wanted.stream_enabled == Some(true)),
        ) {
            (true, Some(_)) => Err(Message::StreamAlreadyEnabled { name: name() }.into()),
            (false, None) => Err(Message::StreamNotEnabled { name: name() }.into()),
            (false, Some(view)) => self.begin_stream(change, companions, table, view),
            (true, None) => {
                self.end_stream(companions, table);
                if let Some(latest) = &mut table.record.stream {
                    latest.view = None;
                }
                Ok(())
            }
        }
    }
}
