//! Any request that can be read is printed and read back as itself: as JSON, as a command, in normal form. Names and
//! values are hostile to shells and to every language's quotes.
#![allow(clippy::unwrap_used, reason = "a test")]

use bothways_codegen::{Draft, Language};
use bothways_core::expr::Aliases;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

/// Text with what quotes, shells and templates stumble over.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,6}",
        r#"['"\\$`!#%{}\[\]()&|;<>*?~ /:@=,.^+-]{1,8}"#,
        "[\t\n\r\u{1}\u{7f}\u{e9}\u{65e5}\u{1f600}\u{2028}a]{1,5}",
        Just("${x} $(y) `z` %s \\u0041 #{a} it's \"b\"".to_owned()),
    ]
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        "-?[1-9][0-9]{0,37}",
        (1..999_i32, -120..120_i32).prop_map(|(digits, exponent)| format!("{digits}E{exponent}")),
        Just("0.1".to_owned()),
    ]
}

fn set(of: impl Strategy<Value = String>) -> impl Strategy<Value = Json> {
    proptest::collection::btree_set(of, 1..4).prop_map(|members| json!(members))
}

fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        text().prop_map(|text| json!({"S": text})),
        number().prop_map(|number| json!({"N": number})),
        any::<bool>().prop_map(|truth| json!({"BOOL": truth})),
        Just(json!({"NULL": true})),
        Just(json!({"B": "AAEC/w=="})),
        set(text()).prop_map(|texts| json!({"SS": texts})),
        set("[1-9][0-9]{0,3}").prop_map(|numbers| json!({"NS": numbers})),
        Just(json!({"BS": ["AA==", "/w=="]})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(|all| json!({"L": all})),
            vec((text(), inner), 0..3)
                .prop_map(|pairs| json!({"M": pairs.into_iter().collect::<Map<_, _>>()})),
        ]
    })
}

/// A key of two attributes, the second a number.
fn key() -> impl Strategy<Value = Json> {
    (text(), number())
        .prop_map(|(owner, number)| json!({"owner": {"S": owner}, "a b": {"N": number}}))
}

fn item() -> impl Strategy<Value = Json> {
    (key(), vec((text(), value()), 0..4)).prop_map(|(mut item, more)| {
        item.as_object_mut().unwrap().extend(more);
        item
    })
}

/// The shape of a condition; names and values are given to it as it is written.
#[derive(Debug, Clone)]
enum Shape {
    Compare(&'static str),
    Between,
    In(usize),
    Exists,
    Begins,
    Contains,
    Size,
    Nested,
    Not(Box<Shape>),
    Both(Box<Shape>, &'static str, Box<Shape>),
}

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        proptest::sample::select(vec!["=", "<>", "<", "<=", ">", ">="]).prop_map(Shape::Compare),
        Just(Shape::Between),
        (1..4_usize).prop_map(Shape::In),
        Just(Shape::Exists),
        Just(Shape::Begins),
        Just(Shape::Contains),
        Just(Shape::Size),
        Just(Shape::Nested),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|of| Shape::Not(Box::new(of))),
            (
                inner.clone(),
                proptest::sample::select(vec!["AND", "OR"]),
                inner
            )
                .prop_map(|(a, word, b)| Shape::Both(Box::new(a), word, Box::new(b))),
        ]
    })
}

/// Writes an expression and keeps what its placeholders stand for.
struct Writer {
    words: Vec<String>,
    names: Map<String, Json>,
    values: Map<String, Json>,
}

impl Writer {
    fn new(words: Vec<String>) -> Self {
        let (names, values) = (Map::new(), Map::new());
        Self {
            words,
            names,
            values,
        }
    }

    fn name(&mut self) -> String {
        let alias = format!("#n{}", self.names.len());
        let word = &self.words[self.names.len() % self.words.len()];
        self.names.insert(alias.clone(), json!(word));
        alias
    }

    fn value(&mut self) -> String {
        let alias = format!(":v{}", self.values.len());
        let word = &self.words[(self.values.len() + 1) % self.words.len()];
        self.values.insert(alias.clone(), json!({"S": word}));
        alias
    }

