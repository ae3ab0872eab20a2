//! The core against recorded answers of AWS, and against laws that hold for every value.

mod item;
mod json;
mod key;
mod number;
mod support;
