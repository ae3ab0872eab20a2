//! Texts made to hurt: none may take long, overflow the stack or panic.

use crate::support::{condition, item, projection, update};
use bothways_core::ValueRef;
use bothways_core::expr::{
    ExprError, Fault, Kind, Names, UpdateError, Values, parse_condition, parse_projection,
    parse_update,
};
use proptest::prelude::*;
use serde_json::json;
use std::time::{Duration, Instant};

/// Far above what any of these takes on a busy machine, far below what exponential work would.
const BOUND: Duration = Duration::from_secs(20);

fn fault(text: &str) -> Fault {
    match condition(text, const { &Names::new() }, const { &Values::new() }) {
        Ok(_) => panic!("{text} is accepted"),
        Err(ExprError { fault, .. }) => fault,
    }
}

/// A quarter of a usual thread's stack, so that depth shows.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let started = Instant::now();
    let thread = std::thread::Builder::new()
        .stack_size(512 * 1024)
        .spawn(work)
        .unwrap();
    thread.join().unwrap();
    assert!(started.elapsed() < BOUND, "{:?}", started.elapsed());
}

/// Source of the answers: ScyllaDB's `test_limits.py`, measured on AWS.
#[test]
fn deep_conditions_get_their_errors() {
    on_a_small_stack(|| {
        assert_eq!(
            fault(&"(".repeat(100_000)),
            Fault::TooLong { bytes: 100_000 }
        );
        assert!(
            matches!(fault(&"(".repeat(4096)), Fault::Syntax { token, .. } if token == "<EOF>")
        );
        let nested = format!("{}a<b{}", "(".repeat(2046), ")".repeat(2046));
        assert_eq!(fault(&nested), Fault::RedundantParentheses);
        let many = Fault::TooManyOperators { count: 301 };
        assert_eq!(fault(&format!("{}a<b", "not ".repeat(1000))), many);
        assert_eq!(
            fault(&format!("{}a<b{}", "NOT(".repeat(1000), ")".repeat(90))),
            many
        );
        assert_eq!(
            fault(&format!(
                "a<b {}{}",
                "or (a<b ".repeat(454),
                ")".repeat(454)
            )),
            many
        );
        assert_eq!(fault(&format!("a<b {}", "or a<b ".repeat(584))), many);
        assert_eq!(fault(&format!("a<b {}", "and a<b ".repeat(500))), many);
        let calls = |name: &str, depth: usize| {
            fault(&format!(
                "a < {}b{}",
                format!("{name}(").repeat(depth),
                ")".repeat(depth)
            ))
        };
        assert_eq!(
            calls("f", 1355),
            Fault::UnknownFunction {
                function: "f".into()
            }
        );
        assert_eq!(
            calls("f", 200),
            Fault::UnknownFunction {
                function: "f".into()
            }
        );
        let size = Fault::OperandType {
            operator: "size",
            operand_type: "N",
        };
        assert_eq!(calls("size", 680), size);
        assert_eq!(calls("size", 200), size);
        assert!(matches!(
            fault(&format!("a{} = b", ".b".repeat(2000))),
            Fault::PathTooDeep { .. }
        ));
        assert!(matches!(
            fault(&format!("a{} = b", "[0]".repeat(1300))),
            Fault::PathTooDeep { .. }
        ));
        assert!(matches!(
            fault(&format!("a in ({}b)", "b,".repeat(2000))),
            Fault::TooManyInOperands { .. }
        ));
    });
}

#[test]
fn the_most_that_is_allowed_works() {
    on_a_small_stack(|| {
        let names = Names::new();
        let values = crate::support::values(&json!({ ":v": {"N": "1"} }));
        let item = item(&json!({ "a": {"N": "0"}, "b": {"N": "1"} }));
        for text in [
            format!("{}a<b", "not ".repeat(299)),
            format!("{}a<b{}", "NOT(".repeat(299), ")".repeat(299)),
            format!("a<b {}{}", "or (a<b ".repeat(149), ")".repeat(149)),
            format!("a<b {}{}", "and (a<b ".repeat(149), ")".repeat(149)),
            format!(
                "attribute_exists(a){}{}",
                "and(attribute_exists(a)".repeat(160),
                ")".repeat(160)
            ),
        ] {
            let text: &'static str = text.leak();
            let condition =
                condition(text, const { &Names::new() }, const { &Values::new() }).unwrap();
            let nots = text.matches("not ").count() + text.matches("NOT(").count();
            assert_eq!(condition.matches(Some(&item)), nots.is_multiple_of(2));
            assert_eq!(&condition.clone(), &condition);
        }
        let text = format!(
            "SET a = {}:v{}",
            "if_not_exists(c,".repeat(235),
            ")".repeat(235)
        );
        assert!(text.len() < 4096);
        let update = update(&text, &names, &values).unwrap();
        assert!(update.apply(Some(&item), &item).is_ok());
    });
}