    fn number(&mut self) -> String {
        let alias = format!(":v{}", self.values.len());
        self.values.insert(alias.clone(), json!({"N": "3"}));
        alias
    }

    fn condition(&mut self, shape: &Shape) -> String {
        match shape {
            Shape::Compare(word) => format!("{} {word} {}", self.name(), self.value()),
            // Bounds that are the wrong way round are refused: these are one value.
            Shape::Between => {
                let (name, bound) = (self.name(), self.value());
                format!("{name} BETWEEN {bound} AND {bound}")
            }
            Shape::In(count) => {
                let name = self.name();
                let values: Vec<String> = (0..*count).map(|_| self.value()).collect();
                format!("{name} IN ({})", values.join(", "))
            }
            Shape::Exists => format!("attribute_exists({})", self.name()),
            Shape::Begins => format!("begins_with({}, {})", self.name(), self.value()),
            Shape::Contains => format!("contains({}, {})", self.name(), self.value()),
            Shape::Size => format!("size({}) > {}", self.name(), self.number()),
            Shape::Nested => format!("{}[1].{} = {}", self.name(), self.name(), self.value()),
            Shape::Not(of) => format!("NOT ({})", self.condition(of)),
            Shape::Both(a, word, b) => {
                format!("({}) {word} {}", self.condition(a), self.condition(b))
            }
        }
    }

    /// Puts the expression and what it needs into a request.
    fn give(self, request: &mut Json, member: &str, expression: &str) {
        request[member] = json!(expression);
        for (member, aliases) in [
            ("ExpressionAttributeNames", self.names),
            ("ExpressionAttributeValues", self.values),
        ] {
            if !aliases.is_empty() {
                request[member] = Json::Object(aliases);
            }
        }
    }
}

/// A request under its operation's name.
fn request() -> impl Strategy<Value = (&'static str, Json)> {
    let words = vec(text(), 3..6).boxed();
    let condition = (shape(), words.clone()).boxed();
    let guarded = |(of, (shape, words)): (Json, (Shape, Vec<String>))| {
        let (mut request, mut writer) = (of, Writer::new(words));
        let expression = writer.condition(&shape);
        writer.give(&mut request, "ConditionExpression", &expression);
        request
    };
    let put = (
        item().prop_map(|item| json!({"TableName": "t-1", "Item": item})),
        condition.clone(),
    )
        .prop_map(guarded)
        .boxed();
    let delete = (
        key().prop_map(|key| json!({"TableName": "t-1", "Key": key, "ReturnValues": "ALL_OLD"})),
        condition.clone(),
    )
        .prop_map(guarded)
        .boxed();
    let update = (key(), value(), words.clone()).prop_map(|(key, value, words)| {
        let (mut request, mut writer) = (
            json!({"TableName": "t-1", "Key": key}),
            Writer::new(distinct(words)),
        );
        let (a, b, c) = (writer.name(), writer.name(), writer.name());
        let n = writer.number();
        writer.values.insert(":any".to_owned(), value);
        let expression =
            format!("SET {a} = :any, {b} = if_not_exists({b}, {n}) + {n} REMOVE {c}[2]");
        writer.give(&mut request, "UpdateExpression", &expression);
        request
    });
    let scan = (condition.clone(), any::<bool>()).prop_map(|((shape, words), consistent)| {
        let (mut request, mut writer) = (
            json!({"TableName": "t-1", "ConsistentRead": consistent, "Limit": 7}),
            Writer::new(words),
        );
        let expression = writer.condition(&shape);
        writer.give(&mut request, "FilterExpression", &expression);
        request
    });
    let query = (condition, text()).prop_map(|((shape, words), owner)| {
        let (mut request, mut writer) = (
            json!({"TableName": "t-1", "IndexName": "by-x", "KeyConditionExpression": "#k = :k", "ScanIndexForward": false}),
            Writer::new(words),
        );
        let expression = writer.condition(&shape);
        writer.names.insert("#k".to_owned(), json!("owner"));
        writer.values.insert(":k".to_owned(), json!({"S": owner}));
        writer.give(&mut request, "FilterExpression", &expression);
        request
    });
    let statement = (text(), vec(value(), 1..3)).prop_map(|(owner, values)| {
let set: Vec<String> = (0..values.len()).map(|i| format!(" SET f{i} = ?")).collect();
        let set = set.concat();
        let owner = owner.replace('\'', "''");
        json!({"Statement": format!("UPDATE \"t-1\"{set} WHERE owner = '{owner}' AND n = 1"), "Parameters": values})
    });
    let puts = vec(item(), 1..3).prop_map(|items| {
        let puts = items.iter().enumerate().map(|(n, item)| {
            let mut item = item.clone();
            item["a b"] = json!({"N": n.to_string()});
            json!({"PutRequest": {"Item": item}})
        });
        json!({"RequestItems": {"t-1": puts.collect::<Vec<_>>()}})
    });
    let (checked, removed) = (put.clone(), delete.clone());
    let transaction = (checked, removed).prop_map(|(put, mut delete)| {
        delete.as_object_mut().unwrap().remove("ReturnValues");
        delete["Key"]["owner"] = json!({"S": "another of its own"});
        json!({"TransactItems": [{"Put": put}, {"Delete": delete}], "ClientRequestToken": "token"})
    });
    prop_oneof![
        put.prop_map(|json| ("PutItem", json)),
        delete.prop_map(|json| ("DeleteItem", json)),
        update.prop_map(|json| ("UpdateItem", json)),
        scan.prop_map(|json| ("Scan", json)),
        query.prop_map(|json| ("Query", json)),
        statement.prop_map(|json| ("ExecuteStatement", json)),
        puts.prop_map(|json| ("BatchWriteItem", json)),
        transaction.prop_map(|json| ("TransactWriteItems", json)),
        key().prop_map(|key| (
            "GetItem",
            json!({"TableName": "t-1", "Key": key, "ProjectionExpression": "a, b.c[0]"})
        )),
    ]
}

