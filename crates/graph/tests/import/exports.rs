//! What is exported.

use super::import;
use super::support::{self, cx, graph, wait};
use bothways_graph::{ExportFormat, Graph};

pub(super) fn export(graph: &Graph, relation: &str, format: ExportFormat) -> String {
    let mut out = Vec::new();
    let report = wait(graph.export(&cx(), relation, format, &mut out, &mut |_| true));
    let report = report.expect("an export");
    assert!(report.receipt.read.0 > 0 && report.left_out.is_empty());
    String::from_utf8(out).expect("text")
}

#[test]
fn what_is_exported_can_be_imported_again() {
    let graph = graph("school");
    let text = "student,course,enrolledOn,grade,studied_credits\n\
        \"a,1\",\"m\"\"2\",2026-09-01,A,60\n#b,m,,,\nc,m,,B,1.50\n";
    import(&graph, "enrolled", text);
    for format in [ExportFormat::Csv, ExportFormat::Tsv] {
        let exported = export(&graph, "enrolled", format);
        let copy = support::graph("school");
        let report = import(&copy, "enrolled", &exported);
        assert_eq!((report.created, report.rejected), (2, 0), "{exported}");
        let sorted = |graph: &Graph| {
            let text = export(graph, "enrolled", ExportFormat::JsonLines);
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&copy), sorted(&graph));
        assert_eq!(
            sorted(&copy)[0],
            "{\"source\":\"a,1\",\"target\":\"m\\\"2\",\"attributes\":{\"enrolledOn\":{\"S\":\"2026-09-01\"},\"grade\":{\"S\":\"A\"},\"studied_credits\":{\"N\":\"60\"}}}"
        );
    }
}

#[test]
fn what_a_format_cannot_hold_is_an_error_or_quoted() {
    let graph = graph("school");
    import(&graph, "enrolled", "student,course\n\"#a\",m\n");
    assert_eq!(
        export(&graph, "enrolled", ExportFormat::Csv).lines().nth(1),
        Some("\"#a\",m,,,,,")
    );
    let (mut out, tsv) = (Vec::new(), ExportFormat::Tsv);
    let error = wait(graph.export(&cx(), "enrolled", tsv, &mut out, &mut |_| true))
        .expect_err("it would be read as a comment");
    assert_eq!(
        error.to_string(),
        "\"#a\" holds a tab or a line end or begins like a comment, and a tab-separated file cannot hold that"
    );
}
