//! What a decoder has built so far.

use super::fault::{Fault, FaultKind, Given};
use super::scalar::Blob;
use crate::item::encode::Encoder;
use crate::item::read::tag;
use crate::{Item, ItemBuilder, Number, ValueType};
use bytes::Bytes;
use std::borrow::Cow;

/// What is being built, and the fault to report.
pub(super) struct State {
    builder: ItemBuilder,
    fault: Option<Box<Fault>>,
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            builder: ItemBuilder::new(),
            fault: None,
        }
    }

    pub(super) fn encoder(&mut self) -> &mut Encoder {
        self.builder.encoder()
    }

    pub(super) fn finish(self) -> Given<Item> {
        Given {
            value: self.builder.build(),
            fault: self.fault,
        }
    }

    /// Notes a fault, unless one is known that is reported before it.
    pub(super) fn note(&mut self, kind: FaultKind) {
        if self
            .fault
            .as_ref()
            .is_none_or(|known| kind.rank() < known.kind.rank())
        {
            let attribute = String::new();
            self.fault = Some(Box::new(Fault { kind, attribute }));
        }
    }

    /// Names the attribute of a fault that was just noted within it.
    pub(super) fn place_fault(&mut self, name: &str) {
        if let Some(fault) = &mut self.fault
            && fault.attribute.is_empty()
        {
            name.clone_into(&mut fault.attribute);
        }
    }

    pub(super) fn number(&mut self, text: &str) -> Number {
        Number::parse(text).unwrap_or_else(|error| {
            let text = text.to_owned();
            self.note(FaultKind::Number { text, error });
            Number::ZERO
        })
    }

    /// Members of a set in ascending order, each once; `None` where a fault was noted.
    fn members<T: Ord>(
        &mut self,
        kind: ValueType,
        sent: Vec<Option<T>>,
        duplicate: impl FnOnce(&[T]) -> FaultKind,
    ) -> Option<Vec<T>> {
        if sent.is_empty() {
            self.note(FaultKind::EmptySet(kind));
            return None;
        }
        let Some(members) = sent.into_iter().collect::<Option<Vec<T>>>() else {
            self.note(FaultKind::NullMember(kind));
            return None;
        };
        if members.windows(2).all(|pair| pair[0] < pair[1]) {
            return Some(members);
        }
        let mut order: Vec<&T> = members.iter().collect();
        order.sort_unstable();
        if order.windows(2).any(|pair| pair[0] == pair[1]) {
            let fault = duplicate(&members);
            self.note(fault);
            return None;
        }
        let mut members = members;
        members.sort_unstable();
        Some(members)
    }

    pub(super) fn string_set(&mut self, sent: Vec<Option<Cow<'_, str>>>) {
        let members = self.members(ValueType::Ss, sent, |members| {
            FaultKind::DuplicateStrings(members.iter().map(|m| m.clone().into_owned()).collect())
        });
        let members = members.unwrap_or_default();
        let bytes = members.iter().map(|member| member.as_bytes());
        self.encoder().set_of_bytes(tag::STRING_SET, bytes);
    }

    pub(super) fn number_set(&mut self, sent: Vec<Option<Cow<'_, str>>>) {
        let numbers = sent
            .into_iter()
            .map(|text| text.map(|text| self.number(&text)))
            .collect();
        let members = self.members(ValueType::Ns, numbers, |_| FaultKind::DuplicateNumbers);
        self.encoder()
            .set_of_numbers(members.unwrap_or_default().into_iter());
    }

    pub(super) fn binary_set(&mut self, sent: Vec<Option<Blob>>) {
        let sent = sent
            .into_iter()
            .map(|blob| blob.map(|blob| blob.0))
            .collect();
        let members = self.members(ValueType::Bs, sent, |members| {
            let members = members.iter().map(|member| Bytes::copy_from_slice(member));
            FaultKind::DuplicateBinaries(members.collect())
        });
        let members = members.unwrap_or_default();
        let bytes = members.iter().map(Vec::as_slice);
        self.encoder().set_of_bytes(tag::BINARY_SET, bytes);
    }
}
