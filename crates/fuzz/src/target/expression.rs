//! Every kind of expression: text to tree and back, bound, and carried out on an item.

use super::text;
use crate::shape::{both, shape};
use bothways_core::expr::{
    Binder, ExprError, Fault, Kind, Names, Printed, Values, parse_condition, parse_projection,
    parse_update,
};
use bothways_core::{Item, KeySchema, ScalarType, json};
use std::sync::LazyLock;

/// What expressions are carried out on, and what their placeholders stand for.
pub(super) static ITEM: LazyLock<Item> = LazyLock::new(|| {
    item(
        r#"{"pk":{"S":"x"},"sk":{"N":"7"},"a":{"N":"1"},"b":{"S":"text"},"x":{"B":"AAE="},"t":{"BOOL":true},"z":{"NULL":true},
        "ss":{"SS":["a","b"]},"ns":{"NS":["1","2"]},"l":{"L":[{"N":"0"},{"L":[{"S":"deep"}]},{"M":{"a":{"N":"3"}}}]},
        "m":{"M":{"a":{"M":{"b":{"S":"c"}}},"l":{"L":[]}}}}"#,
    )
});
static KEY: LazyLock<Item> = LazyLock::new(|| ITEM.only(&["pk", "sk"]));
static NAMES: LazyLock<Names> = LazyLock::new(|| {
    [
        ("#n", "a"),
        ("#s", "status"),
        ("#m", "m"),
        ("#k", "pk"),
        ("#p", "pk"),
    ]
    .map(|(key, name)| (key.to_owned(), name.to_owned()))
    .into()
});
static VALUES: LazyLock<Values> = LazyLock::new(|| {
    let values = item(
        r#"{":s":{"S":"x"},":v":{"S":"text"},":n":{"N":"1"},":b":{"B":"AAE="},":ss":{"SS":["a","c"]},":ns":{"NS":["2"]},
        ":bs":{"BS":["AA=="]},":l":{"L":[{"S":"e"}]},":m":{"M":{"k":{"N":"1"}}},":t":{"BOOL":true},":z":{"NULL":true},":e":{"S":""}}"#,
    );
    let values = values
        .iter()
        .map(|(name, value)| (name.to_owned(), value.to_value()));
    values.collect()
});

fn item(text: &str) -> Item {
    json::item_from_slice(text.as_bytes())
        .map(|given| given.value)
        .unwrap_or_default()
}

/// A placeholder map as a request gives it: none where it would be empty.
fn given<T: IntoIterator + Default>(map: &T) -> Option<&T>
where
    for<'a> &'a T: IntoIterator,
{
    map.into_iter().next().is_some().then_some(map)
}

fn binder<'a>(names: &'a Names, values: &'a Values) -> Binder<'a> {
    Binder::new(given(names), given(values)).expect("the placeholders are well formed")
}

/// A text that was printed is refused for its length and the like only: it has more brackets and longer
/// placeholders than what it was made from.
fn for_its_size(error: &ExprError) -> bool {
    matches!(
        error.fault,
        Fault::TooLong { .. } | Fault::TooManyOperators { .. } | Fault::TooDeep
    )
}

/// A printed tree is read as the same tree, or, where a name had to become a placeholder, as one that prints the same.
fn read_again<T: PartialEq + std::fmt::Debug>(
    tree: &T,
    printed: &Printed,
    again: Result<T, ExprError>,
    print: impl Fn(&T) -> Printed,
) {
    let text = &printed.text;
    match again {
        Ok(again) if printed.names.is_empty() => assert_eq!(&again, tree, "printed as {text}"),
        Ok(again) => assert_eq!(&print(&again).text, text, "printed anew"),
        Err(error) => assert!(for_its_size(&error), "{text}: {error:?}"),
    }
}

/// An item that was made is one that can be stored and read back.
pub(super) fn sound(item: &Item) {
    let read = Item::from_bytes(item.bytes().clone());
    assert_eq!(read.as_ref(), Ok(item), "an item that was made is damaged");
}

