//! The decorator: the way of one request.

use crate::buckets::{Buckets, ask_units, because, no_answer, told_units};
use crate::clock::Clock;
use crate::faults::{Chance, Faults, Tally};
use crate::pages;
use crate::replica::Replica;
use crate::stream::Replay;
use crate::touched::{Touch, reading, written};
use bothways_graph::Environment;
use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, Message, Request, Response};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

/// Items on the longest short page.
const SHORT_PAGE: u64 = 4;
/// The most records that come again at once.
const AGAIN: u64 = 16;

/// A database under bad conditions. Clones are handles on the same one.
#[derive(Clone)]
pub struct Lab(Arc<Inner>);

struct Inner {
    db: Arc<dyn DynamoDb>,
    clock: Clock,
    faults: Mutex<Faults>,
    tally: Mutex<Tally>,
    /// Sees changes late.
    lagging: Replica,
    /// Sees transactions item by item.
    parted: Replica,
    buckets: Buckets,
    replay: Mutex<Replay>,
}

/// Items being written: when it goes, whatever became of the request, the copies get them.
struct Noted<'l> {
    lab: &'l Inner,
    touched: Vec<Touch>,
    transaction: bool,
    answered: bool,
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.lab
            .note(&self.touched, self.transaction, self.answered);
    }
}

impl Lab {
    /// A lab over a database, without faults, with a clock of its own.
    ///
    /// # Panics
    /// When its copies in memory cannot be made, which nothing on this machine should prevent.
    #[must_use]
    pub fn over(db: Arc<dyn DynamoDb>, seed: u64) -> Self {
        Self::by(db, Clock::new(seed))
    }

    /// A lab that shares a clock with others.
    ///
    /// # Panics
    /// As [`Lab::over`].
    #[must_use]
    pub fn by(db: Arc<dyn DynamoDb>, clock: Clock) -> Self {
        let copy = || Replica::new(&clock).expect("an engine in memory opens");
        Self(Arc::new(Inner {
            db,
            faults: Mutex::default(),
            tally: Mutex::default(),
            lagging: copy(),
            parted: copy(),
            buckets: Buckets::default(),
            replay: Mutex::default(),
            clock,
        }))
    }

    /// Sets what goes wrong from here on.
    #[must_use]
    pub fn with(self, faults: Faults) -> Self {
        self.set(faults);
        self
    }

    /// Sets what goes wrong from here on. A copy that no fault needs any more keeps what it knows.
    pub fn set(&self, faults: Faults) {
        *self.0.faults.lock() = faults;
    }

    /// What goes wrong now.
    #[must_use]
    pub fn faults(&self) -> Faults {
        self.0.faults.lock().clone()
    }

    /// How often each fault has happened.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.0.tally.lock().clone()
    }

    /// The clock: also the environment to give to a graph.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.0.clock.clone()
    }

    /// Waits until indexes have caught up with every write so far.
    pub async fn catch_up(&self) {
        let due = [&self.0.lagging, &self.0.parted].map(Replica::caught_up_at);
        if let Some(due) = due.into_iter().flatten().max() {
            let wait = due.saturating_sub(self.0.clock.now());
            self.0.clock.sleep(wait).await;
        }
    }
}

impl Inner {
    fn falls(&self, chance: Chance) -> bool {
        chance > 0 && self.clock.draw(1_000) < u64::from(chance)
    }

    fn below(&self, count: usize) -> usize {
        let drawn = self.clock.draw(u64::try_from(count).unwrap_or(u64::MAX));
        usize::try_from(drawn).unwrap_or(0)
    }

    fn count(&self, add: impl FnOnce(&mut Tally)) {
        add(&mut self.tally.lock());
    }

    async fn travel(&self, faults: &Faults) {
        if !faults.latency.is_zero() {
            let time = self.clock.draw_time(faults.latency);
            self.clock.sleep(time).await;
        }
    }

    fn note(&self, touched: &[Touch], transaction: bool, answered: bool) {
        let faults = self.faults.lock().clone();
        let now = self.clock.now();
        for touch in touched {
            if !faults.index_lag.is_zero() {
                let due = now + self.clock.draw_time(faults.index_lag);
                self.lagging.note(&touch.table, &touch.key, answered, due);
            }
            if !faults.item_by_item.is_zero() {
                let spread = if transaction {
                    faults.item_by_item
                } else {
                    Duration::ZERO
                };
                let due = now + self.clock.draw_time(spread);
                self.parted.note(&touch.table, &touch.key, answered, due);
            }
        }
    }

