//! Sample data: the guides' rows, and apart from them a celebrity and a full course.

use crate::error::Result;
use crate::graph::Graph;
use crate::receipt::Done;
use bothways_protocol::Context;

/// What loading the sample did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sampled {
    /// Entities put or changed.
    pub entities: u64,
    /// Edges made.
    pub created: u64,
    /// Edges that were there.
    pub existing: u64,
}

/// What a shipped model's sample holds, in one line; `None` for a model without one.
#[must_use]
pub fn sample_summary(model: &str) -> Option<&'static str> {
    match model {
        "follow" => Some("alice, bob, carol and dave; star with 2,500 followers"),
        "school" => Some("a91 in math204; phys101 with 2,500 students"),
        _ => None,
    }
}

impl Graph {
    /// Loads the shipped model's sample; again, it changes nothing.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn load_sample(&self, cx: &Context) -> Result<Done<Sampled>> {
        let _ = cx;
        todo!()
    }

    /// Deletes the model's table, makes it anew and loads the sample.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn reset(&self, cx: &Context) -> Result<Done<Sampled>> {
        let _ = cx;
        todo!()
    }
}
