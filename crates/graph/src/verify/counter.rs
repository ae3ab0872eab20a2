//! Counters compared with their edges.

use super::FindingKind;
use super::repair;
use super::waiting::{Stream, note_lag, sum};
use crate::error::Result;
use crate::jobs::Work;
use crate::model::{Direction, Entity, Loops, Model, Relation, companion};
use crate::read;
use crate::requests::{self, Key, Place};
use crate::shard::{COUNT, Counting, Map, Part, base_attribute, map_attribute};
use bothways_core::{Item, Value, ValueRef};
use std::fmt::Write as _;
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
    /// It is counted from the stream, under the map of its lists' relation.
    pub(super) streamed: bool,
    /// As the pass over the table saw it.
    seen: Option<State>,
    /// The mismatch of the round before.
    before: Option<i64>,
}

impl<'m> Suspect<'m> {
    fn new(key: Key, counter: &str, lists: Vec<List<'m>>) -> Self {
        Self {
            key,
            counter: counter.to_owned(),
            lists,
            base: 0,
            owner: None,
            streamed: false,
            seen: None,
            before: None,
        }
    }

    /// The attribute of the map under which it is counted from the stream.
    pub(super) fn streamed_by(&self) -> Option<String> {
        let list = self.lists.first().filter(|_| self.streamed)?;
        Some(map_attribute(list.relation))
    }
    /// The attributes of maps that would make the counter another one.
    pub(super) fn maps(&self) -> Vec<String> {
        let lists = self.lists.iter().filter(|list| {
            self.owner.is_none()
                && !self.streamed
                && list.direction == Direction::In
                && list.relation.may_map()
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) count: i64,
    /// What the counter is, where nothing can be added to it.
    pub(super) uncountable: Option<String>,
    /// The companion; `None` where there is none.
    pub(super) ops: Option<Value>,
    /// Of the map that makes it count; 0 where the counter is the entity's own and no map is there.
    pub(super) epoch: u64,
    /// The last recount of a counter that comes from the stream, in milliseconds since 1970.
    since: u64,
    /// The entity is being deleted, or its edges are not counted by their writers.
    exempt: bool,
}

impl State {
    fn of(item: Option<&Item>, suspect: &Suspect<'_>) -> Self {
        let number = |name: &str| item.map_or(0, |item| read::integer(item, name));
        let closed = item.is_some_and(|item| item.get(requests::CLOSED).is_some());
        let mut inward = suspect
            .lists
            .iter()
            .filter(|l| l.direction == Direction::In);
        let ops = companion(&suspect.counter);
        let mut state = Self {
            count: number(&suspect.counter).saturating_add(suspect.base),
            uncountable: item.and_then(|item| read::uncountable(item, &suspect.counter)),
            ops: item.and_then(|item| item.get(&ops).map(ValueRef::to_value)),
            epoch: 0,
            since: 0,
            exempt: closed,
        };
        let map = |list: &List<'_>| item.and_then(|item| Map::of(list.relation, item));
        if suspect.streamed {
            let map = inward.find_map(map);
            let map = map.filter(|map| map.counting == Counting::Async && !map.gated);
            state.exempt |= map.is_none();
            state.epoch = map.map_or(0, |map| map.epoch);
            state.since = map.map_or(0, |map| map.since);
        } else if suspect.owner.is_none() {
            // Once a map is there, the entity's counter is a sum of some time.
            state.exempt |= inward.any(|list| map(list).is_some());
        }
        state
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
                if map.counting == Counting::Async {
                    suspects.push(of_stream(relation, id, key, counter, &map));
                }
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
            let same = |s: &&mut Suspect<'_>| s.counter == *counter && !s.streamed;
            match suspects.iter_mut().find(same) {
                Some(suspect) => suspect.lists.push(list),
                None => suspects.push(Suspect::new(key.clone(), counter, vec![list])),
            }
        }
    }
    for suspect in suspects.iter_mut().filter(|s| s.owner.is_none()) {
        suspect.seen = Some(State::of(item, suspect));
    }
    suspects
}

/// The counters of a spread list: each part has its own. What stands on the entity is a sum of some time, and is not
/// compared.
fn of_parts<'m>(
    relation: &'m Relation,
    id: &str,
    owner: &Key,
    map: &Map,
    base: i64,
) -> Vec<Suspect<'m>> {
    let parts = map.parts().filter(|_| map.counts_parts());
    let suspects = parts.map(|part| Suspect {
        base: if part == Part::Plain { base } else { 0 },
        owner: Some(owner.clone()),
        ..Suspect::new(
            part.counter(relation, id),
            COUNT,
            vec![of_part(relation, id, part)],
        )
    });
    suspects.collect()
}

/// The counter of a target that is counted from the stream: one, on the entity, for all its parts.
fn of_stream<'m>(
    relation: &'m Relation,
    id: &str,
    key: &Key,
    counter: &str,
    map: &Map,
) -> Suspect<'m> {
    let lists = map.parts().map(|part| of_part(relation, id, part));
    Suspect {
        streamed: true,
        ..Suspect::new(key.clone(), counter, lists.collect())
    }
}

