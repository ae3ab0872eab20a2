//! Which keys WHERE clauses select.

use bothways_core::partiql::{Access, KeyFault, Keyed, Parsed, Select, Statement};
use bothways_core::{KeySchema, ScalarType};
use std::fmt::Write as _;

fn schema() -> KeySchema {
    KeySchema::hash("h", ScalarType::S).and_range("r", ScalarType::N)
}

fn with_select<T>(condition: &str, then: impl FnOnce(&Select<'_>) -> T) -> T {
    let text = format!("SELECT * FROM t WHERE {condition}");
    let parsed = Parsed::read(&text).unwrap();
    match parsed.bind(&[]).unwrap() {
        Statement::Select(select) => then(&select),
        _ => panic!("{condition} is no SELECT"),
    }
}

/// `h=a r=1 +2f` for a branch of two more filters; `~` an open one, `!` one that selects nothing.
fn access(condition: &str) -> Result<String, KeyFault> {
    with_select(condition, |select| {
        let schema = schema();
        let branches = match Access::of(select.condition.as_ref(), &schema)? {
            Access::Scan => return Ok("scan".to_owned()),
            Access::Keyed(branches) => branches,
        };
        let mut out = Vec::new();
        for branch in branches {
            let mut line = branch.hash.as_ref().as_str().unwrap().to_owned();
            if let Some(equal) = branch.equal {
                write!(line, "={}", equal.as_ref().as_number().unwrap()).unwrap();
            }
            for _ in &branch.ranges {
                line.push('<');
            }
            for _ in &branch.filters {
                line.push('+');
            }
            line.push_str(if branch.open { "~" } else { "" });
            line.push_str(if branch.never { "!" } else { "" });
            out.push(line);
        }
        Ok(out.join(" "))
    })
}

#[test]
fn clauses_become_branches_or_scans() {
    let cases: &[(&str, &str)] = &[
        ("h = 'a'", "a"),
        ("'a' = h", "a"),
        ("h = 'a' AND r = 1", "a=1"),
        ("h = 'a' AND r > 1", "a<"),
        ("1 < r AND h = 'a' AND r < 5", "a<<"),
        ("h = 'a' AND r BETWEEN 1 AND 2 AND x = 1", "a<+"),
        ("h = 'a' AND r = 1 AND r > 0", "a=1+"),
        ("h = 'a' AND r <> 1", "a+~"),
        ("h = 'a' AND NOT (r = 1 OR x = 2)", "a+~"),
        ("h = 'a' AND (x = 1 OR y = 2)", "a+"),
        ("h = 'a' AND (r = 1 OR r = 2)", "a=1 a=2"),
        ("h IN ['a', 'b'] AND r IN [1, 2]", "a=1 a=2 b=1 b=2"),
        ("(h = 'a' OR h = 'b') AND x = 1", "a+ b+"),
        ("h = 'a' AND h = 'a'", "a"),
        ("h = 'a' AND h = 'b'", "a!"),
        ("h = 'a' AND r = 1 AND r = 1.0", "a=1"),
        ("h > 'a'", "scan"),
        ("h.x = 'a'", "scan"),
        ("NOT h = 'a'", "scan"),
        ("h = 'a' OR x = 1", "scan"),
        ("h = x", "scan"),
        ("r = 1", "scan"),
        ("h > 1", "scan"),
    ];
    for (condition, branches) in cases {
        assert_eq!(access(condition).as_deref(), Ok(*branches), "{condition}");
    }
    let of_type = |name: &str| Err(KeyFault::Type { name: name.into() });
    assert_eq!(access("h = 1"), of_type("h"));
    assert_eq!(access("h = 'a' AND r > 'x'"), of_type("r"));
    let many: Vec<String> = (0..51).map(|i| format!("'{i}'")).collect();
    let many = format!("h IN [{}]", many.join(","));
    assert_eq!(access(&many), Err(KeyFault::TooManyReads));
}

#[test]
fn the_work_is_bounded_before_it_is_done() {
    // Two to the fortieth branches, were they all made.
    let ors = ["(r = 1 OR r = 2)"; 40].join(" AND ");
    assert_eq!(
        access(&format!("h = 'a' AND {ors}")),
        Err(KeyFault::TooManyReads)
    );
}

#[test]
fn writes_name_one_item() {
    let rest = |condition: &str, lenient| {
        with_select(condition, |select| {
            Keyed::of(select.condition.as_ref(), &schema(), lenient).map(|keyed| keyed.rest.len())
        })
    };
    assert_eq!(rest("h = 'a' AND r = 1", false), Ok(0));
    assert_eq!(
        rest("x = 1 AND (1 = r AND h = 'a') AND y = 2", false),
        Ok(2)
    );
    assert_eq!(rest("h = 'a'", false), Err(KeyFault::Incomplete));
    assert_eq!(rest("h = 'a' OR r = 1", false), Err(KeyFault::Incomplete));
    assert_eq!(
        rest("h IN ['a'] AND r = 1", false),
        Err(KeyFault::Incomplete)
    );
    let twice = "h = 'a' AND r = 1 AND h = 'b'";
    assert_eq!(
        rest(twice, false),
        Err(KeyFault::Twice { name: "h".into() })
    );
    assert_eq!(rest(twice, true), Ok(1));
    let wrong = rest("h = 2 AND r = 1", false);
    assert_eq!(wrong, Err(KeyFault::Type { name: "h".into() }));
}
