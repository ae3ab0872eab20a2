//! Reads: one item, or a page of a table or index. Query and Scan share one path: `plan` says which rows in
//! which order, `page` reads one page of them.

mod get;
mod page;
mod plan;
mod query;

pub(crate) use page::Reading;
pub(crate) use plan::Source;