fn error(error: &ExprError) -> u64 {
    shape(&format!("{:?}", error.fault))
}

pub(super) fn condition(input: &[u8]) -> u64 {
    let text = text(input);
    let parsed = match parse_condition(Kind::Condition, &text) {
        Ok(tree) => {
            let printed = Printed::condition(&tree);
            let again = parse_condition(Kind::Condition, &printed.text);
            read_again(&tree, &printed, again, Printed::condition);
            shape(&printed.text)
        }
        Err(fault) => error(&fault),
    };
    let bound = binder(&NAMES, &VALUES)
        .condition(Kind::Filter, &text)
        .map(|condition| {
            let outcomes = [condition.matches(Some(&ITEM)), condition.matches(None)];
            let printed = Printed::condition(condition.tree());
            match binder(&printed.names, &printed.values).condition(Kind::Filter, &printed.text) {
                Ok(again) => {
                    assert_eq!(
                        again.tree(),
                        condition.tree(),
                        "printed as {}",
                        printed.text
                    );
                    assert_eq!(
                        again.matches(Some(&ITEM)),
                        outcomes[0],
                        "printed as {}",
                        printed.text
                    );
                }
                Err(error) => assert!(for_its_size(&error), "{}: {error:?}", printed.text),
            }
            u64::from(outcomes[0]) * 2 + u64::from(outcomes[1])
        });
    both(parsed, bound.unwrap_or_else(|fault| error(&fault)))
}

pub(super) fn key_condition(input: &[u8]) -> u64 {
    let text = text(input);
    let condition = match binder(&NAMES, &VALUES).key_condition(&text) {
        Ok(condition) => condition,
        Err(fault) => return error(&fault),
    };
    let checked = condition.check();
    let schema = KeySchema::hash("pk", ScalarType::S).and_range("sk", ScalarType::N);
    let bound = condition.bind(&schema);
    assert!(
        checked.is_ok() || bound.is_err(),
        "refused, and bound after all"
    );
    shape(&format!("{bound:?}"))
}

pub(super) fn update(input: &[u8]) -> u64 {
    let text = text(input);
    // A clause that comes twice is parsed, and refused when it is bound; it is printed as one.
    if let Some(tree) = parse_update(&text)
        .ok()
        .filter(|tree| tree.repeated.is_none())
    {
        let printed = Printed::update(&tree.actions);
        let again = parse_update(&printed.text).map(|tree| tree.actions);
        read_again(&tree.actions, &printed, again, |actions| {
            Printed::update(actions)
        });
    }
    let update = match binder(&NAMES, &VALUES).update(&text) {
        Ok(update) => update,
        Err(fault) => return error(&fault),
    };
    let _ = (update.charge(), update.targets().count());
    let made = [Some(&*ITEM), None].map(|old| {
        let made = update.apply(old, &KEY);
        if let Ok(item) = &made {
            sound(item);
            sound(&update.touched(item));
            assert_eq!(&update.apply(old, &KEY), &made, "the same again");
        }
        shape(&format!("{:?}", made.as_ref().map(Item::len)))
    });
    both(
        shape(&Printed::update(update.actions()).text),
        both(made[0], made[1]),
    )
}

pub(super) fn projection(input: &[u8]) -> u64 {
    let text = text(input);
    if let Ok(paths) = parse_projection(&text) {
        let printed = Printed::projection(&paths);
        let again = parse_projection(&printed.text);
        read_again(&paths, &printed, again, |paths| Printed::projection(paths));
    }
    let projection = match binder(&NAMES, &VALUES).projection(&text) {
        Ok(projection) => projection,
        Err(fault) => return error(&fault),
    };
    let part = projection.apply(&ITEM);
    sound(&part);
    assert!(
        part.size() <= ITEM.size(),
        "a part is larger than the whole"
    );
    both(
        shape(&Printed::projection(projection.paths()).text),
        shape(&format!("{part:?}")),
    )
}
