//! What every store promises, run on each of them.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]
#![allow(
    clippy::print_stderr,
    reason = "a failed test shows which store and promise"
)]

mod common;

use bothways_store::{Batch, Error, MAX_KEY_BYTES, Snapshot, Store};
use common::{Random, Stores, apply, commit, rows};
use std::collections::BTreeMap;
use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A key range.
type Bounds<'a> = (Bound<&'a [u8]>, Bound<&'a [u8]>);
/// One promise, as a function of an empty store.
type Promise = fn(&Arc<dyn Store>);

const PROMISES: &[(&str, Promise)] = &[
    ("a commit shows in latest, get and snapshots", commit_shows),
    (
        "the last entry for a key wins within a batch",
        last_entry_wins,
    ),
    ("limits are checked and nothing is written", limits),
    ("a refused batch leaves no gap behind", refused),
    ("numbers rise by one order and fill knows its own", numbers),
    ("ranges agree with a model in both directions", ranges),
    ("an inverted range is empty", inverted),
    ("a snapshot does not move", snapshot_stays),
    ("iterators outlive later writes and deletes", iterator_stays),
    ("compaction changes no row", compaction),
    ("no reader sees half of a batch", no_torn_batch),
    ("values of many sizes come back whole", sizes_of_values),
    ("a closed store refuses, held snapshots read on", closed),
];

#[test]
fn every_store_keeps_every_promise() {
    for stores in Stores::all() {
        for (name, promise) in PROMISES {
            eprintln!("{}: {name}", stores.name());
            let opened = stores.open();
            promise(&opened.store);
            let _ = opened.store.close();
        }
    }
}

fn commit_shows(store: &Arc<dyn Store>) {
    let before = store.snapshot().unwrap();
    commit(store, &[("a", Some("1")), ("b", Some("2"))]);
    assert_eq!(before.get(b"a").unwrap(), None);
    assert_eq!(store.get(b"a").unwrap().unwrap(), "1");
    assert_eq!(store.latest(b"b").unwrap().value.unwrap(), "2");
    assert_eq!(store.latest(b"b").unwrap().seq, 0, "durable");
    commit(store, &[("a", None)]);
    assert_eq!(store.get(b"a").unwrap(), None);
    assert_eq!(store.latest(b"a").unwrap().value, None);
    let now = store.snapshot().unwrap();
    assert_eq!(
        rows(&*now, Unbounded, Unbounded, false),
        [("b".into(), "2".into())]
    );
    assert!(now.seq() > before.seq());
    assert!(store.sizes().memory > 0);
}

fn last_entry_wins(store: &Arc<dyn Store>) {
    commit(
        store,
        &[
            ("k", Some("1")),
            ("x", Some("1")),
            ("k", None),
            ("k", Some("2")),
        ],
    );
    commit(store, &[("x", Some("2")), ("x", None)]);
    let snapshot = store.snapshot().unwrap();
    assert_eq!(
        rows(&*snapshot, Unbounded, Unbounded, false),
        [("k".into(), "2".into())]
    );
    assert_eq!(store.latest(b"x").unwrap().value, None);
}

fn limits(store: &Arc<dyn Store>) {
    let longest = vec![7; MAX_KEY_BYTES];
    store
        .submit(&mut |_, b| b.put(longest.clone(), "v"))
        .unwrap()
        .wait()
        .unwrap();
    let too_long = vec![7; MAX_KEY_BYTES + 1];
    let outcome = store.submit(&mut |_, b| {
        b.put("beside", "v");
        b.put(too_long.clone(), "v");
    });
    let Err(Error::TooLarge(text)) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(text, "a key has 65536 bytes; the limit is 65535");
    assert_eq!(store.latest(b"beside").unwrap().value, None);
    assert_eq!(store.get(&longest).unwrap().unwrap(), "v");
    assert_eq!(store.get(&too_long).unwrap(), None);
    let snapshot = store.snapshot().unwrap();
    let seen = rows(&*snapshot, Included(&longest), Excluded(&too_long), true);
    assert_eq!(seen.len(), 1);
}

fn refused(store: &Arc<dyn Store>) {
    commit(store, &[("a", Some("1"))]);
    assert!(
        store
            .submit(&mut |_, b| b.put(vec![0; MAX_KEY_BYTES + 1], ""))
            .is_err()
    );
    store.submit(&mut |_, _| {}).unwrap().wait().unwrap();
    commit(store, &[("a", Some("2"))]);
    assert_eq!(store.get(b"a").unwrap().unwrap(), "2");
}

