//! `COMPAT.md` at the root is what the operation list says. `BLESS=1` writes it anew.

use std::path::Path;

#[test]
fn compat_page_is_the_operation_lists() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../COMPAT.md");
    let made = bothways_protocol::compat::markdown();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &made).expect("COMPAT.md can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made,
        "COMPAT.md is not what the operation list says; run this test with BLESS=1"
    );
}
