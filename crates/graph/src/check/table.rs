//! Whether DynamoDB would make the table: its names, its keys, and how many indexes it has.

use super::Findings;
use crate::model::{KeyNames, Model, names_a_table};
use bothways_core::limits::{GLOBAL_INDEXES, KEY_NAME_BYTES, LOCAL_INDEXES};

const NAMES: &str = "3 to 255 of the letters a-z, A-Z, 0-9, underscore, dash and dot";

pub(super) fn check(model: &Model, found: &mut Findings<'_>) {
    if !names_a_table(&model.table) {
        let message = format!("{:?} cannot name a table", model.table);
        found.problem("table", message, NAMES.to_owned());
    }
    keys("keys", &model.keys, found);
    for index in &model.indexes {
        let path = format!("index.{}", index.name);
        if !names_a_table(&index.name) {
            let message = format!("{:?} cannot name an index", index.name);
            found.problem(&format!("{path}.name"), message, NAMES.to_owned());
        }
        keys(&path, &index.keys, found);
    }
    for (local, kind, most) in [
        (false, "global", GLOBAL_INDEXES),
        (true, "local", LOCAL_INDEXES),
    ] {
        let mut others = model.indexes.iter().filter(|index| index.local == local);
        if let Some(index) = others.nth(most) {
            let message = format!("a table has at most {most} {kind} indexes");
            found.problem(&format!("index.{}.name", index.name), message, None);
        }
    }
}

fn keys(path: &str, keys: &KeyNames, found: &mut Findings<'_>) {
    if keys.pk == keys.sk {
        let message = format!("{} is the partition key already", keys.sk);
        found.problem(&format!("{path}.sk"), message, None);
    }
    for (part, name) in [("pk", &keys.pk), ("sk", &keys.sk)] {
        if name.is_empty() || name.len() > KEY_NAME_BYTES {
            let message = format!(
                "the name of a key attribute has {} bytes, and 1 to {KEY_NAME_BYTES} are allowed",
                name.len()
            );
            found.problem(&format!("{path}.{part}"), message, None);
        }
    }
}
