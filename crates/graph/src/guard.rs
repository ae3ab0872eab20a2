//! Conditions on an item, and the changes beside them, with their names and values.

use crate::changes::Changes;
use crate::model::{Model, Relation};
use crate::requests::{EDIT_ID, OPERATION_ID, POSITION, VERSION};
use crate::shard::Part;
use bothways_core::{Number, Value};
use bothways_protocol::types::Given;
use bothways_protocol::types::Values;
use std::collections::BTreeMap;

/// A condition, and what an update sets and removes. Every placeholder has one meaning, so parts can be put together in
/// any order.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    conditions: Vec<String>,
    sets: Vec<String>,
    removes: Vec<String>,
    names: BTreeMap<String, String>,
    values: BTreeMap<String, Value>,
}

impl Guard {
    /// The item is there.
    pub(crate) fn exists(model: &Model) -> Self {
        let mut guard = Self::default();
        guard.name("#pk", &model.keys.pk);
        guard.conditions.push("attribute_exists(#pk)".into());
        guard
    }

    /// The item is not there.
    pub(crate) fn absent(model: &Model) -> Self {
        let mut guard = Self::default();
        guard.name("#pk", &model.keys.pk);
        guard.conditions.push("attribute_not_exists(#pk)".into());
        guard
    }

    fn name(&mut self, placeholder: &str, attribute: &str) {
        self.names
            .insert(placeholder.to_owned(), attribute.to_owned());
    }

    fn number(&mut self, placeholder: &str, number: u64) {
        self.values
            .insert(placeholder.to_owned(), Value::N(Number::from(number)));
    }

    fn text(&mut self, placeholder: &str, text: &str) {
        self.values
            .insert(placeholder.to_owned(), Value::S(text.to_owned()));
    }

    /// The edge is at or before this position.
    pub(crate) fn not_after(mut self, at: u64) -> Self {
        self.name("#at", POSITION);
        self.number(":at", at);
        self.conditions
            .push("(attribute_not_exists(#at) OR #at <= :at)".into());
        self
    }

    /// The edge has this version; one that was never changed has no attribute for it.
    pub(crate) fn version(mut self, version: u64) -> Self {
        self.name("#version", VERSION);
        self.number(":version", version);
        self.conditions.push(if version == 1 {
            "(attribute_not_exists(#version) OR #version = :version)".into()
        } else {
            "#version = :version".into()
        });
        self
    }

    /// The edge is in this part of its target's list.
    pub(crate) fn in_part(
        mut self,
        model: &Model,
        relation: &Relation,
        target: &str,
        part: Part,
    ) -> Self {
        if let Some(index) = model.index(&relation.inverse.index)
            && relation.shard.is_some()
        {
            self.name("#part", &index.keys.pk);
            self.text(":part", &part.partition(relation, target));
            self.conditions.push("#part = :part".into());
        }
        self
    }

    /// The edge is still the one that this operation made.
    pub(crate) fn made_by(mut self, op_id: Option<&str>) -> Self {
        self.name("#op", OPERATION_ID);
        if let Some(op_id) = op_id {
            self.text(":op", op_id);
            self.conditions.push("#op = :op".into());
        } else {
            self.conditions.push("attribute_not_exists(#op)".into());
        }
        self
    }

    /// Some of the changes would make a difference.
    pub(crate) fn differs(mut self, changes: &Changes) -> Self {
        let mut same = Vec::new();
        for (i, (name, value)) in changes.iter().enumerate() {
            self.name(&format!("#a{i}"), name);
            same.push(match value {
                Some(value) => {
                    self.values.insert(format!(":a{i}"), value.clone());
                    format!("#a{i} = :a{i}")
                }
                None => format!("attribute_not_exists(#a{i})"),
            });
        }
        self.conditions
            .push(format!("NOT ({})", same.join(" AND ")));
        self
    }

    /// Makes the changes.
    pub(crate) fn change(mut self, changes: &Changes) -> Self {
        for (i, (name, value)) in changes.iter().enumerate() {
            self.name(&format!("#a{i}"), name);
            if let Some(value) = value {
                self.values.insert(format!(":a{i}"), value.clone());
                self.sets.push(format!("#a{i} = :a{i}"));
            } else {
                self.removes.push(format!("#a{i}"));
            }
        }
        self
    }

    /// Counts the version up and notes who did.
    pub(crate) fn edit(mut self, op_id: &str) -> Self {
        self.name("#version", VERSION);
        self.number(":one", 1);
        self.sets
            .push("#version = if_not_exists(#version, :one) + :one".into());
        self.name("#edit", EDIT_ID);
        self.text(":edit", op_id);
        self.sets.push("#edit = :edit".into());
        self
    }

    /// The condition.
    pub(crate) fn condition(&self) -> Option<String> {
        (!self.conditions.is_empty()).then(|| self.conditions.join(" AND "))
    }

    /// The update expression.
    pub(crate) fn update(&self) -> Option<String> {
        let mut clauses = Vec::new();
        for (verb, parts) in [("SET", &self.sets), ("REMOVE", &self.removes)] {
            if !parts.is_empty() {
                clauses.push(format!("{verb} {}", parts.join(", ")));
            }
        }
        (!clauses.is_empty()).then(|| clauses.join(" "))
    }

    /// Names and values.
    pub(crate) fn placeholders(self) -> (BTreeMap<String, String>, Option<Given<Values>>) {
        let values = (!self.values.is_empty()).then(|| self.values.into());
        (self.names, values)
    }
}
