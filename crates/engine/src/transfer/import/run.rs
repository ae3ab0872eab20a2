//! The background's part of an import.

use super::input::Reading;
use super::record::{ImportRecord, key_of_text};
use crate::catalog::Table;
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::Meta;
use crate::restore::{Job, Work};
use crate::write::{Manner, check_index_keys, check_put};
use bothways_core::{Item, KeyPart, limits};
use bothways_protocol::types::ImportTableInput;
use bothways_store::{Buckets, Object};
use bytes::{BufMut, Bytes};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Records taken by one step, and their bytes.
const CHUNK_RECORDS: u64 = 500;
const CHUNK_BYTES: usize = 1 << 20;

/// An object that is being read, and how far.
struct Open {
    table: u32,
    object: usize,
    records: u64,
    reading: Reading,
}

/// What the steps of imports leave to each other.
#[derive(Default)]
pub(crate) struct Imports {
    /// Objects of imports under way, by table.
    objects: Mutex<BTreeMap<u32, Arc<Vec<Object>>>>,
    /// The object that was read last, for the next step to go on in.
    open: Mutex<Option<Open>>,
}

/// What one step took.
#[derive(Default)]
struct Taken {
    items: BTreeMap<Bytes, Option<Item>>,
    records: u64,
    /// Whether the object is at its end.
    ended: bool,
}

/// Why nothing can be imported: code and words.
type Refused = (String, String);

impl Inner {
    /// One bounded step of an import.
    pub(crate) fn import_step(&self, table: &Arc<Table>, job: &Job) -> Result<(), Fault> {
        let Work::Import { import, .. } = &job.work else {
            return Ok(());
        };
        let row = self.store.latest(&key_of_text(import))?.value;
        let Some(row) = row else {
            return self.give_up(table, job, None);
        };
        let mut record = ImportRecord::read(&row)?;
        let Some(buckets) = self.options.buckets.clone() else {
            // Whoever opened the database this time named no directory: the import waits for one who does.
            return Ok(());
        };
        let input = record.input();
        let objects = match self.objects(table.id(), &input, &*buckets) {
            Ok(objects) => objects,
            Err(failure) => {
                record.failure = Some(failure);
                record.ended = Some(self.options.clock.now_millis());
                return self.give_up(table, job, Some(&record));
            }
        };
        let (object, records) = place(&objects, &job.work, &mut record);
        let Some(next) = objects.get(object) else {
            record.ended = Some(self.options.clock.now_millis());
            if record.errors > 0 {
                record.failure = Some(invalid_items(record.unread.as_deref()));
            }
            self.imports.objects.lock().remove(&table.id());
            let row = (record.key(), record.row()?);
            return self.arrive(job, Some(&row));
        };
        let place = (object, records);
        let taken = self.take(table, &input, &*buckets, next, place, &mut record);
        let (import, key) = (import.clone(), Some(next.key.clone()));
        let work = if taken.ended {
            Work::Import {
                import,
                object: object + 1,
                records: 0,
                taken: key,
                within: None,
            }
        } else {
            Work::Import {
                import,
                object,
                records: records + taken.records,
                taken: None,
                within: key,
            }
        };
        let further = Job::new(job.table, work);
        let rows = [
            (further.key(), further.row()?),
            (record.key(), record.row()?),
        ];
        self.fill(table, &taken.items, &rows)
    }

    /// What there is to import, by key.
    fn objects(
        &self,
        table: u32,
        input: &ImportTableInput,
        buckets: &dyn Buckets,
    ) -> Result<Arc<Vec<Object>>, Refused> {
        if let Some(known) = self.imports.objects.lock().get(&table) {
            return Ok(Arc::clone(known));
        }
        let source = input.s3_bucket_source.clone().unwrap_or_default();
        let bucket = source.s3_bucket.unwrap_or_default();
        if !buckets.has(&bucket) {
            // Source: ack-api-quirks, services/dynamodb DDB-IMPORT-012.
            return Err((
                "S3NoSuchBucket".to_owned(),
                "The specified bucket does not exist".to_owned(),
            ));
        }
        let prefix = source.s3_key_prefix.unwrap_or_default();
        let prefix = prefix.trim_start_matches('/');
        let found = buckets.list(&bucket, prefix);
        let found = found.map_err(|error| ("S3AccessDenied".to_owned(), error.to_string()))?;
        let found = Arc::new(found);
        self.imports
            .objects
            .lock()
            .insert(table, Arc::clone(&found));
        Ok(found)
    }

