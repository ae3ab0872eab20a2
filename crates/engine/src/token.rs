//! Client request tokens of transactions: remembered for ten minutes, also over a restart.
//!
//! A token is two rows of its transaction's commit: one by token, to find it, one by time, to forget it.
//! Forgetting starts at a persisted mark, so that it never reads through what it removed before.

use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::{Meta, Range};
use bothways_core::key;
use bothways_protocol::Message;
use bothways_store::Seq;
use bytes::{Buf, BufMut, Bytes};
use std::ops::Bound;

/// How long a token is remembered, milliseconds. Source: API Reference, TransactWriteItems.
pub(crate) const TOKEN_MILLIS: u64 = 10 * 60 * 1000;

/// Identifies what a token was used for: SHA-256 of the normalised request.
pub(crate) type Digest = [u8; 32];

/// A request's token: its row key, which is locked like an item's, and what it is used for.
#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) key: Vec<u8>,
    digest: Digest,
}

/// What is known of a token.
#[derive(Debug)]
pub(crate) struct Known {
    /// The commit of its transaction; 0 when durable.
    pub(crate) seq: Seq,
}

impl Token {
    pub(crate) fn new(namespace: &str, token: &str, digest: Digest) -> Self {
        let mut key = Meta::Token.key();
        key::push_terminated(&mut key, namespace.as_bytes());
        key::push_terminated(&mut key, token.as_bytes());
        Self { key, digest }
    }

    /// The rows that remember it.
    pub(crate) fn rows(&self, now: u64) -> [(Vec<u8>, Vec<u8>); 2] {
        let mut value = Vec::with_capacity(40);
        value.put_u64(now);
        value.put_slice(&self.digest);
        [
            (self.key.clone(), value),
            (time_key(now, &self.key), Vec::new()),
        ]
    }
}

fn time_key(time: u64, token_key: &[u8]) -> Vec<u8> {
    let mut out = Meta::TokenTime.key();
    out.put_u64(time);
    out.put_slice(token_key);
    out
}

impl Inner {
    /// Whether the token was used less than ten minutes ago; an error when it was for something else.
    /// The caller holds the token's lock.
    pub(crate) fn known(&self, token: &Token, now: u64) -> Result<Option<Known>, Fault> {
        let latest = self.store.latest(&token.key)?;
        let Some(mut row) = latest.value.filter(|row| row.len() >= 8) else {
            return Ok(None);
        };
        if row.get_u64() + TOKEN_MILLIS <= now {
            return Ok(None);
        }
        if row[..] != token.digest {
            return Err(Message::TokenMismatch.into());
        }
        Ok(Some(Known { seq: latest.seq }))
    }

    /// Forgets up to `limit` tokens older than ten minutes; true while there may be more.
    pub(crate) fn expire_tokens(&self, limit: usize) -> Result<bool, Fault> {
        let now = self.options.clock.now_millis();
        let Some(horizon) = now.checked_sub(TOKEN_MILLIS) else {
            return Ok(false);
        };
        let snapshot = self.store.snapshot()?;
        let mark = snapshot.get(&Meta::TokenMark.key())?;
        let from = match mark {
            Some(key) => Bound::Excluded(key),
            None => Range::prefix(Meta::TokenTime.key()).from,
        };
        let to = Bound::Excluded(Bytes::from(time_key(horizon + 1, &[])));
        let range = Range { from, to };
        let (from, to) = range.bounds();
        let rows = snapshot.range(from, to, false).take(limit);
        let old = rows
            .map(|row| Ok(row?.0))
            .collect::<Result<Vec<Bytes>, Fault>>()?;
        drop(snapshot);
        let Some(last) = old.last().cloned() else {
            return Ok(false);
        };
        self.forget(&old, &last)?;
        Ok(old.len() == limit)
    }

    /// Removes both rows of these tokens (given by their rows by time) and moves the mark.
    fn forget(&self, old: &[Bytes], mark: &Bytes) -> Result<(), Fault> {
        let prefix = Meta::TokenTime.key().len();
        let tokens = old.iter().filter_map(|row| {
            let mut rest = row.get(prefix..)?;
            let time = (rest.len() >= 8).then(|| rest.get_u64())?;
            Some((time, rest))
        });
        let tokens: Vec<(u64, &[u8])> = tokens.collect();
        let held = self.stripes.lock(tokens.iter().map(|(_, key)| *key))?;
        let mut gone = Vec::new();
        for (time, key) in tokens {
            // A token used again after it expired has a younger row, which stays.
            let row = self.store.latest(key)?.value;
            if row.is_some_and(|mut row| row.len() >= 8 && row.get_u64() == time) {
                gone.push(Bytes::copy_from_slice(key));
            }
        }
        let ticket = self.store.submit(&mut |_, batch| {
            for row in old {
                batch.delete(row.clone());
            }
            for key in &gone {
                batch.delete(key.clone());
            }
            batch.put(Meta::TokenMark.key(), mark.clone());
        })?;
        drop(held);
        Ok(ticket.wait()?)
    }
}
