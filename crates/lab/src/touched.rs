//! What a request touches: tables, keys, whether it writes.

use bothways_core::Item;
use bothways_protocol::Request;
use bothways_protocol::types::TransactWriteItem;

/// An item that a request writes.
#[derive(Debug, Clone)]
pub(crate) struct Touch {
    pub(crate) table: String,
    /// Its key, or a whole item that has it.
    pub(crate) key: Item,
    /// Whether `key` is the whole item as it will be.
    pub(crate) whole: bool,
}

fn touch(table: Option<&String>, key: Option<&Item>, whole: bool) -> Option<Touch> {
    Some(Touch {
        table: table?.clone(),
        key: key?.clone(),
        whole,
    })
}

fn action(action: &TransactWriteItem) -> Option<Touch> {
    if let Some(put) = &action.put {
        touch(
            put.table_name.as_ref(),
            put.item.as_ref().map(|g| &g.value),
            true,
        )
    } else if let Some(update) = &action.update {
        touch(
            update.table_name.as_ref(),
            update.key.as_ref().map(|g| &g.value),
            false,
        )
    } else if let Some(delete) = &action.delete {
        touch(
            delete.table_name.as_ref(),
            delete.key.as_ref().map(|g| &g.value),
            false,
        )
    } else {
        let check = action.condition_check.as_ref()?;
        touch(
            check.table_name.as_ref(),
            check.key.as_ref().map(|g| &g.value),
            false,
        )
    }
}

/// The items that a request writes or checks in a transaction.
pub(crate) fn written(request: &Request) -> Vec<Touch> {
    match request {
        Request::PutItem(input) => {
            let item = input.item.as_ref().map(|g| &g.value);
            touch(input.table_name.as_ref(), item, true)
                .into_iter()
                .collect()
        }
        Request::UpdateItem(input) => {
            let key = input.key.as_ref().map(|g| &g.value);
            touch(input.table_name.as_ref(), key, false)
                .into_iter()
                .collect()
        }
        Request::DeleteItem(input) => {
            let key = input.key.as_ref().map(|g| &g.value);
            touch(input.table_name.as_ref(), key, false)
                .into_iter()
                .collect()
        }
        Request::BatchWriteItem(input) => {
            let tables = input.request_items.iter().flatten();
            let all = tables.flat_map(|(table, writes)| {
                writes.iter().filter_map(move |write| {
                    let put = write.put_request.as_ref().and_then(|p| p.item.as_ref());
                    let delete = write.delete_request.as_ref().and_then(|d| d.key.as_ref());
                    let key = put.or(delete).map(|g| &g.value);
                    touch(Some(table), key, put.is_some())
                })
            });
            all.collect()
        }
        Request::TransactWriteItems(input) => input
            .transact_items
            .iter()
            .flatten()
            .filter_map(action)
            .collect(),
        _ => Vec::new(),
    }
}

/// The table that a read is about, its index, and whether it asks for what is newest. None for other requests.
pub(crate) struct Reading<'r> {
    pub(crate) table: &'r str,
    pub(crate) index: Option<&'r str>,
    pub(crate) strong: bool,
    /// Whether it reads more than one item outside a transaction.
    pub(crate) many: bool,
}

pub(crate) fn reading(request: &Request) -> Option<Reading<'_>> {
    Some(match request {
        Request::GetItem(input) => Reading {
            table: input.table_name.as_deref()?,
            index: None,
            strong: input.consistent_read == Some(true),
            many: false,
        },
        Request::Query(input) => Reading {
            table: input.table_name.as_deref()?,
            index: input.index_name.as_deref(),
            strong: input.consistent_read == Some(true),
            many: true,
        },
        Request::Scan(input) => Reading {
            table: input.table_name.as_deref()?,
            index: input.index_name.as_deref(),
            strong: input.consistent_read == Some(true),
            many: true,
        },
        Request::BatchGetItem(input) => {
            // Of several tables the weakest decides: the graph and its jobs read one.
            let tables = input.request_items.as_ref()?;
            let (table, _) = tables.first_key_value()?;
            Reading {
                table,
                index: None,
                strong: tables.values().all(|k| k.consistent_read == Some(true)),
                many: true,
            }
        }
        _ => return None,
    })
}