    /// Takes some records of an object. What is no item is counted; what is no record ends the object.
    fn take(
        &self,
        table: &Table,
        input: &ImportTableInput,
        buckets: &dyn Buckets,
        object: &Object,
        place: (usize, u64),
        record: &mut ImportRecord,
    ) -> Taken {
        let mut taken = Taken::default();
        let mut reading = match self.reading(table, input, buckets, object, place) {
            Ok(reading) => reading,
            Err(why) => {
                record.unreadable(&object.key, why);
                taken.ended = true;
                return taken;
            }
        };
        let mut bytes = 0;
        while taken.records < CHUNK_RECORDS && bytes < CHUNK_BYTES {
            let next = match reading.next() {
                Ok(Some(next)) => next,
                Ok(None) => {
                    taken.ended = true;
                    return taken;
                }
                Err(why) => {
                    record.unreadable(&object.key, why);
                    taken.ended = true;
                    return taken;
                }
            };
            taken.records += 1;
            bytes += next.bytes;
            record.processed += 1;
            record.bytes += i64::try_from(next.bytes).unwrap_or(i64::MAX);
            let keyed = next
                .item
                .and_then(|item| Some((key_of(table, &item)?, item)));
            match keyed {
                Some((key, item)) => {
                    record.imported += 1;
                    taken.items.insert(key, Some(item));
                }
                None => record.errors += 1,
            }
        }
        let open = Open {
            table: table.id(),
            object: place.0,
            records: place.1 + taken.records,
            reading,
        };
        *self.imports.open.lock() = Some(open);
        taken
    }

    /// The object at the place come to: the one that is open, or opened and read up to there.
    fn reading(
        &self,
        table: &Table,
        input: &ImportTableInput,
        buckets: &dyn Buckets,
        object: &Object,
        (number, records): (usize, u64),
    ) -> std::io::Result<Reading> {
        let place = (table.id(), number, records);
        let fits = |open: &Open| (open.table, open.object, open.records) == place;
        let open = self.imports.open.lock().take();
        if let Some(open) = open.filter(fits) {
            return Ok(open.reading);
        }
        let source = input.s3_bucket_source.clone().unwrap_or_default();
        let bucket = source.s3_bucket.unwrap_or_default();
        let object = buckets.open(&bucket, &object.key)?;
        let mut reading = Reading::new(object, input, &keys(table))?;
        for _ in 0..records {
            // An object that has become shorter is another one.
            reading.next()?.ok_or(std::io::ErrorKind::UnexpectedEof)?;
        }
        Ok(reading)
    }

    /// Takes a table back that nothing can be put in.
    fn give_up(
        &self,
        table: &Arc<Table>,
        job: &Job,
        record: Option<&ImportRecord>,
    ) -> Result<(), Fault> {
        let mut turn = self.catalog.change();
        let mut ids = Vec::new();
        table.all_totals().for_each(|(id, _)| ids.put_u32(id));
        let row = match record {
            Some(record) => Some((record.key(), record.row()?)),
            None => None,
        };
        let ticket = self.store.submit(&mut |_, batch| {
            batch.delete(crate::catalog::row_key(table));
            batch.delete(Meta::Totals.key_of(table.id()));
            batch.delete(job.key());
            batch.put(Meta::Dropped.key_of(table.id()), ids.clone());
            if let Some((key, value)) = &row {
                batch.put(key.clone(), value.clone());
            }
            table.live.dropped.store(true, Relaxed);
        })?;
        turn.withdraw(table);
        drop(turn);
        Ok(ticket.wait()?)
    }
}

/// Which object is next, and how many records of it were taken. Objects that came or went since an earlier run do not
/// move what was done; one that went before it was at its end counts as a fault.
fn place(objects: &[Object], work: &Work, record: &mut ImportRecord) -> (usize, u64) {
    let Work::Import {
        object,
        records,
        taken,
        within,
        ..
    } = work
    else {
        return (objects.len(), 0);
    };
    if let Some(key) = within {
        let found = objects.binary_search_by(|own| own.key.cmp(key));
        return match found {
            Ok(number) => (number, *records),
            Err(number) => {
                (record.processed, record.errors) = (record.processed + 1, record.errors + 1);
                (number, 0)
            }
        };
    }
    match taken {
        Some(key) => (objects.partition_point(|own| own.key <= *key), 0),
        None => (*object, *records),
    }
}

/// Source: ack-api-quirks, services/dynamodb DDB-IMPORT-013. What AWS has in its log, of an object that was not read
/// to its end, is said behind it: there is no other place to look.
fn invalid_items(unread: Option<&str>) -> Refused {
    let words = "Some of the items failed validation checks and were not imported. Please check CloudWatch error logs for more details.";
    let unread = unread.map_or(String::new(), |unread| format!(" {unread}"));
    ("ItemValidationError".to_owned(), format!("{words}{unread}"))
}

/// The attributes with types of their own.
fn keys(table: &Table) -> Vec<KeyPart> {
    let own = table.key.parts().map(|(_, part)| part.clone());
    let indexes = table.indexes.iter().flat_map(|index| index.key.parts());
    own.chain(indexes.map(|(_, part)| part.clone())).collect()
}

/// The item's row key without the table's id; none for what the table would refuse.
fn key_of(table: &Table, item: &Item) -> Option<Bytes> {
    if item.size() > limits::ITEM_BYTES {
        return None;
    }
    let key = check_put(table, item, Manner::Put).ok()?;
    check_index_keys(table, item, false).ok()?;
    Some(key.slice(4..))
}