    async fn call(&self, cx: &Context, request: Request) -> Result<Response, Error> {
        let faults = self.faults.lock().clone();
        self.travel(&faults).await;
        if let Some(error) = self.refusal(cx, &faults, &request).await? {
            return Err(error);
        }
        self.count(|t| t.requests += 1);
        let touched = written(&request);
        let writes = !touched.is_empty();
        let answer = if writes {
            self.write(cx, &faults, request, touched).await
        } else {
            self.read(cx, &faults, request).await
        };
        self.travel(&faults).await;
        if writes && self.falls(faults.lost_answers) {
            self.count(|t| t.lost_answers += 1);
            return Err(no_answer());
        }
        answer
    }

    /// What keeps a request from being done at all.
    async fn refusal(
        &self,
        cx: &Context,
        faults: &Faults,
        request: &Request,
    ) -> Result<Option<Error>, Error> {
        let touched = written(request);
        let actions = match request {
            Request::TransactWriteItems(input) => input.transact_items.as_ref().map(Vec::len),
            Request::TransactGetItems(input) => input.transact_items.as_ref().map(Vec::len),
            _ => None,
        };
        let may_conflict = actions.is_some() || matches!(touched.as_slice(), [_]);
        if !touched.is_empty() && self.falls(faults.lost_requests) {
            self.count(|t| t.lost_requests += 1);
            return Ok(Some(no_answer()));
        }
        if may_conflict && self.falls(faults.conflicts) {
            self.count(|t| t.conflicts += 1);
            let error = Error::from(Message::TransactionConflict);
            return Ok(Some(match actions {
                Some(actions) => because(
                    actions,
                    self.below(actions),
                    "TransactionConflict",
                    &error.message,
                ),
                None => error,
            }));
        }
        if touched.is_empty() {
            return self.cold(cx, faults, request).await;
        }
        let by_chance = self.falls(faults.throttling);
        if !by_chance && faults.key_limits.is_none() {
            return Ok(None);
        }
        let transaction = actions.is_some();
        let charges = self
            .buckets
            .charges(cx, &*self.db, &touched, transaction)
            .await?;
        let refused = match faults.key_limits {
            _ if by_chance => charges.first(),
            Some(limits) => self.buckets.take(&charges, limits, self.clock.now()),
            None => None,
        };
        Ok(refused.map(|charge| {
            self.count(|t| t.throttled += 1);
            charge.refusal(actions)
        }))
    }

    /// Refuses a read whose key has nothing left.
    async fn cold(
        &self,
        cx: &Context,
        faults: &Faults,
        request: &Request,
    ) -> Result<Option<Error>, Error> {
        let Some(limits) = faults.key_limits else {
            return Ok(None);
        };
        let key = self.buckets.read_key(cx, &*self.db, request).await?;
        let hot = key.filter(|key| !self.buckets.may_read(key, limits, self.clock.now()));
        Ok(hot.map(|key| {
            self.count(|t| t.throttled += 1);
            key.refusal()
        }))
    }

    async fn write(
        &self,
        cx: &Context,
        faults: &Faults,
        mut request: Request,
        mut touched: Vec<Touch>,
    ) -> Result<Response, Error> {
        let transaction = matches!(request, Request::TransactWriteItems(_));
        if let Request::TransactWriteItems(input) = &mut request
            && input.client_request_token.is_some()
            && self.falls(faults.forgotten_tokens)
        {
            self.count(|t| t.forgotten_tokens += 1);
            input.client_request_token = None;
        }
        let left = self.leave(faults, &mut request);
        if left.is_some() {
            touched = written(&request);
        }
        let mut tables: Vec<&str> = touched.iter().map(|t| t.table.as_str()).collect();
        tables.dedup();
        for table in tables {
            self.ready(cx, faults, table).await?;
        }
        let mut noted = Noted {
            lab: self,
            touched,
            transaction,
            answered: false,
        };
        let mut answer = self.db.call(cx, request).await;
        noted.answered = answer.is_ok();
        drop(noted);
        if let (Ok(response), Some(left)) = (&mut answer, left) {
            pages::give_back(response, left);
        }
        if transaction && !faults.item_by_item.is_zero() {
            self.clock.sleep(faults.item_by_item).await;
        }
        answer
    }