fn numbers(store: &Arc<dyn Store>) {
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let store = store.clone();
            std::thread::spawn(move || {
                for _ in 0..50 {
                    let mut mine = 0;
                    let fill = &mut |seq: u64, b: &mut Batch| {
                        mine = seq;
                        b.put("last", seq.to_be_bytes().to_vec());
                        b.put(seq.to_be_bytes().to_vec(), "");
                    };
                    let ticket = store.submit(fill).unwrap();
                    ticket.wait().unwrap();
                    assert!(store.settled(mine).is_settled());
                    assert!(store.snapshot().unwrap().seq() >= mine);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let snapshot = store.snapshot().unwrap();
    let all = rows(&*snapshot, Unbounded, Unbounded, false);
    assert_eq!(all.len(), 201, "every commit has a number of its own");
    let largest = &all[199].0;
    assert_eq!(
        &all[200].1, largest,
        "the newest value is that of the largest number"
    );
}

fn ranges(store: &Arc<dyn Store>) {
    let mut random = Random::new(17);
    let mut model = BTreeMap::new();
    for round in 0..25 {
        let mut batch = Batch::default();
        for _ in 0..random.below(120) {
            let key = random.key();
            let put = random.below(3) > 0;
            batch
                .entries
                .push((key.into(), put.then(|| format!("{round}").into())));
        }
        apply(&mut model, &batch);
        store
            .submit(&mut |_, b| *b = batch.clone())
            .unwrap()
            .wait()
            .unwrap();
        let snapshot = store.snapshot().unwrap();
        for _ in 0..10 {
            check_range(&*snapshot, &model, &mut random);
        }
        for _ in 0..10 {
            let key = random.key();
            assert_eq!(
                snapshot.get(&key).unwrap().as_deref(),
                model.get(&key).map(|v| &v[..])
            );
            assert_eq!(store.get(&key).unwrap(), snapshot.get(&key).unwrap());
        }
    }
}

fn check_range(snapshot: &dyn Snapshot, model: &BTreeMap<Vec<u8>, Vec<u8>>, random: &mut Random) {
    let (mut low, mut high) = (random.key(), random.key());
    if low > high {
        std::mem::swap(&mut low, &mut high);
    }
    let bound = |kind, key| match kind {
        0 => Unbounded,
        1 => Included(key),
        _ => Excluded(key),
    };
    let (mut from, to): (Bound<&[u8]>, Bound<&[u8]>) = (
        bound(random.below(3), &low[..]),
        bound(random.below(3), &high[..]),
    );
    if low == high {
        from = Unbounded;
    }
    let mut want: Vec<_> = model
        .range::<[u8], _>((from, to))
        .map(|(k, v)| (k.clone().into(), v.clone().into()))
        .collect();
    assert_eq!(rows(snapshot, from, to, false), want, "{from:?} {to:?}");
    want.reverse();
    assert_eq!(
        rows(snapshot, from, to, true),
        want,
        "{from:?} {to:?} reversed"
    );
}

fn inverted(store: &Arc<dyn Store>) {
    commit(store, &[("a", Some("")), ("b", Some("")), ("c", Some(""))]);
    let snapshot = store.snapshot().unwrap();
    let cases: &[Bounds] = &[
        (Included(b"c"), Included(b"a")),
        (Excluded(b"b"), Excluded(b"b")),
        (Included(b"b"), Excluded(b"b")),
        (Excluded(b"b"), Included(b"b")),
        (Excluded(b"c"), Unbounded),
        (Unbounded, Excluded(b"a")),
    ];
    for &(from, to) in cases {
        for reverse in [false, true] {
            assert_eq!(
                rows(&*snapshot, from, to, reverse),
                [],
                "{from:?} {to:?} {reverse}"
            );
        }
    }
}

fn snapshot_stays(store: &Arc<dyn Store>) {
    let key = |i: u32| i.to_be_bytes().to_vec();
    store
        .submit(&mut |_, b| (0..500).for_each(|i| b.put(key(i), "old")))
        .unwrap()
        .wait()
        .unwrap();
    let old = store.snapshot().unwrap();
    for i in 0..500 {
        let fill = &mut |_, b: &mut Batch| {
            if i % 3 == 0 {
                b.delete(key(i));
            } else {
                b.put(key(i), "new");
            }
            b.put(key(i + 10_000), "new");
        };
        let ticket = store.submit(fill).unwrap();
        if i % 50 == 49 {
            ticket.wait().unwrap();
        }
    }
    store.compact(Unbounded, Unbounded).unwrap();
    assert_eq!(rows(&*old, Unbounded, Unbounded, false).len(), 500);
    assert!(
        rows(&*old, Unbounded, Unbounded, true)
            .iter()
            .all(|(_, v)| v == "old")
    );
    let new = store.snapshot().unwrap();
    assert_eq!(rows(&*new, Unbounded, Unbounded, false).len(), 500 + 333);
}

fn iterator_stays(store: &Arc<dyn Store>) {
    let key = |i: u32| i.to_be_bytes().to_vec();
    store
        .submit(&mut |_, b| (0..300).for_each(|i| b.put(key(i), "x")))
        .unwrap()
        .wait()
        .unwrap();
    let snapshot = store.snapshot().unwrap();
    let mut iterator = snapshot.range(Unbounded, Unbounded, false);
    assert_eq!(iterator.next().unwrap().unwrap().0, key(0));
    store
        .submit(&mut |_, b| (0..300).for_each(|i| b.delete(key(i))))
        .unwrap()
        .wait()
        .unwrap();
    store.compact(Unbounded, Unbounded).unwrap();
    assert_eq!(iterator.count(), 299);
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .range(Unbounded, Unbounded, false)
            .count(),
        0
    );
}

fn compaction(store: &Arc<dyn Store>) {
    let key = |i: u32| i.to_be_bytes().to_vec();
    for round in 0..4 {
        let fill = &mut |_, b: &mut Batch| {
            (0..200).for_each(|i| {
                if i % 5 == round {
                    b.delete(key(i));
                } else {
                    b.put(key(i), "x");
                }
            });
        };
        store.submit(fill).unwrap().wait().unwrap();
        store
            .compact(Included(&key(50)), Excluded(&key(60)))
            .unwrap();
        store.compact(Unbounded, Unbounded).unwrap();
    }
    let snapshot = store.snapshot().unwrap();
    assert_eq!(rows(&*snapshot, Unbounded, Unbounded, false).len(), 160);
}

fn no_torn_batch(store: &Arc<dyn Store>) {
    let stop = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..3)
        .map(|i| {
            let (store, stop) = (store.clone(), stop.clone());
            std::thread::spawn(move || {
                let mut last = 0;
                while !stop.load(Ordering::Relaxed) {
                    let snapshot = store.snapshot().unwrap();
                    let all = rows(&*snapshot, Included(b"row"), Excluded(b"rox"), i == 0);
                    if let Some((_, first)) = all.first() {
                        assert_eq!(all.len(), 8);
                        assert!(all.iter().all(|(_, v)| v == first), "torn: {all:?}");
                        let number: u64 = std::str::from_utf8(first).unwrap().parse().unwrap();
                        assert!(number >= last, "went back");
                        last = number;
                    }
                }
            })
        })
        .collect();
    for round in 0..400 {
        let fill = &mut |_, b: &mut Batch| {
            (0..8).for_each(|i| b.put(format!("row{i}"), format!("{round}")));
        };
        let ticket = store.submit(fill).unwrap();
        if round % 7 == 0 {
            ticket.wait().unwrap();
        }
    }
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.join().unwrap();
    }
}

