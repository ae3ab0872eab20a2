//! The faulty store: what it lets through, and what is there after it has died.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use bothways_store::{Error, FaultyStore, MemoryStore, Plan, Store};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

fn open(plan: Plan) -> FaultyStore {
    FaultyStore::new(Arc::new(MemoryStore::new()), plan).unwrap()
}

fn put(store: &FaultyStore, n: u64) -> Result<bothways_store::Ticket, Error> {
    store.submit(&mut |seq, batch| {
        assert_eq!(seq, n);
        batch.put(format!("a{n}"), "");
        batch.put(format!("b{n}"), "");
    })
}

/// Commits in groups of three until something fails; tells how many were acknowledged.
fn run(store: &FaultyStore) -> u64 {
    let mut acknowledged = 0;
    for group in 0..5 {
        let numbers = group * 3 + 1..=group * 3 + 3;
        let tickets: Vec<_> = numbers.clone().map(|n| put(store, n)).collect();
        for (n, ticket) in numbers.zip(tickets) {
            if ticket.and_then(bothways_store::Ticket::wait).is_err() {
                return acknowledged;
            }
            acknowledged = n;
        }
    }
    acknowledged
}

/// Every commit up to some number is there as a whole, and no other.
fn found(store: &FaultyStore) -> u64 {
    let last = store.snapshot().unwrap().seq();
    for n in 1..20 {
        for table in ["a", "b"] {
            let there = store
                .get(format!("{table}{n}").as_bytes())
                .unwrap()
                .is_some();
            assert_eq!(there, n <= last, "{table}{n}, {last}");
        }
    }
    last
}

#[test]
fn a_process_may_die_at_any_step_and_loses_nothing_acknowledged() {
    for seed in 0..20 {
        let plan = Plan {
            seed,
            most_delay: 2,
            sync_failures: 100,
            ..Plan::default()
        };
        let whole = open(plan);
        run(&whole);
        for step in 1..=whole.steps() + 1 {
            let store = open(Plan {
                dies_at: Some(step),
                ..plan
            });
            let acknowledged = run(&store);
            if store.is_dead() {
                assert!(store.get(b"a1").is_err());
                assert!(store.submit(&mut |_, _| {}).is_err());
            }
            let found = found(&store.reopen(Plan::default()).unwrap());
            assert!(
                found >= acknowledged,
                "seed {seed}, step {step}: {acknowledged}, {found}"
            );
            assert_eq!(found % 3, 0, "a group is there as a whole");
        }
    }
}

#[test]
fn readers_see_a_commit_when_its_ticket_is_ready_and_writers_before() {
    let store = open(Plan {
        seed: 1,
        most_delay: 5,
        ..Plan::default()
    });
    let mut ticket = put(&store, 1).unwrap();
    assert_eq!(store.latest(b"a1").unwrap().seq, 1);
    assert_eq!(store.get(b"a1").unwrap(), None);
    let mut cx = Context::from_waker(Waker::noop());
    let mut polls = 0;
    while Pin::new(&mut ticket).poll(&mut cx).is_pending() {
        assert_eq!(store.get(b"a1").unwrap(), None);
        polls += 1;
    }
    assert!(polls <= 5);
    assert_eq!(store.latest(b"a1").unwrap().seq, 0);
    assert!(store.get(b"a1").unwrap().is_some());
    assert!(matches!(
        Pin::new(&mut store.settled(1)).poll(&mut cx),
        Poll::Ready(Ok(()))
    ));
}

#[test]
fn faults_come_as_often_as_planned_and_repeat_from_their_seed() {
    let plan = Plan {
        seed: 4,
        submit_failures: 200,
        read_failures: 300,
        ..Plan::default()
    };
    let outcomes = || {
        let store = open(plan);
        let one = |_| {
            (
                store.submit(&mut |_, _| {}).is_err(),
                store.get(b"x").is_err(),
            )
        };
        (0..1_000).map(one).collect::<Vec<_>>()
    };
    let seen = outcomes();
    assert_eq!(seen, outcomes());
    let submits = seen.iter().filter(|(failed, _)| *failed).count();
    let reads = seen.iter().filter(|(_, failed)| *failed).count();
    assert!((150..250).contains(&submits), "{submits}");
    // A get is two reads: of the snapshot, and of the row.
    assert!((450..570).contains(&reads), "{reads}");
}

#[test]
fn a_failed_sync_poisons_until_reopened() {
    let store = open(Plan {
        sync_failures: 1_000,
        ..Plan::default()
    });
    let ticket = put(&store, 1).unwrap();
    assert!(ticket.wait().is_err());
    assert!(matches!(put(&store, 2), Err(Error::Poisoned(_))));
    let again = store.reopen(Plan::default()).unwrap();
    let last = found(&again);
    put(&again, last + 1).unwrap().wait().unwrap();
}
