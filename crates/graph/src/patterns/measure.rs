//! What requests really were: seen on their way, with the sizes of the items and the units of the answers.

use super::{Asked, plans};
use crate::check::Plan;
use crate::model::{Access, Model, Pattern};
use bothways_core::Item;
use bothways_protocol::types::{ConsumedCapacity, Units};
use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, Request, Response};
use std::sync::{Arc, Mutex, PoisonError};

/// By how much an estimate may be off: it is made from the average size of the items, in whole blocks.
const ROUNDING: f64 = 1.0;

/// Watches requests pass.
pub(super) struct Meter {
    inner: Arc<dyn DynamoDb>,
    seen: Mutex<Vec<Asked>>,
}

impl Meter {
    pub(super) fn over(inner: Arc<dyn DynamoDb>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            seen: Mutex::default(),
        })
    }

    /// Forgets what was seen.
    pub(super) fn begin(&self) {
        drop(self.take());
    }

    /// What was seen: the pages of one list are one.
    pub(super) fn take(&self) -> Vec<Asked> {
        std::mem::take(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, asked: Asked) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push(asked);
    }
}

impl DynamoDb for Meter {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let mut asked = asked(&request);
            let answer = self.inner.call(cx, request).await;
            if let (Some(asked), Ok(response)) = (&mut asked, &answer) {
                answered(asked, response);
            }
            if let Some(asked) = asked {
                self.note(asked);
            }
            answer
        })
    }
}

/// What a request says of itself.
fn asked(request: &Request) -> Option<Asked> {
    let (index, consistent) = match request {
        Request::Query(input) => (input.index_name.clone(), Some(input.consistent_read)),
        Request::GetItem(input) => (None, Some(input.consistent_read)),
        _ => (None, None),
    };
    let words = |strong| if strong { "strong" } else { "eventual" };
    let (items, bytes) = match request {
        Request::TransactWriteItems(input) => {
            let put = input
                .transact_items
                .iter()
                .flatten()
                .find_map(|a| a.put.as_ref()?.item.as_ref());
            (None, put.map(|item| item.value.size() as u64))
        }
        _ => (None, None),
    };
    Some(Asked {
        operation: request.operation()?.name(),
        index,
        consistency: consistent.map(|c| words(c == Some(true))),
        requests: 1,
        items,
        bytes,
        read_units: 0.0,
        write_units: 0.0,
    })
}

fn answered(asked: &mut Asked, response: &Response) {
    let sum = |items: &[Item]| items.iter().map(|item| item.size() as u64).sum();
    match response {
        Response::Query(output) => {
            let items = output.items.as_deref().unwrap_or_default();
            asked.items = Some(items.len() as u64);
            asked.bytes = Some(sum(items));
            asked.read_units = units(output.consumed_capacity.as_ref());
        }
        Response::GetItem(output) => {
            asked.items = Some(u64::from(output.item.is_some()));
            asked.bytes = Some(output.item.as_ref().map_or(0, |item| item.size() as u64));
            asked.read_units = units(output.consumed_capacity.as_ref());
        }
        Response::UpdateItem(output) => {
            asked.write_units = units(output.consumed_capacity.as_ref());
        }
        Response::PutItem(output) => asked.write_units = units(output.consumed_capacity.as_ref()),
        Response::DeleteItem(output) => {
            asked.write_units = units(output.consumed_capacity.as_ref());
        }
        Response::TransactWriteItems(output) => {
            let all = output.consumed_capacity.iter().flatten();
            asked.write_units = all.map(|capacity| units(Some(capacity))).sum();
        }
        _ => {}
    }
}

fn units(capacity: Option<&ConsumedCapacity>) -> f64 {
    halves(
        capacity
            .and_then(|capacity| capacity.capacity_units)
            .unwrap_or_default(),
    )
}

#[allow(clippy::cast_precision_loss, reason = "units of one request are few")]
fn halves(units: Units) -> f64 {
    units.0 as f64 / 2.0
}

/// The proof for what was seen, and how the two differ.
pub(super) fn compare(
    model: &Model,
    pattern: &Pattern,
    seen: &[Asked],
) -> (Vec<Asked>, Vec<String>) {
    let items: u64 = seen.iter().filter_map(|asked| asked.items).sum();
    let bytes: u64 = seen.iter().filter_map(|asked| asked.bytes).sum();
    // A show reads the entity beside its edges, which the plan adds itself.
    let listed = match pattern.access {
        Access::Show(_) => items.saturating_sub(1),
        _ => items,
    };
    let plans = plans(model, pattern, listed, bytes.div_ceil(items.max(1)));
    let mut differences = Vec::new();
    if plans.len() != seen.len() {
        differences.push(format!(
            "{} requests were sent for {} planned",
            seen.len(),
            plans.len()
        ));
    }
    for (plan, asked) in plans.iter().zip(seen) {
        differ(plan, asked, &mut differences);
    }
    let (read, write) = plans.iter().fold((0.0, 0.0), |(read, write), plan| {
        (read + halves(plan.read), write + halves(plan.write))
    });
    let spent_read: f64 = seen.iter().map(|asked| asked.read_units).sum();
    let spent_write: f64 = seen.iter().map(|asked| asked.write_units).sum();
    for (what, planned, spent) in [("read", read, spent_read), ("write", write, spent_write)] {
        if (planned - spent).abs() > ROUNDING {
            differences.push(format!(
                "{spent} {what} units were used where {planned} were planned"
            ));
        }
    }
    (plans.iter().map(shown).collect(), differences)
}

fn differ(plan: &Plan, asked: &Asked, differences: &mut Vec<String>) {
    let planned = shown(plan);
    if planned.operation != asked.operation {
        differences.push(format!(
            "{} was sent for {}",
            asked.operation, planned.operation
        ));
    }
    if planned.index != asked.index {
        let name = |index: &Option<String>| index.clone().unwrap_or_else(|| "the table".to_owned());
        differences.push(format!(
            "it read {} and not {}",
            name(&asked.index),
            name(&planned.index)
        ));
    }
    if planned.consistency != asked.consistency {
        let word = |consistency: Option<&'static str>| consistency.unwrap_or("no");
        differences.push(format!(
            "its consistency was {} and not {}",
            word(asked.consistency),
            word(planned.consistency)
        ));
    }
}

fn shown(plan: &Plan) -> Asked {
    Asked {
        operation: plan.operation.name(),
        index: plan.index.clone(),
        consistency: plan.consistency.map(crate::receipt::Consistency::as_str),
        requests: plan.requests,
        items: None,
        bytes: None,
        read_units: halves(plan.read),
        write_units: halves(plan.write),
    }
}
