//! The bothways binary: parses arguments, wires the rest together, prints.

fn main() {}