#[test]
fn long_updates_and_projections_are_quick() {
    on_a_small_stack(|| {
        let names = Names::new();
        let values = Values::new();
        let list = (0..800)
            .rev()
            .map(|i| format!("l[{i}]"))
            .collect::<Vec<_>>();
        let text = format!("REMOVE {}", list[..500].join(","));
        let old = item(&json!({ "l": {"L": vec![json!({"NULL": true}); 100_000]} }));
        let made = update(&text, &names, &values)
            .unwrap()
            .apply(Some(&old), &old)
            .unwrap();
        let left = made.get("l").map(ValueRef::measure);
        assert_eq!(left, Some(Some(99_500)));
        let text = list[..500].join(",");
        let part = projection(&text, &names).unwrap().apply(&old);
        assert_eq!(part.get("l").map(ValueRef::measure), Some(Some(500)));

        let wide = (0..1300)
            .map(|i| format!("{}{}", ["a", "b", "c"][i % 3], i / 3))
            .collect::<Vec<_>>();
        let text = wide[..850].join(",");
        assert!(projection(&text, &names).is_ok());
        let text = format!("REMOVE {},a0", wide[..840].join(","));
        let error = update(&text, &names, &values).unwrap_err();
        assert!(matches!(error.fault, Fault::OverlappingPaths { .. }));
        let text = format!(
            "SET {}",
            (0..600).map(|i| format!("q.a{i}=b")).collect::<Vec<_>>()[..400].join(",")
        );
        let failed = update(&text, &names, &values)
            .unwrap()
            .apply(Some(&old), &old);
        assert_eq!(failed, Err(UpdateError::MissingAttribute));
    });
}

/// A thousand long values from a short text would be gigabytes.
#[test]
fn updates_that_multiply_are_refused_before_they_are_built() {
    on_a_small_stack(|| {
        let names = Names::new();
        let list = json!({"L": vec![json!({"NULL": true}); 20_000]});
        let values =
            crate::support::values(&json!({ ":l": list, ":v": {"S": "x".repeat(380_000)} }));
        let old = item(&json!({ "l": list }));
        let all = |operand: &str| {
            let sets: Vec<_> = (0..180).map(|i| format!("a{i}={operand}")).collect();
            format!("SET {}", sets.join(","))
        };
        for text in [
            all("list_append(l,:l)"),
            all("l"),
            all(":v"),
            "SET a = list_append(list, :l)".replace("list,", "if_not_exists(q, :l),") + ", b = :v",
        ] {
            let made = update(&text, &names, &values)
                .unwrap()
                .apply(Some(&old), &old);
            assert_eq!(made, Err(UpdateError::TooLarge), "{}", &text[..30]);
        }
    });
}

fn token() -> impl Strategy<Value = String> {
    let words = [
        "a",
        "b.c",
        "#n",
        ":v",
        "(",
        ")",
        "((",
        "))",
        "[",
        "]",
        "[0]",
        ".",
        ",",
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
        "+",
        "-",
        "AND",
        "or",
        "NOT",
        "in",
        "BETWEEN",
        "SET",
        "REMOVE",
        "ADD",
        "DELETE",
        "size(",
        "if_not_exists(",
        "list_append(",
        "contains(",
        "f(",
        "0",
        "99999999999",
        "#",
        ":",
        "_",
        "é",
        "\u{0}",
        "status",
        "\"",
    ];
    prop_oneof![
        20 => proptest::sample::select(words.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{0,4}",
    ]
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(tokens in proptest::collection::vec(token(), 0..60), space in "[ \t]?") {
        let text = tokens.join(&space);
        let names = Names::from([("#n".to_owned(), "n".to_owned())]);
        let values = crate::support::values(&json!({ ":v": {"N": "1"} }));
        let item = item(&json!({ "a": {"N": "0"}, "b": {"M": {"c": {"L": []}}} }));
        for result in [
            parse_condition(Kind::Condition, &text).map(drop),
            parse_update(&text).map(drop),
            parse_projection(&text).map(drop),
        ] {
            if let Err(ExprError { fault: Fault::Syntax { position, near, .. }, .. }) = result {
                prop_assert!(position <= text.len());
                prop_assert!(text.contains(&near));
            }
        }
        if let Ok(condition) = condition(&text, &names, &values) {
            condition.matches(Some(&item));
            condition.matches(None);
        }
        if let Ok(update) = update(&text, &names, &values) {
            let _ = update.apply(Some(&item), &item);
        }
        if let Ok(projection) = projection(&text, &names) {
            projection.apply(&item);
        }
    }
}
