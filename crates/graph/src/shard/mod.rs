//! Shards of hot targets: how many keys a target's list is spread over, and how it is counted.
//!
//! A target that was never spread has one key, the plain one, and one counter, on its entity's item. Once it has a map
//! ([`map::Map`], an attribute of the entity's item) new edges go to shard `hash(source) mod write`, and the shard
//! is part of the edge: its index key. Nothing ever computes an edge's shard again. Readers merge the plain key and
//! shards `0..read`; each of these keys has a counter item of its own, and the entity's counter is their sum as of a time.
//!
//! Why no reader misses an edge while shards are added: `read` is raised first, and `write` only after [`SETTLE`], which is
//! longer than anybody goes by a map that was read before ([`CACHE`] and [`OPERATION`]). So no reader's `read` is
//! below any writer's `write`. A map's age runs on a monotonic clock from before its read was sent, the read is strongly
//! consistent, and a reader looks at the age again before it answers. A writer with a `write` that is too low is
//! harmless.
//!
//! Who has no map at hand need not ask for one. A writer counts on the entity's item under the condition that no map is
//! there. A reader's first page holds the mark ([`mark`]) of a spread list, which stands in the index under the plain
//! key at both ends of the list since before the map: where the index shows the plain key without the mark, it shows it as it
//! was before the list was spread, so that all the page can lack is younger than the index's lag.
//!
//! Why no edge is lost while shards are drained: `write` is lowered first, and after [`SETTLE`] their counters are closed,
//! which refuses a writer that slept over all that. Edges are moved by transactions that move their count with them.
//! Readers read the emptied keys before the others.

mod cache;
mod change;
mod drain;
mod heat;
mod map;
mod mark;
mod part;
mod roll;
mod route;
mod spread;
mod stray;

pub(crate) use cache::Maps;
pub(crate) use change::MapChange;
pub(crate) use heat::Heat;
pub use heat::HotTarget;
pub use map::{Counting, ShardMap};
pub(crate) use map::{Map, attributes_of, base_attribute, counted_at, map_attribute};
pub(crate) use mark::{is_mark, mark_keys, marks};
pub use part::ListKey;
pub(crate) use part::{COUNT, Part};
pub(crate) use route::{Route, SWITCHING};
pub use spread::{KeyKind, KeyName};
pub(crate) use stray::Stray;

use std::time::Duration;

/// How long a map that was read is gone by.
pub(crate) const CACHE: Duration = Duration::from_secs(5);
/// How long one request, or one page of a list, may take by a map.
pub(crate) const OPERATION: Duration = Duration::from_secs(10);
/// After it nobody goes by an older map.
pub(crate) const SETTLE: Duration = Duration::from_secs(16);
