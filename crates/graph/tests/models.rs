//! Model files: what they say, what is wrong with them, and that a file and a value are the same thing.

use bothways_graph::model::{Loops, Problem, Removal, shipped, shipped_models};
use bothways_graph::{CheckReport, Model};
use bothways_protocol::types::Units;

fn follow() -> &'static str {
    shipped_models()[0].text
}

fn check(text: &str) -> CheckReport {
    let loaded = Model::parse("m.toml", text).expect("a model that loads");
    loaded.model.check(Some(&loaded.source))
}

#[test]
fn every_shipped_model_passes_its_check() {
    for file in shipped_models() {
        let loaded = Model::parse(file.name, file.text).expect(file.name);
        let report = loaded.model.check(Some(&loaded.source));
        assert_eq!(report.problems, [], "{}", file.name);
        assert_eq!(report.warnings, [], "{}", file.name);
        assert!(!report.proofs.is_empty(), "{}", file.name);
        assert!(
            report.proofs.iter().all(|p| !p.plans.is_empty()),
            "{}",
            file.name
        );
        assert_eq!(loaded.model.name, file.name);
        assert_eq!(shipped(file.name).map(|l| l.model), Some(loaded.model));
    }
}

#[test]
fn a_model_writes_the_file_that_reads_back_equal() {
    for file in shipped_models() {
        let model = Model::parse(file.name, file.text).expect(file.name).model;
        let again = Model::parse("written", &model.to_toml())
            .expect(file.name)
            .model;
        assert_eq!(again, model, "{}", file.name);
    }
}

#[test]
fn loops_and_removals_are_read_and_written_back() {
    let said = "peak = 2000\nloops = \"reject\"\nremoval = \"soft\"\nkeep = 3600\n";
    let text = follow().replacen("peak = 2000\n", said, 1);
    let model = Model::parse("m.toml", &text).expect("a model").model;
    assert_eq!(model.relations[0].loops, Loops::Reject);
    assert_eq!(model.relations[0].removal, Removal::Soft { keep: 3600 });
    assert_eq!(model.ttl.as_deref(), Some("expiresAt"));
    let again = Model::parse("again.toml", &model.to_toml()).expect("a model");
    assert_eq!(again.model, model);
    let kept = text.replacen("removal = \"soft\"\n", "", 1);
    let error = Model::parse("m.toml", &kept).expect_err("nothing is kept");
    assert!(
        error
            .to_string()
            .contains("nothing is kept of what is removed"),
        "{error}"
    );
}

#[test]
fn the_two_models_have_the_agreed_keys() {
    let templates = |name: &str, relation: &str| {
        let model = shipped(name).expect(name).model;
        let relation = model.relation(relation).expect(relation).clone();
        let entities = [&relation.from, &relation.to].map(|e| {
            let key = &model.entity(e).expect(e).key;
            format!("{} / {}", key.pk, key.sk)
        });
        let shard = relation.shard.map(|s| s.pk.to_string()).unwrap_or_default();
        [
            format!("{} {}", model.table, relation.inverse.index),
            entities.join(" "),
            format!("{} / {}", relation.key.pk, relation.key.sk),
            format!(
                "{} / {}",
                relation.inverse.keys.pk, relation.inverse.keys.sk
            ),
            shard,
            format!("{:?} {:?}", relation.counters.out, relation.counters.inward),
        ]
    };
    assert_eq!(
        templates("follow", "follows"),
        [
            "follow GSI1",
            "ACTOR#{id} / PROFILE ACTOR#{id} / PROFILE",
            "ACTOR#{src} / TARGET#{dst}",
            "TARGET#{dst} / ACTOR#{src}",
            "TARGET#{dst}#{k}",
            r#"Some("following") Some("followers")"#,
        ]
    );
    assert_eq!(
        templates("school", "enrolled"),
        [
            "school GSI1",
            "STU#{id} / PROFILE CRS#{id} / META",
            "STU#{src} / ENROLL#CRS#{dst}",
            "CRS#{dst} / STU#{src}",
            "CRS#{dst}#{k}",
            r#"Some("courses") Some("students")"#,
        ]
    );
}

