//! Counters compared with their edges.

use super::repair;
use super::{Finding, FindingKind};
use crate::error::Result;
use crate::jobs::Work;
use crate::model::{Direction, Entity, Loops, Model, Relation, companion};
use crate::read;
use crate::requests::{self, Key, Place};
use crate::shard::{COUNT, Map, Part, base_attribute, map_attribute};
use bothways_core::Item;
use std::time::Duration;

/// Rounds after which a counter is busy.
const ROUNDS: u32 = 6;

/// A counter to be compared.
pub(super) struct Suspect<'m> {
    pub(super) key: Key,
    pub(super) counter: String,
    lists: Vec<List<'m>>,
    /// What the counter does not hold and counts all the same: of a plain key, what was counted before it had shards.
    base: i64,
    /// The entity's item, where the counter is another: its map says whether the counter counts.
    owner: Option<Key>,
    /// As the pass over the table saw it.
    seen: Option<State>,
    /// The mismatch of the round before: counted, and what the companion was.
    before: Option<(i64, i64)>,
}

impl Suspect<'_> {
    /// The attributes of maps that would make the counter another one.
    pub(super) fn maps(&self) -> Vec<String> {
        let lists = self.lists.iter().filter(|list| {
            self.owner.is_none() && list.direction == Direction::In && list.relation.may_map()
        });
        lists.map(|list| map_attribute(list.relation)).collect()
    }
}

/// A list whose edges a counter counts.
struct List<'m> {
    relation: &'m Relation,
    direction: Direction,
    partition: String,
}

/// A counter and its companion as they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    pub(super) count: i64,
    /// 0 where there is none.
    pub(super) ops: i64,
    /// Of the map that makes it count; 0 where the counter is the entity's own and no map is there.
    epoch: u64,
    /// The entity is being deleted, or its edges are not counted by their writers.
    exempt: bool,
}

impl State {
    fn of(item: Option<&Item>, suspect: &Suspect<'_>) -> Self {
        let number = |name: &str| item.map_or(0, |item| read::integer(item, name));
        let closed = item.is_some_and(|item| item.get(requests::CLOSED).is_some());
        // Once a map is there, the entity's counter is a sum of some time.
        let mut lists = suspect
            .lists
            .iter()
            .filter(|l| l.direction == Direction::In);
        let mapped = |item: &Item| lists.any(|list| Map::of(list.relation, item).is_some());
        let mapped = suspect.owner.is_none() && item.is_some_and(mapped);
        Self {
            count: number(&suspect.counter) + suspect.base,
            ops: number(&companion(&suspect.counter)),
            epoch: 0,
            exempt: closed || mapped,
        }
    }
}

/// The counters of an entity.
pub(super) fn of_entity<'m>(
    model: &'m Model,
    entity: &'m Entity,
    id: &str,
    key: &Key,
    item: Option<&Item>,
) -> Vec<Suspect<'m>> {
    let mut suspects: Vec<Suspect<'m>> = Vec::new();
    for relation in &model.relations {
        for (of, direction, counter) in [
            (&relation.from, Direction::Out, &relation.counters.out),
            (&relation.to, Direction::In, &relation.counters.inward),
        ] {
            let Some(counter) = counter.as_ref().filter(|_| *of == entity.name) else {
                continue;
            };
            let map = item.and_then(|item| Map::of(relation, item));
            if let Some(map) = map.filter(|_| direction == Direction::In) {
                let base = item.map_or(0, |item| read::integer(item, &base_attribute(relation)));
                suspects.extend(of_parts(relation, id, key, &map, base));
                continue;
            }
            let place = Place::of(model, relation, direction, None);
            let list = List {
                relation,
                direction,
                partition: requests::list_partition(&place.keys.pk, id),
            };
            match suspects.iter_mut().find(|s| s.counter == *counter) {
                Some(suspect) => suspect.lists.push(list),
                None => suspects.push(Suspect {
                    key: key.clone(),
                    counter: counter.clone(),
                    lists: vec![list],
                    base: 0,
                    owner: None,
                    seen: None,
                    before: None,
                }),
            }
        }
    }
    for suspect in suspects.iter_mut().filter(|s| s.owner.is_none()) {
        suspect.seen = Some(State::of(item, suspect));
    }
    suspects
}

/// The counters of a spread list: each part has its own. What stands on the entity is a sum of some time, or is counted from
/// the stream, and is not compared.
fn of_parts<'m>(
    relation: &'m Relation,
    id: &str,
    owner: &Key,
    map: &Map,
    base: i64,
) -> Vec<Suspect<'m>> {
    let parts = map.parts().filter(|_| map.counts_parts());
    let suspects = parts.map(|part| Suspect {
        key: part.counter(relation, id),
        counter: COUNT.to_owned(),
        lists: vec![List {
            relation,
            direction: Direction::In,
            partition: part.partition(relation, id),
        }],
        base: if part == Part::Plain { base } else { 0 },
        owner: Some(owner.clone()),
        seen: None,
        before: None,
    });
    suspects.collect()
}

