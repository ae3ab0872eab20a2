//! The models that come with the program, and templates to start a model of one's own from.

use super::{Loaded, Model};

/// A model file that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The file.
    pub text: &'static str,
}

const SHIPPED: [Shipped; 6] = [
    Shipped {
        name: "follow",
        about: "actors follow actors",
        text: include_str!("../../../../models/follow.toml"),
    },
    Shipped {
        name: "school",
        about: "students enrol in courses, with grades on the edge",
        text: include_str!("../../../../models/school.toml"),
    },
    Shipped {
        name: "social",
        about: "follows, likes and friendships in one table",
        text: include_str!("../../../../models/social.toml"),
    },
    Shipped {
        name: "memberships",
        about: "users are members of groups, with a role on the edge",
        text: include_str!("../../../../models/memberships.toml"),
    },
    Shipped {
        name: "likes",
        about: "users like posts, newest last",
        text: include_str!("../../../../models/likes.toml"),
    },
    Shipped {
        name: "friendships",
        about: "one item for both friends",
        text: include_str!("../../../../models/friendships.toml"),
    },
];

/// Every shipped model file.
#[must_use]
pub fn shipped_models() -> &'static [Shipped] {
    &SHIPPED
}

/// A shipped model by name, loaded.
#[must_use]
pub fn shipped(name: &str) -> Option<Loaded> {
    let file = SHIPPED.iter().find(|s| s.name == name)?;
    Model::parse(&format!("models/{name}.toml"), file.text).ok()
}