fn sizes_of_values(store: &Arc<dyn Store>) {
    let sizes = [
        0, 1, 2, 63, 64, 65, 4095, 4096, 4097, 70_000, 450_000, 3_000_000,
    ];
    for (i, size) in sizes.into_iter().enumerate() {
        let (key, value) = (format!("k{i}"), vec![u8::try_from(i).unwrap(); size]);
        store
            .submit(&mut |_, b| b.put(key.clone(), value.clone()))
            .unwrap()
            .wait()
            .unwrap();
    }
    store.compact(Unbounded, Unbounded).unwrap();
    for (i, size) in sizes.into_iter().enumerate() {
        let value = store.get(format!("k{i}").as_bytes()).unwrap().unwrap();
        assert!(value.len() == size && value.iter().all(|b| usize::from(*b) == i));
    }
}

fn closed(store: &Arc<dyn Store>) {
    commit(store, &[("a", Some("1"))]);
    let held = store.snapshot().unwrap();
    store.close().unwrap();
    assert!(matches!(
        store.submit(&mut |_, b| b.put("b", "")),
        Err(Error::Closed)
    ));
    assert!(matches!(store.get(b"a"), Err(Error::Closed)));
    assert!(matches!(store.latest(b"a"), Err(Error::Closed)));
    assert!(matches!(store.snapshot(), Err(Error::Closed)));
    assert_eq!(held.get(b"a").unwrap().unwrap(), "1");
    assert!(store.close().is_ok(), "closing twice is no error");
}