    fn leave(&self, faults: &Faults, request: &mut Request) -> Option<pages::Left> {
        if !self.falls(faults.unprocessed) {
            return None;
        }
        let left = pages::split(request, |count| self.below(count))?;
        self.count(|t| t.unprocessed += 1);
        Some(left)
    }

    /// Copies a table where a fault needs a copy, before it changes further.
    async fn ready(&self, cx: &Context, faults: &Faults, table: &str) -> Result<(), Error> {
        for (wanted, copy) in [
            (!faults.index_lag.is_zero(), &self.lagging),
            (!faults.item_by_item.is_zero(), &self.parted),
        ] {
            if wanted {
                copy.ensure(cx, &*self.db, table).await?;
            }
        }
        Ok(())
    }

    async fn read(
        &self,
        cx: &Context,
        faults: &Faults,
        mut request: Request,
    ) -> Result<Response, Error> {
        if self.falls(faults.empty_pages)
            && let Some(page) = pages::empty(&request)
        {
            self.count(|t| t.empty_pages += 1);
            return Ok(page);
        }
        if self.falls(faults.short_pages) {
            let items = 1 + i32::try_from(self.clock.draw(SHORT_PAGE)).unwrap_or(0);
            let cut = pages::cut(&mut request, items);
            self.count(|t| t.short_pages += u64::from(cut));
        }
        let left = self.leave(faults, &mut request);
        let key = match faults.key_limits {
            Some(_) => self.buckets.read_key(cx, &*self.db, &request).await?,
            None => None,
        };
        let silent = key.is_some() && ask_units(&mut request);
        let mut response = self.answer(cx, faults, request).await?;
        if let (Some(key), Some(limits)) = (key, faults.key_limits) {
            let units = told_units(&mut response, silent);
            self.buckets.took(key, units, limits, self.clock.now());
        }
        if let Some(left) = left {
            pages::give_back(&mut response, left);
        }
        Ok(response)
    }

    /// A read's answer, from the copy that sees what this read sees.
    async fn answer(
        &self,
        cx: &Context,
        faults: &Faults,
        request: Request,
    ) -> Result<Response, Error> {
        self.definitions(cx, &request).await;
        if let Request::GetRecords(input) = &request {
            let iterator = input.shard_iterator.clone().unwrap_or_default();
            let mut response = self.db.call(cx, request).await?;
            self.again(faults, &iterator, &mut response);
            return Ok(response);
        }
        let Some(read) = reading(&request) else {
            return self.db.call(cx, request).await;
        };
        let table = read.table.to_owned();
        let late = !faults.index_lag.is_zero() && (read.index.is_some() || !read.strong);
        let parted = !faults.item_by_item.is_zero() && read.many;
        let copy = match (late, parted) {
            (true, _) => &self.lagging,
            (false, true) => &self.parted,
            (false, false) => return self.db.call(cx, request).await,
        };
        copy.ensure(cx, &*self.db, &table).await?;
        copy.deliver(cx, &*self.db, self.clock.now()).await?;
        if copy.lags(&table) {
            self.count(|t| {
                t.stale_reads += u64::from(late);
                t.partial_reads += u64::from(!late);
            });
        }
        copy.read(cx, request).await
    }

    /// A table whose definition changes is copied anew.
    async fn definitions(&self, cx: &Context, request: &Request) {
        let table = match request {
            Request::CreateTable(input) => input.table_name.as_deref(),
            Request::UpdateTable(input) => input.table_name.as_deref(),
            Request::DeleteTable(input) => input.table_name.as_deref(),
            _ => None,
        };
        if let Some(table) = table {
            self.buckets.forget(table);
            self.lagging.forget(cx, table).await;
            self.parted.forget(cx, table).await;
        }
    }

    fn again(&self, faults: &Faults, iterator: &str, response: &mut Response) {
        let Response::GetRecords(output) = response else {
            return;
        };
        let count = self
            .falls(faults.replayed_records)
            .then(|| 1 + usize::try_from(self.clock.draw(AGAIN)).unwrap_or(0));
        let came = self.replay.lock().pass(iterator, output, count);
        self.count(|t| t.replayed_records += came);
    }
}

impl DynamoDb for Lab {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(self.0.call(cx, request))
    }
}
