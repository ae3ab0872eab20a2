//! Whether two kinds of items could have the same key, or stand in one another's lists.

use super::Findings;
use crate::keys::Template;
use crate::model::{KeyTemplates, Model};
use crate::requests::index_keys;

/// A kind of row in the table or in an index.
struct Rows<'m> {
    path: String,
    what: String,
    pk: &'m Template,
    sk: &'m Template,
    /// Listed by the fixed text before its first slot.
    listed: bool,
}

pub(super) fn check(model: &Model, found: &mut Findings<'_>) {
    let base = base_rows(model);
    same_key(&base, found);
    mixed_lists(&base, found);
    for index in &model.indexes {
        mixed_lists(&index_rows(model, &index.name, &base), found);
    }
}

fn base_rows(model: &Model) -> Vec<Rows<'_>> {
    let entities = model.entities.iter().map(|e| Rows {
        path: format!("entity.{}.key", e.name),
        what: format!("entity {}", e.name),
        pk: &e.key.pk,
        sk: &e.key.sk,
        listed: false,
    });
    let relations = model.relations.iter().map(|r| Rows {
        path: format!("relation.{}.key", r.name),
        what: format!("relation {}", r.name),
        pk: &r.key.pk,
        sk: &r.key.sk,
        listed: true,
    });
    entities.chain(relations).collect()
}

/// What stands in an index: what has keys there; in a plain inverted one, every item of the table.
fn index_rows<'m>(model: &'m Model, name: &str, base: &[Rows<'m>]) -> Vec<Rows<'m>> {
    if model
        .index(name)
        .is_some_and(|i| model.is_plain_inverted(i))
    {
        let swapped = base.iter().map(|row| Rows {
            path: row.path.clone(),
            what: row.what.clone(),
            pk: row.sk,
            sk: row.pk,
            listed: row.listed,
        });
        return swapped.collect();
    }
    let row = |path: String, what: String, keys: &'m KeyTemplates, listed| Rows {
        path,
        what,
        pk: &keys.pk,
        sk: &keys.sk,
        listed,
    };
    let entities = model.entities.iter().filter_map(|e| {
        let indexed = e.indexed.as_ref().filter(|k| k.index == name)?;
        let path = format!("entity.{}.indexed", e.name);
        Some(row(
            path,
            format!("entity {}", e.name),
            &indexed.keys,
            false,
        ))
    });
    let mut rows: Vec<Rows<'m>> = entities.collect();
    for relation in &model.relations {
        for (side, keys) in ["inverse", "forward"].into_iter().zip(index_keys(relation)) {
            if keys.index == name {
                let path = format!("relation.{}.{side}", relation.name);
                let what = format!("relation {}", relation.name);
                rows.push(row(path, what, &keys.keys, true));
            }
        }
        if let Some(shard) = &relation.shard
            && relation.inverse.index == name
        {
            rows.push(Rows {
                path: format!("relation.{}.shard", relation.name),
                what: format!("relation {}", relation.name),
                pk: &shard.pk,
                sk: &relation.inverse.keys.sk,
                listed: true,
            });
        }
    }
    rows
}

fn same_key(rows: &[Rows<'_>], found: &mut Findings<'_>) {
    for (i, row) in rows.iter().enumerate() {
        for other in &rows[..i] {
            if row.pk.meets(other.pk) && row.sk.meets(other.sk) {
                let message = format!(
                    "{} and {} could have the same key: {} / {} and {} / {}",
                    row.what, other.what, row.pk, row.sk, other.pk, other.sk
                );
                let hint = "begin the sort keys with different text".to_owned();
                found.problem(&row.path, message, hint);
            }
        }
    }
}

fn mixed_lists(rows: &[Rows<'_>], found: &mut Findings<'_>) {
    for row in rows.iter().filter(|r| r.listed) {
        for other in rows {
            // A relation's own forward and inverse rows differ in their partition; the same row meets itself.
            if std::ptr::eq(row, other) || !row.pk.meets(other.pk) {
                continue;
            }
            if other.sk.may_start_with(row.sk.prefix()) && !reported(row, other, found) {
                let message = format!(
                    "a list of {} would read items of {} too: {} begins with {:?}",
                    row.what,
                    other.what,
                    other.sk,
                    row.sk.prefix()
                );
                let hint = "part them by the text before the first slot, or by the partition key"
                    .to_owned();
                found.problem(&row.path, message, hint);
            }
        }
    }
}

/// Keys that could be the same are a problem of their own already.
fn reported(row: &Rows<'_>, other: &Rows<'_>, found: &Findings<'_>) -> bool {
    let pair = format!("{} and {} could", row.what, other.what);
    let turned = format!("{} and {} could", other.what, row.what);
    let problems = &found.report.problems;
    problems
        .iter()
        .any(|p| p.message.starts_with(&pair) || p.message.starts_with(&turned))
}
