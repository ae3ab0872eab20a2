//! Tables exported to buckets and imported from them. The buckets are given from outside: the engine knows no file.
//!
//! An export writes the table as it was at a time: the log of changes says which items were something else then, and
//! those are kept aside in the store while the files are written. An export that a restart cuts short begins anew. An
//! import fills a new table; its job row has the object and the record that it has come to.

mod export;
mod import;
mod names;

pub(crate) use export::Exports;
pub(crate) use import::Imports;
