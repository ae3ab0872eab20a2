//! Printing: data to standard output, talk to standard error, colour only where somebody looks.

mod edges;
mod paint;
mod progress;
mod screen;
mod table;
mod text;
mod when;

pub(crate) use edges::{arrow, attribute_cell, columns, edge_json, edge_table, item_json, since};
pub(crate) use paint::{Paint, Tint};
pub(crate) use progress::{Progress, rate, span};
pub(crate) use screen::{Screen, fault};
pub(crate) use table::Table;
pub(crate) use text::{plural, shell_word, thousands, title, visible};
pub(crate) use when::utc;
