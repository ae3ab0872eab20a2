//! Maps that were read, for a short while.

use super::map::Map;
use super::{CACHE, OPERATION};
use crate::error::Result;
use crate::graph::Graph;
use crate::model::Relation;
use crate::receipt::Receipt;
use crate::requests::{self, CLOSED};
use bothways_core::Item;
use bothways_protocol::Context;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Maps remembered. Where there are more, those that are too old go, else all.
const MOST: usize = 10_000;

/// A map as it was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    /// `None`: none was there.
    pub(crate) map: Option<Map>,
    /// The entity is being deleted.
    pub(crate) closed: bool,
    /// Before its read was sent.
    pub(crate) at: Instant,
}

impl Known {
    /// Whether an operation may begin by it.
    fn is_fresh(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.at) < CACHE
    }

    /// When an operation that began by it must have ended.
    pub(crate) fn until(&self) -> Instant {
        self.at + CACHE + OPERATION
    }
}

/// The maps that a graph has read. Clones of a graph share them.
#[derive(Debug, Default)]
pub(crate) struct Maps(Mutex<HashMap<(String, String), Known>>);

impl Maps {
    /// What is known of a target, however old.
    pub(crate) fn last(&self, relation: &Relation, id: &str) -> Option<Known> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&(relation.name.clone(), id.to_owned())).copied()
    }

    fn put(&self, relation: &Relation, id: &str, new: Known) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.retain(|_, k| k.is_fresh(new.at));
            if known.len() >= MOST {
                known.clear();
            }
        }
        let key = (relation.name.clone(), id.to_owned());
        if known.get(&key).is_none_or(|k| k.at <= new.at) {
            known.insert(key, new);
        }
    }

    /// What is known cannot be so any more.
    pub(crate) fn forget(&self, relation: &Relation, id: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get_mut(&(relation.name.clone(), id.to_owned())) {
            // That it has a map is still worth knowing: the next writer then asks instead of trying.
            known.at = known.at.checked_sub(CACHE).unwrap_or(known.at);
        }
    }
}

impl Graph {
    /// What is known of a target's map and new enough to go by.
    pub(crate) fn known_map(&self, relation: &Relation, id: &str) -> Option<Known> {
        let known = self.maps.last(relation, id)?;
        known.is_fresh(self.env.monotonic()).then_some(known)
    }

    /// Remembers what an item says, or that none is there; `at`: before its read was sent.
    pub(crate) fn learn_map(
        &self,
        relation: &Relation,
        id: &str,
        item: Option<&Item>,
        at: Instant,
    ) -> Known {
        let known = Known {
            map: item.and_then(|item| Map::of(relation, item)),
            closed: item.is_some_and(|item| item.get(CLOSED).is_some()),
            at,
        };
        self.maps.put(relation, id, known);
        known
    }

    /// A target's map, from a strongly consistent `GetItem` of its entity. Where the relation can have none, nothing is read.
    pub(crate) async fn read_map(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
    ) -> Result<(Option<Map>, Option<Receipt>)> {
        if !relation.may_map() {
            return Ok((None, None));
        }
        let (known, receipt) = self.fetch_map(cx, relation, id).await?;
        Ok((known.map, Some(receipt)))
    }

    /// The same with its age.
    pub(crate) async fn fetch_map(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
    ) -> Result<(Known, Receipt)> {
        let key = requests::entity_key(&self.model, self.entity(&relation.to)?, id)?;
        let at = self.env.monotonic();
        let (item, mut receipt) = self.get_item(cx, &key, true).await?;
        receipt.note = Some("for the shard map".into());
        let known = self.learn_map(relation, id, item.as_ref(), at);
        Ok((known, receipt))
    }
}
