//! A table with its indexes, ready for use.

use super::record::{IndexRecord, Phase, ProjectionRecord, TableRecord, VectorRecord};
use crate::insights::Usage;
use crate::stats::Totals;
use arc_swap::ArcSwap;
use bothways_core::{Item, KeySchema};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// A table. Immutable; a change of its definition makes a new one that shares totals and life.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) record: TableRecord,
    pub(crate) key: KeySchema,
    pub(crate) indexes: Vec<Index>,
    pub(crate) totals: Arc<Totals>,
    pub(crate) live: Arc<Live>,
    /// How often its keys are used, where that is counted.
    pub(crate) usage: Option<Arc<Usage>>,
    /// Counts the versions of one table.
    version: u64,
}

/// What changes while a table lives, shared by all its versions.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// Set under the store's ordering lock by the commit that drops the table: a later commit sees it.
    pub(crate) dropped: AtomicBool,
    /// Whether its totals changed since the last commit group.
    pub(crate) touched: AtomicBool,
    /// What its writes write beside the item and its index rows. Changed under the store's ordering lock by the
    /// commit that switches something: a later commit that was made for other features is made anew.
    pub(crate) features: ArcSwap<Features>,
    /// The version that everybody sees.
    version: AtomicU64,
}

/// What a table's writes write beside items and index rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Features {
    /// The open stream.
    pub(crate) stream: Option<Arc<crate::stream::Open>>,
    /// Which items expire when.
    pub(crate) expiring: Option<Arc<crate::expiry::Expiring>>,
    /// The log of changes.
    pub(crate) log: Option<Arc<crate::recovery::ChangeLog>>,
    /// The log of changes for backups that are being made.
    pub(crate) copying: Option<Arc<crate::recovery::ChangeLog>>,
}

impl Live {
    pub(crate) fn is_dropped(&self) -> bool {
        self.dropped.load(Relaxed)
    }
}

/// An index, global or local.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) local: bool,
    pub(crate) key: KeySchema,
    pub(crate) projection: ProjectionRecord,
    /// What is being done to it.
    pub(crate) phase: Option<Phase>,
    /// Every attribute it copies, where that is not all of them: table key, index key, included ones.
    projected: Vec<String>,
    pub(crate) totals: Arc<Totals>,
    /// As that of the table.
    pub(crate) usage: Option<Arc<Usage>>,
    /// What makes it a vector index.
    pub(crate) vector: Option<VectorRecord>,
}

impl Table {
    /// `None` where the record contradicts itself.
    pub(crate) fn new(namespace: String, name: String, record: TableRecord) -> Option<Self> {
        let key = record.key.schema(&record.attributes)?;
        let indexes = record
            .indexes
            .iter()
            .map(|index| Index::new(&record, index))
            .collect::<Option<Vec<_>>>()?;
        let mut table = Self {
            namespace,
            name,
            key,
            indexes,
            record,
            totals: Arc::default(),
            live: Arc::default(),
            usage: None,
            version: 0,
        };
        table.watch();
        Some(table)
    }

    /// Whether the use of keys is counted, here or in an index.
    pub(crate) fn is_counted(&self) -> bool {
        self.usage.is_some() || self.indexes.iter().any(|index| index.usage.is_some())
    }

    /// Counts the use of keys where the record says so, and nowhere else.
    pub(crate) fn watch(&mut self) {
        let own = std::iter::once(("", &mut self.usage));
        let indexes = self.indexes.iter_mut();
        let indexes = indexes.map(|index| (&*index.name, &mut index.usage));
        for (slot, usage) in own.chain(indexes) {
            if !self.record.counts(slot) {
                *usage = None;
            } else if usage.is_none() {
                *usage = Some(Arc::default());
            }
        }
    }

