//! Lists in the order of ids, walked side by side.

use super::peers::Peers;
use super::{From, SetOperation, before};
use crate::error::Result;
use crate::limits::{Cut, Spent};
use bothways_protocol::Context;

/// What comes next.
#[derive(Debug)]
pub(super) enum Step {
    /// An id that the lists agree on.
    Candidate(String),
    /// Nothing more.
    End,
    /// The budget is spent: where to go on.
    Cut(Cut, From),
}

/// Lists walked side by side.
pub(super) struct Merge<'g> {
    operation: SetOperation,
    lists: Vec<Peers<'g>>,
    /// Everything before this is decided.
    decided: From,
    /// Something has been read, so that every page gets on.
    moved: bool,
}

impl<'g> Merge<'g> {
    pub(super) fn new(operation: SetOperation, lists: Vec<Peers<'g>>, from: From) -> Self {
        Self {
            operation,
            lists,
            decided: from,
            moved: false,
        }
    }

    pub(super) async fn next(&mut self, cx: &Context, spent: &mut Spent<'_>) -> Result<Step> {
        let step = match self.operation {
            SetOperation::Intersect => self.common(cx, spent).await?,
            SetOperation::Union => self.any(cx, spent).await?,
            SetOperation::Difference => self.first_only(cx, spent).await?,
        };
        if let Step::Candidate(id) = &step {
            self.decided = From::After(id.clone());
        }
        Ok(step)
    }

    /// Whether to stop before reading a list further. The first page of each list is always read.
    fn cut(&self, at: usize, spent: &Spent<'_>) -> Option<Step> {
        if !self.moved || self.lists[at].is_known() {
            return None;
        }
        Some(Step::Cut(spent.cut()?, self.decided.clone()))
    }

    /// An id that all lists have: the greatest head is the next that can be one.
    async fn common(&mut self, cx: &Context, spent: &mut Spent<'_>) -> Result<Step> {
        loop {
            let mut greatest: Option<String> = None;
            let mut equal = true;
            for at in 0..self.lists.len() {
                if let Some(id) = &greatest {
                    self.lists[at].seek(id);
                }
                if let Some(cut) = self.cut(at, spent) {
                    return Ok(cut);
                }
                let Some(head) = self.lists[at].head(cx, spent).await? else {
                    return Ok(Step::End);
                };
                match &greatest {
                    Some(id) if id == head => {}
                    Some(_) => {
                        equal = false;
                        greatest = Some(head.to_owned());
                    }
                    None => greatest = Some(head.to_owned()),
                }
            }
            self.moved = true;
            let Some(id) = greatest else {
                return Ok(Step::End);
            };
            if equal {
                for list in &mut self.lists {
                    list.pop();
                }
                return Ok(Step::Candidate(id));
            }
            // Some list has nothing before it that it did not pass.
            for list in &mut self.lists {
                list.seek(&id);
            }
            self.decided = From::At(id);
        }
    }

    /// The least head.
    async fn any(&mut self, cx: &Context, spent: &mut Spent<'_>) -> Result<Step> {
        let mut least: Option<String> = None;
        for at in 0..self.lists.len() {
            if let Some(cut) = self.cut(at, spent) {
                return Ok(cut);
            }
            let Some(head) = self.lists[at].head(cx, spent).await? else {
                continue;
            };
            if least.as_ref().is_none_or(|least| before(head, least)) {
                least = Some(head.to_owned());
            }
        }
        self.moved = true;
        let Some(id) = least else {
            return Ok(Step::End);
        };
        for list in &mut self.lists {
            if list.head(cx, spent).await? == Some(&id) {
                list.pop();
            }
        }
        Ok(Step::Candidate(id))
    }

    /// A head of the first list that no other has.
    async fn first_only(&mut self, cx: &Context, spent: &mut Spent<'_>) -> Result<Step> {
        'next: loop {
            if let Some(cut) = self.cut(0, spent) {
                return Ok(cut);
            }
            let Some(head) = self.lists[0].head(cx, spent).await? else {
                return Ok(Step::End);
            };
            let id = head.to_owned();
            self.decided = From::At(id.clone());
            for at in 1..self.lists.len() {
                self.lists[at].seek(&id);
                if let Some(cut) = self.cut(at, spent) {
                    return Ok(cut);
                }
                if self.lists[at].head(cx, spent).await? == Some(&id) {
                    self.lists[0].pop();
                    self.moved = true;
                    self.decided = From::After(id);
                    continue 'next;
                }
            }
            self.moved = true;
            self.lists[0].pop();
            return Ok(Step::Candidate(id));
        }
    }
}