/// Words of which no two are the same: paths of one update may not overlap.
fn distinct(words: Vec<String>) -> Vec<String> {
    let numbered = words.into_iter().enumerate();
    numbered
        .map(|(number, word)| format!("{word}{number}"))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_is_read_back_as_the_same_request((operation, json) in request()) {
        let wrapped = json!({ operation: json });
        let draft = Draft::read(&wrapped.to_string(), None).map_err(|e| TestCaseError::fail(format!("{e}: {wrapped}")))?;
        prop_assert_eq!(draft.operation().name(), operation);

        let again = Draft::read(&draft.json().to_string(), Some(draft.operation())).unwrap();
        prop_assert_eq!(again.json(), draft.json());

        let command = Language::AwsCli.program(&draft, None).unwrap();
        let again = Draft::read(&command, None).map_err(|e| TestCaseError::fail(format!("{e}: {command}")))?;
        prop_assert_eq!(again.operation(), draft.operation());
        prop_assert_eq!(again.json(), draft.json());
    }

    #[test]
    fn a_normal_form_is_read_back_and_is_its_own((operation, json) in request()) {
        let draft = Draft::read(&json!({ operation: json }).to_string(), None).unwrap();
        for aliases in [Aliases::Needed, Aliases::Always] {
            let normal = draft.normalised(aliases).unwrap();
            let again = Draft::read(&normal.json().to_string(), Some(normal.operation())).unwrap();
            prop_assert_eq!(again.json(), normal.json());
            prop_assert_eq!(again.normalised(aliases).unwrap().json(), normal.json());
        }
    }

    #[test]
    fn every_language_prints_or_says_why_not((operation, json) in request()) {
        let draft = Draft::read(&json!({ operation: json }).to_string(), None).unwrap();
        for language in Language::ALL {
            match language.program(&draft, None) {
                Ok(program) => prop_assert!(program.len() > 20, "{}", program),
                Err(refusal) => prop_assert!(!refusal.reason().is_empty()),
            }
        }
    }
}