    /// The next version of this table, with settings of its own, the same key, and indexes of which some may be new
    /// or gone.
    pub(crate) fn with_settings(&self, record: TableRecord) -> Option<Self> {
        let mut next = Self::new(self.namespace.clone(), self.name.clone(), record)?;
        next.totals = Arc::clone(&self.totals);
        next.live = Arc::clone(&self.live);
        next.version = self.version + 1;
        if next.usage.is_some() && self.usage.is_some() {
            next.usage.clone_from(&self.usage);
        }
        for index in &mut next.indexes {
            if let Some(own) = self.indexes.iter().find(|own| own.id == index.id) {
                index.totals = Arc::clone(&own.totals);
                if index.usage.is_some() && own.usage.is_some() {
                    index.usage.clone_from(&own.usage);
                }
            }
        }
        Some(next)
    }

    /// Makes this the version that everybody sees.
    pub(super) fn show(&self) {
        self.live.version.store(self.version, Relaxed);
    }

    /// Whether a newer version took this one's place.
    pub(crate) fn is_outdated(&self) -> bool {
        self.live.version.load(Relaxed) != self.version
    }

    /// The index that is being built, with its position: there is one at most.
    pub(crate) fn building(&self) -> Option<(usize, &Index)> {
        let mut indexes = self.indexes.iter().enumerate();
        indexes.find(|(_, index)| matches!(index.phase, Some(Phase::Creating | Phase::Backfilling)))
    }

    /// The indexes that are ready: writes that do not fit them are refused.
    pub(crate) fn ready_indexes(&self) -> impl Iterator<Item = &Index> {
        self.indexes.iter().filter(|index| index.phase.is_none())
    }

    /// Whether its items are still being put in: nobody else uses it.
    pub(crate) fn is_coming(&self) -> bool {
        self.record.restoring.is_some() || self.record.importing.is_some()
    }

    pub(crate) fn id(&self) -> u32 {
        self.record.id
    }

    /// Ids and totals of the table and its indexes.
    pub(crate) fn all_totals(&self) -> impl Iterator<Item = (u32, &Totals)> {
        std::iter::once((self.record.id, &*self.totals))
            .chain(self.indexes.iter().map(|i| (i.id, &*i.totals)))
    }

    pub(crate) fn has_local_index(&self) -> bool {
        self.indexes.iter().any(|i| i.local)
    }
}

impl Index {
    fn new(table: &TableRecord, record: &IndexRecord) -> Option<Self> {
        let mut projected: Vec<String> = Vec::new();
        if let ProjectionRecord::Include(names) = &record.projection {
            projected.extend(names.iter().cloned());
        }
        for key in [&table.key, &record.key] {
            projected.extend(key.hash.iter().chain(&key.range).cloned());
        }
        if let Some(vector) = &record.vector {
            projected.extend(vector.filters.iter().cloned());
        }
        projected.sort_unstable();
        projected.dedup();
        Some(Self {
            id: record.id,
            name: record.name.clone(),
            local: record.local,
            key: record.key.schema(&table.attributes)?,
            projection: record.projection.clone(),
            phase: record.phase,
            projected,
            totals: Arc::default(),
            usage: None,
            vector: record.vector.clone(),
        })
    }

    /// Whether it is a global secondary index.
    pub(crate) fn is_global(&self) -> bool {
        !self.local && self.vector.is_none()
    }

    /// Whether it copies every attribute.
    pub(crate) fn projects_all(&self) -> bool {
        self.projection == ProjectionRecord::All
    }

    /// Whether it copies this attribute.
    pub(crate) fn projects(&self, name: &str) -> bool {
        self.projects_all()
            || self
                .projected
                .binary_search_by(|own| own.as_str().cmp(name))
                .is_ok()
    }

    /// The item as this index holds it. Shares the item's bytes where it copies all of it.
    pub(crate) fn project(&self, item: &Item) -> Item {
        let projected = self.copied(item);
        match &self.vector {
            Some(vector) => vector.row(item, &projected),
            None => projected,
        }
    }

    fn copied(&self, item: &Item) -> Item {
        if self.projects_all() {
            return item.clone();
        }
        let names: Vec<&str> = self.projected.iter().map(String::as_str).collect();
        item.only(&names)
    }
}
