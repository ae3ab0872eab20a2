//! What is exported can be imported, and is laid out as AWS lays it out.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

#[path = "common/bench.rs"]
mod bench;
mod common;

use bench::{Bench, delete, from, gzip, put, table};
use bothways_core::Value;
use bothways_protocol::ErrorKind;
use bothways_protocol::types::*;
use common::{Attributes, map, n, s};
use std::collections::BTreeMap;

const MINUTE: u64 = 60_000;
const START: f64 = 1_700_000_000.0;

fn everything() -> Attributes {
    let text = r#"{"pk":{"S":"x"},"sk":{"N":"1"},"v":{"N":"1E+10"},"b":{"B":"AP8="},"t":{"BOOL":true},
        "z":{"NULL":true},"l":{"L":[{"S":"é\n\""},{"N":"-0.5"}]},"m":{"M":{"a b":{"S":""},"null":{"L":[]}}},
        "ss":{"SS":["a","b"]},"ns":{"NS":["1","2.5"]},"bs":{"BS":["AA==","AQ=="]}}"#;
    let item = bothways_core::json::item_from_slice(text.as_bytes()).unwrap();
    common::attributes(&item.value)
}

#[test]
fn a_full_export_is_laid_out_as_aws_does_and_comes_in_again() {
    let bench = Bench::new();
    table(&bench);
    (0..2_500).for_each(|number| put(&bench, &format!("k{number}"), number));
    bench.db.put("ttt", everything());
    let export = bench.exported(ExportTableToPointInTimeInput {
        s3_prefix: Some("some/where".into()),
        ..ExportTableToPointInTimeInput::default()
    });
    assert_eq!(export.export_status, Some(ExportStatus::Completed));
    assert_eq!(export.export_format, Some(ExportFormat::DynamodbJson));
    let id = export.export_arn.as_deref().unwrap().rsplit('/').next();
    let folder = format!("some/where/AWSDynamoDB/{}", id.unwrap());
    assert_eq!(
        export.export_manifest.as_deref(),
        Some(&*format!("{folder}/manifest-summary.json"))
    );
    assert_eq!(bench.text(&format!("{folder}/_started")), "");
    let lines = bench.lines(&export);
    assert_eq!(lines.len(), 2_501);
    assert!(lines.iter().all(|line| line.starts_with(r#"{"Item":{"#)));

    let import = bench.imported(ImportTableInput {
        input_compression_type: Some(InputCompressionType::Gzip),
        ..from(&format!("{folder}/data/"), InputFormat::DynamodbJson)
    });
    assert_eq!(import.import_status, Some(ImportStatus::Completed));
    assert_eq!(import.processed_item_count, Some(2_501));
    assert_eq!(import.imported_item_count, Some(2_501));
    assert_eq!(import.error_count, Some(0));
    let (was, is) = (bench.db.all("ttt", None), bench.db.all("new", None));
    assert_eq!(was.len(), is.len());
    assert!(was == is);
    assert_eq!(bench.db.all("new", Some("byV")).len(), 2_501);
    let description = bench.db.describe("new");
    assert_eq!(description.table_status, Some(TableStatus::Active));
    assert_eq!(description.table_id, import.table_id);
}

#[test]
fn a_full_export_is_of_any_time_since_recovery_was_switched_on() {
    let bench = Bench::new();
    table(&bench);
    put(&bench, "kept", 1);
    put(&bench, "changed", 1);
    put(&bench, "deleted", 1);
    bench.clock.advance(2_000);
    put(&bench, "changed", 2);
    delete(&bench, "deleted");
    put(&bench, "new", 2);
    bench.clock.advance(2_000);
    let at = |time: f64| {
        let export = bench.exported(ExportTableToPointInTimeInput {
            export_time: Some(time),
            ..ExportTableToPointInTimeInput::default()
        });
        assert_eq!(export.export_time, Some(time));
        bench.lines(&export)
    };
    let line = |key: &str, value: i64| {
        format!(r#"{{"Item":{{"pk":{{"S":"{key}"}},"sk":{{"N":"1"}},"v":{{"N":"{value}"}}}}}}"#)
    };
    let mut then = at(START + 1.0);
    then.sort();
    assert_eq!(
        then,
        [line("changed", 1), line("deleted", 1), line("kept", 1)]
    );
    let mut now = at(START + 3.0);
    now.sort();
    assert_eq!(now, [line("changed", 2), line("kept", 1), line("new", 2)]);
    let early = bench
        .export(ExportTableToPointInTimeInput {
            export_time: Some(START - 1.0),
            ..ExportTableToPointInTimeInput::default()
        })
        .unwrap_err();
    assert_eq!(early.kind, ErrorKind::InvalidExportTime);
}

#[test]
fn an_incremental_export_has_what_changed_in_between() {
    let bench = Bench::new();
    table(&bench);
    for key in ["still", "twice", "gone", "later"] {
        put(&bench, key, 1);
    }
    bench.clock.advance(20 * MINUTE);
    put(&bench, "twice", 2);
    put(&bench, "new", 1);
    put(&bench, "brief", 1);
    bench.clock.advance(MINUTE);
    put(&bench, "twice", 3);
    delete(&bench, "gone");
    delete(&bench, "brief");
    bench.clock.advance(20 * MINUTE);
    put(&bench, "twice", 4);
    put(&bench, "later", 2);
    let minutes = |count: u64| Some(START + 60.0 * f64::from(u32::try_from(count).unwrap()));
    let export = |view, ion: bool| {
        let export = bench.exported(ExportTableToPointInTimeInput {
            export_type: Some(ExportType::Incremental),
            export_format: ion.then_some(ExportFormat::Ion),
            incremental_export_specification: Some(IncrementalExportSpecification {
                export_from_time: minutes(19),
                export_to_time: minutes(40),
                export_view_type: view,
            }),
            ..ExportTableToPointInTimeInput::default()
        });
        assert_eq!(export.export_type, Some(ExportType::Incremental));
        let mut lines = bench.lines(&export);
        lines.sort();
        lines
    };
    let line = |key: &str, minute: u64, new: Option<i64>, old: Option<i64>| {
        let micros = (1_700_000_000_000 + minute * MINUTE) * 1_000;
        let keys = format!(r#""pk":{{"S":"{key}"}},"sk":{{"N":"1"}}"#);
        let image = |name: &str, value: Option<i64>| {
            value.map_or_else(String::new, |value| {
                format!(r#","{name}":{{{keys},"v":{{"N":"{value}"}}}}"#)
            })
        };
        let (new, old) = (image("NewImage", new), image("OldImage", old));
        format!(
            r#"{{"Metadata":{{"WriteTimestampMicros":{{"N":"{micros}"}}}},"Keys":{{{keys}}}{new}{old}}}"#
        )
    };
    let mut both = vec![
        line("gone", 21, None, Some(1)),
        line("new", 20, Some(1), None),
        line("twice", 21, Some(3), Some(1)),
    ];
    both.sort();
    assert_eq!(export(None, false), both);
    let mut new = vec![
        line("gone", 21, None, None),
        line("new", 20, Some(1), None),
        line("twice", 21, Some(3), None),
    ];
    new.sort();
    assert_eq!(export(Some(ExportViewType::NewImage), false), new);
    assert_eq!(
        export(Some(ExportViewType::NewImage), true)[0],
        "$ion_1_0 {Metadata:{WriteTimestampMicros:1700001200000000.},Keys:{pk:\"new\",sk:1.},\
         NewImage:{pk:\"new\",sk:1.,v:1.}}"
    );
}

#[test]
fn what_is_exported_as_ion_comes_in_again() {
    let bench = Bench::new();
    table(&bench);
    (0..1_200).for_each(|number| put(&bench, &format!("k{number}"), number));
    bench.db.put("ttt", everything());
    let export = bench.exported(ExportTableToPointInTimeInput {
        export_format: Some(ExportFormat::Ion),
        ..ExportTableToPointInTimeInput::default()
    });
    let manifest = export.export_manifest.unwrap();
    let data = manifest.replace("manifest-summary.json", "data/");
    let import = bench.imported(ImportTableInput {
        input_compression_type: Some(InputCompressionType::Gzip),
        ..from(&data, InputFormat::Ion)
    });
    assert_eq!(import.import_status, Some(ImportStatus::Completed));
    assert_eq!(import.imported_item_count, Some(1_201));
    assert!(bench.db.all("ttt", None) == bench.db.all("new", None));
}

/// What a filter leaves of a full export, sorted, and of an incremental one.
fn filtered(bench: &Bench, filter: FilterSpecification) -> [Vec<String>; 2] {
    [None, Some(ExportType::Incremental)].map(|export_type| {
        let export = bench.exported(ExportTableToPointInTimeInput {
            incremental_export_specification: export_type.map(|_| IncrementalExportSpecification {
                export_from_time: Some(START + 60.0),
                export_to_time: Some(START + 60.0 * 40.0),
                export_view_type: None,
            }),
            export_type,
            filter_specification: Some(filter.clone()),
            ..ExportTableToPointInTimeInput::default()
        });
        let mut lines = bench.lines_of(&export);
        lines.sort();
        lines
    })
}

#[test]
fn a_filtered_export_has_what_matches_and_what_is_projected() {
    let bench = Bench::new();
    table(&bench);
    (1..=4).for_each(|number| put(&bench, &format!("k{number}"), number));
    bench.clock.advance(20 * MINUTE);
    put(&bench, "k1", 5);
    put(&bench, "k2", 1);
    delete(&bench, "k4");
    bench.clock.advance(21 * MINUTE);
    let values = Values::from([(":v".into(), n(3)), (":k".into(), s("k1"))]);
    let of = |names: &[&str]| {
        let of = |name: &&str| ((*name).to_owned(), values[*name].clone());
        Some(names.iter().map(of).collect::<Values>().into())
    };
    let [full, changes] = filtered(
        &bench,
        FilterSpecification {
            filter_expression: Some("v >= :v".into()),
            projection_expression: Some("pk".into()),
            expression_attribute_values: of(&[":v"]),
            ..FilterSpecification::default()
        },
    );
    let item = |key: &str| format!(r#"{{"Item":{{"pk":{{"S":"{key}"}}}}}}"#);
    assert_eq!(full, [item("k1"), item("k3")]);
    // A changed item counts by what it became, a deleted one by what it was.
    let [one, gone] = &changes[..] else {
        panic!("{changes:?}");
    };
    assert!(
        one.ends_with(r#""NewImage":{"pk":{"S":"k1"}},"OldImage":{"pk":{"S":"k1"}}}"#),
        "{one}"
    );
    assert!(
        gone.ends_with(r#""sk":{"N":"1"}},"OldImage":{"pk":{"S":"k4"}}}"#),
        "{gone}"
    );
    let [of_key, _] = filtered(
        &bench,
        FilterSpecification {
            key_condition_expression: Some("pk = :k AND sk < :v".into()),
            expression_attribute_values: of(&[":k", ":v"]),
            ..FilterSpecification::default()
        },
    );
    assert_eq!(of_key.len(), 1);
    for (key_condition, filter, words) in [
        ("pk > :k", None, "Query key condition not supported"),
        (
            "pk = :k",
            Some("sk > :v"),
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk",
        ),
    ] {
        let refused = bench
            .export(ExportTableToPointInTimeInput {
                filter_specification: Some(FilterSpecification {
                    key_condition_expression: Some(key_condition.into()),
                    filter_expression: filter.map(str::to_owned),
                    expression_attribute_values: of(if filter.is_some() {
                        &[":k", ":v"]
                    } else {
                        &[":k"]
                    }),
                    ..FilterSpecification::default()
                }),
                ..ExportTableToPointInTimeInput::default()
            })
            .unwrap_err();
        assert_eq!(refused.message, words);
    }
}

#[test]
fn ion_has_every_type() {
    let bench = Bench::new();
    table(&bench);
    bench.db.put("ttt", everything());
    let export = bench.exported(ExportTableToPointInTimeInput {
        export_format: Some(ExportFormat::Ion),
        ..ExportTableToPointInTimeInput::default()
    });
    assert_eq!(
        bench.lines(&export),
        [concat!(
            r#"$ion_1_0 {Item:{b:{{AP8=}},bs:$dynamodb_BS::[{{AA==}},{{AQ==}}],l:["é\n\"",-0.5],"#,
            r#"m:{'a b':"",'null':[]},ns:$dynamodb_NS::[1.,2.5],pk:"x",sk:1.,ss:$dynamodb_SS::["a","b"],"#,
            r#"t:true,v:10000000000.,z:null}}"#
        )]
    );
}

#[test]
fn an_export_of_which_nothing_can_be_written_fails() {
    let bench = Bench::new();
    table(&bench);
    let export = |bucket: &str, prefix: &str| {
        let export = bench.exported(ExportTableToPointInTimeInput {
            s3_bucket: Some(bucket.into()),
            s3_prefix: Some(prefix.into()),
            ..ExportTableToPointInTimeInput::default()
        });
        assert_eq!(export.export_status, Some(ExportStatus::Failed));
        export.failure_code.unwrap()
    };
    assert_eq!(export("nothing", ""), "S3NoSuchBucket");
    assert_eq!(export("bucket", "../bucket"), "S3AccessDenied");
    assert_eq!(std::fs::read_dir(bench.dir.path()).unwrap().count(), 1);
    let list = bench.db.list_exports(ListExportsInput::default()).unwrap();
    assert_eq!(list.export_summaries.unwrap().len(), 2);
}

#[test]
fn an_export_that_was_cut_off_begins_anew_and_a_token_begins_one() {
    let bench = Bench::new();
    table(&bench);
    (0..1_500).for_each(|number| put(&bench, &format!("k{number}"), number));
    let input = ExportTableToPointInTimeInput {
        client_token: Some("token".into()),
        ..ExportTableToPointInTimeInput::default()
    };
    let begun = bench.export(input.clone()).unwrap();
    (0..3).for_each(|_| assert!(bench.db.0.sweep().unwrap()));
    bench.clock.advance(1_000);
    put(&bench, "k0", -1);
    let bench = bench.reopened();
    let again = bench.export(input.clone()).unwrap();
    assert_eq!(again.export_arn, begun.export_arn);
    let other = ExportTableToPointInTimeInput {
        s3_prefix: Some("other".into()),
        ..input
    };
    assert_eq!(
        bench.export(other).unwrap_err().kind,
        ErrorKind::ExportConflict
    );
    bench.db.settle();
    let lines = bench.lines(&bench.export_of(&begun));
    assert_eq!(lines.len(), 1_500);
    assert!(!lines.iter().any(|line| line.contains(r#""N":"-1""#)));
}

#[test]
fn csv_has_keys_of_their_types_and_text() {
    let bench = Bench::new();
    bench.write("in/1.csv", b"pk,sk,v,note\na,1,2,\"x, y\"\nb,2,3,\n");
    let import = bench.imported(from("in/", InputFormat::Csv));
    assert_eq!(import.import_status, Some(ImportStatus::Completed));
    let first = map([
        ("pk", s("a")),
        ("sk", n(1)),
        ("v", n(2)),
        ("note", s("x, y")),
    ]);
    let second = map([("pk", s("b")), ("sk", n(2)), ("v", n(3))]);
    let all: BTreeMap<String, Attributes> = bench
        .db
        .all("new", None)
        .into_iter()
        .map(|item| (format!("{:?}", item["pk"]), item))
        .collect();
    assert_eq!(all.into_values().collect::<Vec<_>>(), [first, second]);

    let bench = Bench::new();
    bench.write("1", b"a;1;2\n");
    bench.write("2", b"b;2;3\n");
    bench.imported(ImportTableInput {
        input_format_options: Some(InputFormatOptions {
            csv: Some(CsvOptions {
                delimiter: Some(";".into()),
                header_list: Some(vec!["pk".into(), "sk".into(), "v".into()]),
            }),
        }),
        ..from("", InputFormat::Csv)
    });
    assert_eq!(bench.db.all("new", None).len(), 2);
}

#[test]
fn names_that_no_attribute_may_have_are_errors_in_every_format() {
    let long = "n".repeat(65_536);
    let csv = format!("pk,sk,,{long}\na,1,,\nb,1,x,\nc,1,,x\n");
    let ion = format!(
        "{{Item:{{pk:\"a\",sk:1.}}}}\n{{Item:{{pk:\"b\",sk:1.,'':1.}}}}\n{{Item:{{pk:\"c\",sk:1.,m:{{{long}:1.}}}}}}\n"
    );
    for (text, format) in [(csv, InputFormat::Csv), (ion, InputFormat::Ion)] {
        let bench = Bench::new();
        bench.write("1", text.as_bytes());
        let import = bench.imported(from("", format));
        assert_eq!(import.processed_item_count, Some(3), "{format:?}");
        assert_eq!(import.error_count, Some(2), "{format:?}");
        let stored = bench.db.all("new", None);
        assert_eq!(stored, [map([("pk", s("a")), ("sk", n(1))])], "{format:?}");
    }
}

#[test]
fn a_quote_that_is_never_closed_is_an_error_with_its_line_and_hides_no_other_object() {
    let bench = Bench::new();
    bench.write("1", b"pk,sk\na,1\n\"b\nc\",1\nd,1\n\"e,1\nf,1\ng,1\n");
    bench.write("2", b"pk,sk\n5\" pipe,1\nh,1\n");
    let import = bench.imported(from("", InputFormat::Csv));
    assert_eq!(import.import_status, Some(ImportStatus::Failed));
    assert_eq!(import.failure_code.as_deref(), Some("ItemValidationError"));
    let message = import.failure_message.unwrap();
    let wanted = "1: the quote that is opened in line 6 is never closed.";
    assert!(message.ends_with(wanted), "{message}");
    assert_eq!(import.error_count, Some(1));
    assert_eq!(import.processed_item_count, Some(6));
    assert_eq!(import.imported_item_count, Some(5));
}

#[test]
fn what_is_no_item_is_counted_and_the_rest_comes_in() {
    let bench = Bench::new();
    let item = |key: &str| {
        format!(r#"{{"Item":{{"pk":{{"S":"{key}"}},"sk":{{"N":"1"}},"v":{{"N":"1"}}}}}}"#)
    };
    let wrong = [
        r#"{"Item":{"pk":{"S":"no range key"}}}"#,
        r#"{"Item":{"pk":{"N":"1"},"sk":{"N":"1"}}}"#,
        r#"{"Item":{"pk":{"S":"index"},"sk":{"N":"1"},"v":{"S":"x"}}}"#,
        r#"{"Item":{"pk":{"S":""},"sk":{"N":"1"}}}"#,
    ];
    let text = format!("{}\n\n{}\n{}\n", item("a"), wrong.join("\n"), item("b"));
    bench.write("1.json", text.as_bytes());
    bench.write("2.json", format!("{}\nno json\n", item("c")).as_bytes());
    bench.write("3.json", item("d").as_bytes());
    let import = bench.imported(from("", InputFormat::DynamodbJson));
    assert_eq!(import.import_status, Some(ImportStatus::Failed));
    assert_eq!(import.failure_code.as_deref(), Some("ItemValidationError"));
    assert_eq!(import.error_count, Some(5));
    assert_eq!(import.processed_item_count, Some(9));
    assert_eq!(import.imported_item_count, Some(4));
    assert_eq!(bench.db.all("new", None).len(), 4);
    assert_eq!(
        bench.db.describe("new").table_status,
        Some(TableStatus::Active)
    );
}

#[test]
fn zstandard_comes_in() {
    let bench = Bench::new();
    let text = "{\"Item\":{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}}}\n".repeat(3);
    // Two frames, as tools that append or compress in parts write them.
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    let frames = text
        .as_bytes()
        .chunks(60)
        .flat_map(|part| ruzstd::encoding::compress_to_vec(part, level));
    bench.write("1", &frames.collect::<Vec<u8>>());
    let zstd = |prefix: &str| ImportTableInput {
        input_compression_type: Some(InputCompressionType::Zstd),
        ..from(prefix, InputFormat::DynamodbJson)
    };
    let import = bench.imported(zstd("1"));
    assert_eq!(import.import_status, Some(ImportStatus::Completed));
    assert_eq!(import.processed_item_count, Some(3));
    assert_eq!(bench.db.all("new", None).len(), 1);
    bench
        .db
        .delete_table(DeleteTableInput {
            table_name: Some("new".into()),
        })
        .unwrap();
    bench.write("2", text.as_bytes());
    let import = bench.imported(zstd("2"));
    assert_eq!(import.import_status, Some(ImportStatus::Failed));
    assert_eq!(import.error_count, Some(1));
}

#[test]
fn an_import_without_its_bucket_leaves_no_table() {
    let bench = Bench::new();
    let mut input = from("", InputFormat::DynamodbJson);
    input.s3_bucket_source.as_mut().unwrap().s3_bucket = Some("nothing".into());
    let begun = bench.import(input.clone()).unwrap();
    assert_eq!(
        bench.import(input).unwrap_err().kind,
        ErrorKind::ResourceInUse
    );
    bench.db.settle();
    let import = bench.import_of(&begun);
    assert_eq!(import.import_status, Some(ImportStatus::Failed));
    assert_eq!(import.failure_code.as_deref(), Some("S3NoSuchBucket"));
    let tables = bench.db.list_tables(ListTablesInput::default()).unwrap();
    assert_eq!(tables.table_names, Some(Vec::new()));
    let list = bench.db.list_imports(ListImportsInput::default()).unwrap();
    assert_eq!(list.import_summary_list.unwrap().len(), 1);
}

#[test]
fn an_import_that_was_cut_off_goes_on() {
    let mut bench = Bench::new();
    let lines = |from: u32, to: u32| -> String {
        let line =
            |n| format!("{{\"Item\":{{\"pk\":{{\"S\":\"k{n}\"}},\"sk\":{{\"N\":\"{n}\"}}}}}}\n");
        (from..to).map(line).collect()
    };
    bench.write("1.gz", &gzip(&lines(0, 1_300)));
    bench.write("2.gz", &gzip(&lines(1_300, 2_000)));
    let input = ImportTableInput {
        input_compression_type: Some(InputCompressionType::Gzip),
        client_token: Some("token".into()),
        ..from("", InputFormat::DynamodbJson)
    };
    let begun = bench.import(input.clone()).unwrap();
    let mut runs = 0;
    loop {
        let more = (0..2).all(|_| bench.db.0.sweep().unwrap());
        if !more {
            break;
        }
        runs += 1;
        bench = bench.reopened();
        if runs == 1 {
            let again = bench.import(input.clone()).unwrap();
            assert_eq!(again.import_arn, begun.import_arn);
        }
    }
    assert!(runs > 1);
    bench.db.settle();
    let import = bench.import_of(&begun);
    assert_eq!(import.import_status, Some(ImportStatus::Completed));
    assert_eq!(import.processed_item_count, Some(2_000));
    assert_eq!(import.imported_item_count, Some(2_000));
    assert_eq!(bench.db.all("new", None).len(), 2_000);
    let wanted: BTreeMap<String, Value> = map([("pk", s("k7")), ("sk", n(7))]);
    assert_eq!(bench.db.get("new", wanted.clone()), Some(wanted));
}