#[test]
fn a_broken_file_names_the_line_the_place_and_the_way_out() {
    for (from, to, message) in [
        (
            "from = \"actor\"",
            "form = \"actor\"",
            "m.toml:24: relation follows: there is no \"form\" here\n  24 | form = \"actor\"\n     | ^^^^\n  hint: did you mean from?",
        ),
        (
            "sk = \"TARGET#{dst}\"",
            "sk = \"TARGET#{who}\"",
            "m.toml:28: relation follows, key.sk: there is no slot {who}; there are {id}, {src}, {dst}, {pos} and {k}\n  28 | key = { pk = \"ACTOR#{src}\", sk = \"TARGET#{who}\" }\n     |                                          ^^^^^",
        ),
        (
            "order = \"id\"",
            "order = \"size\"",
            "m.toml:31: relation follows, order: \"size\" is not one of id, time\n  31 | order = \"size\"\n     |         ^^^^^^",
        ),
        (
            "peak = 2000",
            "peak = \"many\"",
            "m.toml:34: relation follows, peak: a whole number, not negative, belongs here, not string\n  34 | peak = \"many\"\n     |        ^^^^^^",
        ),
        (
            "in = \"is followed by\"\n",
            "",
            "m.toml:22: relation follows: in is missing\n  22 | [[relation]]\n     | ^^^^^^^^^^^^\n  hint: in = \"is followed by\"",
        ),
        (
            "name = \"GSI1\"",
            "name = \"GSI1",
            "m.toml:10: invalid basic string, expected `\"`\n  10 | name = \"GSI1\n     |             ^",
        ),
    ] {
        let text = follow().replacen(from, to, 1);
        assert_ne!(text, follow(), "{from}");
        let error = Model::parse("m.toml", &text).expect_err(to);
        assert_eq!(error.to_string(), message);
    }
}

/// What a change of the follow model makes the check say, first problem first.
fn problem(from: &str, to: &str) -> Problem {
    let text = follow().replacen(from, to, 1);
    assert_ne!(text, follow(), "{from}");
    let mut report = check(&text);
    assert!(!report.problems.is_empty(), "{to} passes");
    report.problems.remove(0)
}

#[allow(clippy::too_many_lines, reason = "one table of cases")]
#[test]
fn each_trap_fails_the_check() {
    for (from, to, message) in [
        (
            "table = \"follow\"",
            "table = \"../x\"",
            "table: \"../x\" cannot name a table",
        ),
        (
            "sk = \"SK\" }",
            "sk = \"PK\" }",
            "keys.sk: PK is the partition key already",
        ),
        (
            "upsert_entities = true",
            "ttl = \"followers\"",
            "ttl: followers is another attribute's name",
        ),
        (
            "peak = 2000",
            "loops = \"twice\"",
            "relation follows, loops: each end of a directed edge has a counter of its own: nothing counts twice",
        ),
        (
            "sk = \"GSI1SK\"",
            "sk = \"GSI1PK\"",
            "index GSI1, sk: GSI1PK is the partition key already",
        ),
        (
            "sk = \"ACTOR#{src}\" }",
            "sk = \"{dst}\" }",
            "relation follows, inverse.sk: the source is missing, so a list by actor cannot name its actors",
        ),
        (
            "shard = { pk = \"TARGET#{dst}#{k}\", max = 256 }\n",
            "",
            "relation follows, peak: a target that takes 2000 links a second is hot: one key takes 500, and there is no shard rule",
        ),
        (
            "sk = \"TARGET#{dst}\"",
            "sk = \"{dst}\"",
            "relation follows, key: relation follows and entity actor could have the same key: ACTOR#{src} / {dst} and ACTOR#{id} / PROFILE",
        ),
        (
            "read = \"entity\"\nof = \"actor\"",
            "read = \"find\"\nof = \"actor\"\nby = \"email\"",
            "pattern an actor's profile, by: this would need a Scan: neither the table nor an index has email as its partition key",
        ),
        (
            "pk = \"GSI1PK\"\nsk = \"GSI1SK\"",
            "pk = \"PK\"\nsk = \"GSI1SK\"\nlocal = true",
            "relation follows, inverse: GSI1 is a local index: its partition key is the table's, so it cannot list by target",
        ),
        (
            "read = \"in\"\nof = \"follows\"",
            "read = \"in\"\nof = \"follows\"\nconsistency = \"strong\"",
            "pattern who follows an actor, consistency: it is read from GSI1, and an index is never strongly consistent",
        ),
        (
            "index = \"GSI1\", pk",
            "index = \"GSI2\", pk",
            "relation follows, inverse.index: there is no index \"GSI2\"",
        ),
        (
            "from = \"actor\"",
            "from = \"user\"",
            "relation follows, from: there is no entity \"user\"",
        ),
        (
            "out = \"following\", in = \"followers\"",
            "out = \"following\", in = \"following\"",
            "relation follows, counters: following counts follows on the actor already",
        ),
        (
            "order = \"id\"",
            "order = \"time\"",
            "relation follows, inverse.sk: {pos} is missing",
        ),
        (
            "name = \"edgeType\", type = \"string\"",
            "name = \"edgeType\", type = \"number\"",
            "relation follows, attributes.edgeType: edgeType is a number, and \"FOLLOWS\" is not a decimal number",
        ),
        (
            "name = \"edgeType\"",
            "name = \"opId\"",
            "relation follows, attributes.opId: opId is taken by the layer itself",
        ),
        (
            "{ name = \"name\", type = \"string\" }",
            "{ name = \"name\", value = \"x\" }",
            "entity actor, attributes.name: only an edge's attributes fill themselves",
        ),
        (
            "max = 256",
            "max = 2",
            "relation follows, peak: 2000 links a second need 4 shards, and the rule allows 2",
        ),
    ] {
        let found = problem(from, to);
        let line = found.spot.as_ref().map(|s| format!("m.toml:{}: ", s.line));
        let line = line.expect("a place in the file");
        assert_eq!(found.to_string(), line + message);
    }
}