fn of_part<'m>(relation: &'m Relation, id: &str, part: Part) -> List<'m> {
    List {
        relation,
        direction: Direction::In,
        partition: part.partition(relation, id),
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Compares counters; what is drift is reported and, where asked for, repaired.
pub(super) async fn compare(work: &mut Work<'_>, suspects: Vec<Suspect<'_>>) -> Result<()> {
    work.tally("counters", number(suspects.len()));
    let streamed = suspects.iter().filter(|s| s.streamed).count();
    work.tally("streamed", number(streamed));
    let mut left = first_look(work, suspects).await?;
    for _ in 0..ROUNDS {
        if left.is_empty() {
            return Ok(());
        }
        left = round(work, left).await?;
    }
    work.tally("busy", number(left.len()));
    Ok(())
}

/// Most are right, and show it at the first look. Answers with the others.
async fn first_look<'m>(
    work: &mut Work<'_>,
    suspects: Vec<Suspect<'m>>,
) -> Result<Vec<Suspect<'m>>> {
    let stream = Stream::look(work, &suspects).await?;
    let mut left = Vec::new();
    for suspect in suspects {
        let first = match &suspect.seen {
            Some(seen) => seen.clone(),
            None => state(work, &suspect).await?,
        };
        if first.exempt {
            continue;
        }
        let waiting = stream.of(&suspect, first.since);
        if let Some(waiting) = waiting.as_ref().filter(|_| suspect.streamed) {
            note_lag(work, waiting);
        }
        let behind = waiting.map(|waiting| sum(&waiting));
        let right = first.uncountable.is_none()
            && behind.is_some()
            && count(work, &suspect).await? == first.count.saturating_add(behind.unwrap_or(0));
        if !right {
            left.push(suspect);
        }
    }
    Ok(left)
}

/// Looks, rests, counts, and looks again. Answers with those of which nothing can be said yet.
async fn round<'m>(work: &mut Work<'_>, left: Vec<Suspect<'m>>) -> Result<Vec<Suspect<'m>>> {
    let grace = Duration::from_millis(work.job.spec.count("grace"));
    let mut states = Vec::with_capacity(left.len());
    for suspect in &left {
        states.push(state(work, suspect).await?);
    }
    let before = Stream::look(work, &left).await?;
    work.rest(grace).await?;
    let mut counts = Vec::with_capacity(left.len());
    for suspect in &left {
        // The state right behind its own count: a long list among them makes no other one wait.
        let counted = count(work, suspect).await?;
        counts.push((counted, state(work, suspect).await?));
    }
    let after = Stream::look(work, &left).await?;
    let mut next = Vec::new();
    for ((mut suspect, first), (counted, last)) in left.into_iter().zip(states).zip(counts) {
        if first.exempt {
            continue;
        }
        if matches!(after, Stream::Absent) && suspect.streamed {
            orphaned(work, &suspect, &first);
            continue;
        }
        let waiting = after.of(&suspect, first.since);
        let still = waiting.is_some() && waiting == before.of(&suspect, first.since);
        let quiet = still && last == first;
        let behind = waiting.as_deref().map_or(0, sum);
        let by = (counted - behind).saturating_sub(first.count);
        if quiet && by == 0 && first.uncountable.is_none() {
            continue;
        }
        if quiet && suspect.before == Some(by) {
            report(work, &suspect, &first, counted, behind).await?;
            continue;
        }
        suspect.before = Some(by).filter(|_| quiet).or(suspect.before);
        next.push(suspect);
    }
    Ok(next)
}

/// Nobody can count a target from a stream that is not there.
fn orphaned(work: &mut Work<'_>, suspect: &Suspect<'_>, state: &State) {
    let (name, value) = (&suspect.counter, state.count);
    let what = format!("{name} is {value}, counted from the stream, and the table has none");
    found(work, suspect, what, false);
}

async fn report(
    work: &mut Work<'_>,
    suspect: &Suspect<'_>,
    state: &State,
    counted: i64,
    behind: i64,
) -> Result<()> {
    let to = (counted - behind).saturating_sub(suspect.base);
    let repaired =
        work.job.spec.flag("repair") && repair::counter(work, suspect, state, to).await?;
    let name = &suspect.counter;
    let is = if repaired { "was" } else { "is" };
    let mut what = match &state.uncountable {
        Some(odd) => format!("{name} {is} {odd}, to which nothing can be added"),
        None => format!("{name} {is} {}", state.count),
    };
    let _ = write!(what, ", and the number of its edges is {counted}");
    if behind != 0 {
        let _ = write!(what, ", {behind:+} of them not yet counted from the stream");
    }
    found(work, suspect, what, repaired);
    Ok(())
}

fn found(work: &mut Work<'_>, suspect: &Suspect<'_>, what: String, repaired: bool) {
    super::scan::found(work, FindingKind::Counter, &suspect.key, what, repaired);
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
            work.breathe().await?;
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