/// Compares counters; what is drift is reported and, where asked for, repaired.
pub(super) async fn compare(work: &mut Work<'_>, mut suspects: Vec<Suspect<'_>>) -> Result<()> {
    work.tally(
        "counters",
        u64::try_from(suspects.len()).unwrap_or(u64::MAX),
    );
    // Most are right, and show it at the first look.
    let mut left = Vec::new();
    for suspect in suspects.drain(..) {
        let first = match suspect.seen {
            Some(seen) => seen,
            None => state(work, &suspect).await?,
        };
        if !first.exempt && count(work, &suspect).await? != first.count {
            left.push(suspect);
        }
    }
    let grace = Duration::from_millis(work.job.spec.count("grace"));
    for _ in 0..ROUNDS {
        if left.is_empty() {
            return Ok(());
        }
        let mut states = Vec::with_capacity(left.len());
        for suspect in &left {
            states.push(state(work, suspect).await?);
        }
        work.rest(grace).await?;
        let mut next = Vec::new();
        for (mut suspect, first) in left.into_iter().zip(states) {
            let counted = count(work, &suspect).await?;
            let quiet = state(work, &suspect).await? == first;
            let mismatch = Some((counted - first.count, first.ops));
            if first.exempt || (quiet && counted == first.count) {
                continue;
            }
            if quiet
                && suspect
                    .before
                    .is_some_and(|(by, _)| by == counted - first.count)
            {
                report(work, &suspect, first, counted).await?;
                continue;
            }
            suspect.before = mismatch.filter(|_| quiet).or(suspect.before);
            next.push(suspect);
        }
        left = next;
    }
    work.tally("busy", u64::try_from(left.len()).unwrap_or(u64::MAX));
    Ok(())
}

async fn report(
    work: &mut Work<'_>,
    suspect: &Suspect<'_>,
    state: State,
    counted: i64,
) -> Result<()> {
    let repaired = work.job.spec.flag("repair")
        && repair::counter(work, suspect, state, counted - suspect.base).await?;
    let keys = &work.graph.model.keys;
    let (name, value) = (&suspect.counter, state.count);
    let finding = Finding {
        kind: FindingKind::Counter,
        key: requests::key_words(&suspect.key.item(keys), keys),
        what: format!("{name} is {value}, and the number of its edges is {counted}"),
        repaired,
    };
    super::scan::found(work, &finding);
    Ok(())
}

async fn state(work: &mut Work<'_>, suspect: &Suspect<'_>) -> Result<State> {
    let (item, receipt) = work.graph.get_item(work.cx, &suspect.key, true).await?;
    work.sent(receipt);
    let mut state = State::of(item.as_ref(), suspect);
    if let (Some(owner), Some(list)) = (&suspect.owner, suspect.lists.first()) {
        // Read behind the counter: the same epoch before and after a count means that it counted all the while.
        let (item, receipt) = work.graph.get_item(work.cx, owner, true).await?;
        work.sent(receipt);
        let map = item.as_ref().and_then(|item| Map::of(list.relation, item));
        let base = item.map_or(0, |item| {
            read::integer(&item, &base_attribute(list.relation))
        });
        let same = suspect.base == 0 || suspect.base == base;
        state.exempt |= !same || !map.is_some_and(|map| map.counts_parts());
        state.epoch = map.map_or(0, |map| map.epoch);
    }
    Ok(state)
}

/// Counts the edges of a counter's lists.
async fn count(work: &mut Work<'_>, suspect: &Suspect<'_>) -> Result<i64> {
    let graph = work.graph;
    let model = &*graph.model;
    let mut count = 0;
    for list in &suspect.lists {
        let place = Place::of(model, list.relation, list.direction, None);
        let once = list.relation.undirected
            && list.direction == Direction::In
            && list.relation.loops != Loops::Twice;
        let prefix = place.keys.sk.prefix();
        let mut input = requests::query(model, &place, &list.partition, prefix);
        loop {
            work.keep().await?;
            let (page, receipt) = graph.query(work.cx, input.clone()).await?;
            work.sent(receipt);
            for item in page.items.iter().flatten() {
                let edge = read::edge(model, list.relation, item);
                // A loop stands in both lists and is one edge.
                let counts = edge.is_some_and(|e| !once || e.source != e.target);
                count += i64::from(counts);
            }
            match page.last_evaluated_key {
                Some(last) => input.exclusive_start_key = Some(last.into()),
                None => break,
            }
        }
    }
    Ok(count)
}
