//! The import itself: window after window, several transactions in flight, none of which share an item.

use super::checkpoint::{Checkpoint, Finished};
use super::chunk::{Writing, Written};
use super::lease::Lease;
use super::lines::Lines;
use super::pack::{Chunk, pack};
use super::rows::{Row, Rows};
use super::{ImportObserver, ImportOptions, ImportReport, ImportSource, Progress};
use crate::error::Result;
use crate::flight::Flight;
use crate::graph::Graph;
use crate::link::EdgeItems;
use crate::receipt::Receipt;
use bothways_protocol::Context;
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Chunks that are looked through for one that shares no item with those in flight.
const LOOK_AHEAD: usize = 256;

impl Graph {
    /// Imports edges of a relation: rows are sorted and packed, each transaction holds as many edges as fit with their
    /// counters, several are in flight. Exact after any crash: run again, it makes only what is missing, and writes
    /// nothing where nothing is.
    ///
    /// # Errors
    /// A file that cannot be read or whose columns do not fit; what the database refuses. Rows at fault are rejected and
    /// no error.
    pub async fn import(
        &self,
        cx: &Context,
        relation: &str,
        source: ImportSource<'_>,
        options: &ImportOptions,
        observer: &mut dyn ImportObserver,
    ) -> Result<ImportReport> {
        let relation = self.relation(relation)?;
        let started = self.env.monotonic();
        let take_over = options.take_over;
        let (mut checkpoint, resume) =
            Checkpoint::load(self, cx, &relation.name, &source.name, take_over, observer).await?;
        let lease = Lease::new(self, checkpoint.key.clone(), &source.name, take_over);
        let lines = Lines::new(&source.name, source.reader, options.comment);
        let mut rows = Rows::new(&self.model, relation, &source.name, lines, options);
        let mut report = ImportReport::default();
        if let Some(finished) = resume {
            rows.skip(options, finished.rows, observer)?;
            checkpoint
                .confirm(cx, &lease, finished, rows.read_so_far())
                .await?;
            report.resumed_rows = finished.rows;
        }
        let writing = Writing {
            graph: self,
            relation,
            items: EdgeItems::new(&self.model, relation, &*self.env)?,
            look: AtomicBool::new(true),
            lease: &lease,
        };
        let mut run = Run {
            cx,
            writing: &writing,
            options,
            started,
            total: source.bytes,
            report,
            observer,
        };
        if let Err(error) = run.windows(&mut rows, &mut checkpoint, &lease).await {
            // The error counts, not that the next one has to wait.
            let _ = lease.leave(cx).await;
            return Err(error);
        }
        run.report.rejected += std::mem::take(&mut rows.rejected);
        run.report.rows = rows.count;
        let mut report = run.report;
        if report.stopped {
            lease.leave(cx).await?;
        } else {
            checkpoint.clear(cx, &lease).await?;
        }
        let held = lease.receipt();
        report.writes += held.requests;
        add_receipt(&mut report.receipts, held);
        report.writes += checkpoint.writes;
        report.receipts.extend(checkpoint.receipts);
        report.elapsed = self.env.monotonic().saturating_duration_since(started);
        Ok(report)
    }
}

/// An import under way.
struct Run<'r, 'g> {
    cx: &'r Context,
    writing: &'r Writing<'g>,
    options: &'r ImportOptions,
    started: Instant,
    total: Option<u64>,
    report: ImportReport,
    observer: &'r mut dyn ImportObserver,
}

impl Run<'_, '_> {
    /// Window after window, each noted when the next one is at hand.
    async fn windows(
        &mut self,
        rows: &mut Rows<'_, '_>,
        checkpoint: &mut Checkpoint<'_>,
        lease: &Lease<'_>,
    ) -> Result<()> {
        let options = self.options;
        let mut finished: Option<Finished> = None;
        while !self.report.stopped {
            let from = rows.read_so_far().0;
            let Some(window) = rows.window(options, options.window_rows(), self.observer)? else {
                break;
            };
            if let Some(finished) = finished
                && self.report.writes > 0
            {
                checkpoint.save(self.cx, lease, finished).await?;
            }
            let (bytes, hash) = rows.read_so_far();
            self.report.rows = rows.count;
            self.report.rejected += std::mem::take(&mut rows.rejected);
            self.window(window, (from, bytes)).await?;
            finished = Some(Finished {
                rows: rows.count,
                bytes,
                hash,
            });
        }
        Ok(())
    }

    /// Writes one window; ends with nothing in flight.
    async fn window(&mut self, rows: Vec<Row>, bytes: (u64, u64)) -> Result<()> {
        let model = &*self.writing.graph.model;
        let (mut chunks, repeated) = pack(model, self.writing.relation, rows);
        self.report.repeated += repeated;
        let (all, mut done) = (chunks.len() as u64, 0_u64);
        let mut flight: Flight<'_, Vec<u32>, Result<Written>> = Flight::new();
        let mut failed = None;
        let last = chunks.iter().flat_map(|chunk| &chunk.items).max();
        let mut busy = vec![false; last.map_or(0, |last| *last as usize + 1)];
        loop {
            while failed.is_none()
                && !self.report.stopped
                && flight.len() < self.options.in_flight.max(1)
            {
                let Some(chunk) = take_apart(&mut chunks, &busy) else {
                    break;
                };
                let items = chunk.items.clone();
                mark(&mut busy, &items, true);
                flight.launch(items, Box::pin(self.writing.write(self.cx, chunk)));
            }
            let Some((items, result)) = flight.land().await else {
                break;
            };
            mark(&mut busy, &items, false);
            match result {
                // Those in flight are waited for: what they did is not left in doubt.
                Err(error) => failed = failed.or(Some(error)),
                Ok(written) => {
                    self.add(written);
                    done += 1;
                    let read = bytes.0 + (bytes.1 - bytes.0) * done / all;
                    self.tell(read);
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }

    fn add(&mut self, written: Written) {
        let report = &mut self.report;
        report.created += written.created;
        report.existing += written.existing;
        report.transactions += written.transactions;
        report.writes += written.receipts[0].requests;
        report.rejected += written.rejects.len() as u64;
        for reject in &written.rejects {
            self.observer.rejected(reject);
        }
        for receipt in written.receipts {
            add_receipt(&mut report.receipts, receipt);
        }
    }

    fn tell(&mut self, bytes_read: u64) {
        let env = &self.writing.graph.env;
        self.observer.progress(&Progress {
            bytes_read,
            bytes_total: self.total,
            rows: self.report.rows,
            created: self.report.created,
            existing: self.report.existing,
            rejected: self.report.rejected,
            elapsed: env.monotonic().saturating_duration_since(self.started),
        });
        self.report.stopped |= self.observer.stop();
    }
}

fn add_receipt(receipts: &mut Vec<Receipt>, receipt: Receipt) {
    if receipt.requests == 0 {
        return;
    }
    match receipts
        .iter_mut()
        .find(|r| r.operation == receipt.operation)
    {
        Some(same) => same.absorb(&receipt),
        None => receipts.push(receipt),
    }
}

fn mark(busy: &mut [bool], items: &[u32], state: bool) {
    for item in items {
        busy[*item as usize] = state;
    }
}

/// The next chunk that shares no item with those in flight. When none of those at hand does, one has to land first.
fn take_apart(chunks: &mut VecDeque<Chunk>, busy: &[bool]) -> Option<Chunk> {
    let apart = |chunk: &Chunk| chunk.items.iter().all(|item| !busy[*item as usize]);
    let at = chunks.iter().take(LOOK_AHEAD).position(apart)?;
    chunks.remove(at)
}