#[test]
fn a_problem_is_shown_with_its_line_and_a_hint() {
    let found = problem("sk = \"ACTOR#{src}\" }", "sk = \"{dst}\" }");
    let shown = found.render();
    let lines: Vec<&str> = shown.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "  29 | inverse = { index = \"GSI1\", pk = \"TARGET#{dst}\", sk = \"{dst}\" }",
            "     |                                                       ^^^^^^^",
            "  hint: sk = \"ACTOR#{src}\"",
        ]
    );
}

#[test]
fn two_relations_with_one_prefix_collide() {
    let text = format!(
        "{}\n[[relation]]\nname = \"blocks\"\nfrom = \"actor\"\nto = \"actor\"\nout = \"blocks\"\nin = \"is blocked by\"\nkey = {{ pk = \"ACTOR#{{src}}\", sk = \"TARGET#X#{{dst}}\" }}\ninverse = {{ pk = \"BLOCKED#{{dst}}\", sk = \"ACTOR#{{src}}\" }}\n",
        follow()
    );
    let report = check(&text);
    let messages: Vec<&str> = report.problems.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "a list of relation follows would read items of relation blocks too: TARGET#X#{dst} begins with \"TARGET#\""
        ]
    );
}

#[test]
fn counters_in_an_index_are_priced() {
    let school = shipped_models()[1].text;
    let text = school.replacen("projection = [", "projection = [\"students\", ", 1);
    let report = check(&text);
    assert!(report.passed());
    let messages: Vec<&str> = report.warnings.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "GSI1 copies students: every edge of a course rewrites its index row, 1 more write unit on the key of the list"
        ]
    );
}

#[test]
fn a_plain_inverted_index_needs_no_keys_of_its_own() {
    let text = r#"
name = "bills"
[[index]]
name = "inverted"
pk = "SK"
sk = "PK"
[[entity]]
name = "invoice"
key = { pk = "Invoice-{id}", sk = "Invoice-{id}" }
[[entity]]
name = "bill"
key = { pk = "Bill-{id}", sk = "Bill-{id}" }
[[relation]]
name = "holds"
from = "invoice"
to = "bill"
out = "holds"
in = "is on"
key = { pk = "Invoice-{src}", sk = "Bill-{dst}" }
[[pattern]]
name = "the invoices of a bill"
read = "in"
of = "holds"
"#;
    let report = check(text);
    assert_eq!(report.problems, []);
    let plan = &report.proofs[0].plans[0];
    assert_eq!(plan.index.as_deref(), Some("inverted"));
    assert_eq!(plan.key, "SK = Bill-{dst}");
    assert_eq!(plan.range.as_deref(), Some("begins_with(PK, Invoice-)"));

    let sharded = text.replace(
        "[[pattern]]",
        "shard = { pk = \"Bill-{dst}#{k}\" }\n[[pattern]]",
    );
    let messages: Vec<String> = check(&sharded)
        .problems
        .into_iter()
        .map(|p| p.message)
        .collect();
    assert_eq!(
        messages,
        [
            "inverted is the table's key turned round, so it has no attribute that a shard could go into"
        ]
    );
}

#[test]
fn proofs_carry_key_consistency_and_price() {
    let report = check(follow());
    let lines: Vec<String> = report
        .proofs
        .iter()
        .flat_map(|proof| {
            proof.plans.iter().map(|p| {
                let half = |u: Units| u.0;
                format!(
                    "{}: {} {} {} {} x{} r{} w{}",
                    proof.access,
                    p.operation.name(),
                    p.index.as_deref().unwrap_or("base"),
                    p.range.as_deref().unwrap_or("-"),
                    p.consistency.map_or("-", |c| c.as_str()),
                    p.requests,
                    half(p.read),
                    half(p.write),
                )
            })
        })
        .collect();
    assert_eq!(
        lines,
        [
            "out follows: Query base begins_with(SK, TARGET#) strong x1 r98 w0",
            "in follows: Query GSI1 begins_with(GSI1SK, ACTOR#) eventual x1 r123 w0",
            "edge follows: GetItem base - strong x1 r2 w0",
            "count follows: GetItem base - strong x1 r2 w0",
            "entity actor: GetItem base - strong x1 r2 w0",
            "show actor: Query base - strong x1 r10 w0",
            "link follows: TransactWriteItems base - - x1 r0 w14",
            "unlink follows: TransactWriteItems base - - x1 r0 w14",
        ]
    );
}
