//! A database in memory whose process dies again and again, at any step of its store.

use bothways_engine::{Engine, OpenError, Options};
use bothways_graph::Environment;
use bothways_lab::Clock;
use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, Request, Response};
use bothways_store::{FaultyStore, MemoryStore, Plan};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Deaths one after another in which nothing was opened: more of them are a fault.
const MOST_IN_A_ROW: u32 = 1_000;

/// A database whose process dies at a step of its store and is started again. It begins calm.
pub struct Mortal {
    clock: Clock,
    life: Mutex<(Arc<FaultyStore>, Arc<Engine>)>,
    deaths: AtomicU64,
    steps: AtomicU64,
}

impl Mortal {
    pub fn new(clock: &Clock) -> Arc<Self> {
        let store = FaultyStore::new(Arc::new(MemoryStore::new()), Plan::default());
        let store = Arc::new(store.expect("a store"));
        let engine = Self::open(clock, &store).expect("it opens");
        Arc::new(Self {
            clock: clock.clone(),
            life: Mutex::new((store, engine)),
            deaths: AtomicU64::new(0),
            steps: AtomicU64::new(0),
        })
    }

    fn open(clock: &Clock, store: &Arc<FaultyStore>) -> Result<Arc<Engine>, OpenError> {
        let options = Options {
            clock: Arc::new(clock.clone()),
            background: false,
            ..Options::default()
        };
        Engine::open(store.clone(), options).map(Arc::new)
    }

    /// The engine that lives; a new one where the last has died.
    pub fn engine(&self) -> Arc<Engine> {
        let mut life = self.life.lock().expect("a lock");
        if life.0.is_dead() {
            self.deaths.fetch_add(1, Ordering::Relaxed);
            *life = self.revived(&life.0);
        }
        Arc::clone(&life.1)
    }

    /// The next process; it may die while it opens, and is followed by the next.
    fn revived(&self, dead: &FaultyStore) -> (Arc<FaultyStore>, Arc<Engine>) {
        for _ in 0..MOST_IN_A_ROW {
            let store = Arc::new(dead.reopen(self.plan()).expect("a store"));
            match Self::open(&self.clock, &store) {
                Ok(engine) => return (store, engine),
                Err(_) if store.is_dead() => self.deaths.fetch_add(1, Ordering::Relaxed),
                Err(error) => panic!("it opens after any death: {error}"),
            };
        }
        panic!("it never opens");
    }

    fn plan(&self) -> Plan {
        match self.steps.load(Ordering::Relaxed) {
            0 => Plan::default(),
            steps => Plan {
                seed: self.clock.random(),
                most_delay: 3,
                dies_at: Some(1 + self.clock.draw(steps)),
                ..Plan::default()
            },
        }
    }

    /// From here on each of its processes dies within so many steps of its store.
    pub fn dies_within(&self, steps: u64) {
        self.begin_anew(steps);
    }

    /// From here on it lives.
    pub fn calm(&self) {
        self.begin_anew(0);
    }

    fn begin_anew(&self, steps: u64) {
        self.steps.store(steps, Ordering::Relaxed);
        let mut life = self.life.lock().expect("a lock");
        *life = self.revived(&life.0);
    }

    /// How often it has died by itself.
    pub fn deaths(&self) -> u64 {
        self.deaths.load(Ordering::Relaxed)
    }
}

impl DynamoDb for Mortal {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        let engine = self.engine();
        Box::pin(async move { engine.call(cx, request).await })
    }
}
