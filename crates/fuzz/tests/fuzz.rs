//! Each target from its corpus: ten seconds, or as long as `BOTHWAYS_FUZZ_SECONDS` says. `BOTHWAYS_FUZZ_SEED` chooses
//! other inputs; `BOTHWAYS_FUZZ_LAST=DIRECTORY` keeps the input being tried in a file there, for the case that it ends
//! the process.

#![allow(
    clippy::print_stderr,
    reason = "a finding is of use as it stands, and a long run says what it did"
)]

use bothways_fuzz::{ALL, breed, escape, unescape};
use std::path::PathBuf;
use std::time::Duration;

/// A quarter of a usual thread's stack, so that depth shows.
const STACK: usize = 512 * 1024;

fn number(name: &str, ordinary: u64) -> u64 {
    let given = std::env::var(name).ok().and_then(|text| text.parse().ok());
    given.unwrap_or(ordinary)
}

fn fuzz(name: &'static str) -> Result<(), &'static str> {
    let time = Duration::from_secs(number("BOTHWAYS_FUZZ_SECONDS", 10));
    let seed = number("BOTHWAYS_FUZZ_SEED", 1);
    let last = std::env::var_os("BOTHWAYS_FUZZ_LAST").map(|dir| PathBuf::from(dir).join(name));
    let target = ALL
        .iter()
        .find(|target| target.name == name)
        .expect("it is one of the targets");
    let thread = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(STACK);
    let run = thread.spawn(move || {
        breed(target, seed, time, &mut |input| {
            if let Some(file) = &last {
                std::fs::write(file, escape(input)).expect("the last input can be kept");
            }
        })
    });
    let outcome = run
        .expect("a thread can be had")
        .join()
        .expect("the loop itself does not panic");
    match outcome {
        Ok(tally) => {
            eprintln!("{name}, seed {seed}: {tally:?}");
            Ok(())
        }
        Err(finding) => {
            eprintln!("{name}, seed {seed}: {finding}");
            Err("a law is broken")
        }
    }
}

macro_rules! targets {
    ($($test:ident $name:literal;)*) => {
        $(#[test]
        fn $test() -> Result<(), &'static str> {
            fuzz($name)
        })*

        #[test]
        fn every_target_is_run() {
            let run = [$($name),*];
            assert!(ALL.iter().map(|target| target.name).eq(run));
        }
    };
}

targets! {
    conditions_hold "condition";
    key_conditions_hold "key-condition";
    updates_hold "update";
    projections_hold "projection";
    statements_hold "statement";
    requests_hold "request";
    items_hold "item";
    numbers_hold "number";
    keys_hold "key";
}

#[test]
fn an_input_is_kept_as_a_line_and_read_back() {
    for input in [
        &b"plain"[..],
        b"",
        b"\\x41 \\",
        b"\0\n\xff\\\\",
        "é\u{1F600}".as_bytes(),
    ] {
        let line = escape(input);
        assert!(line.is_ascii() && !line.contains('\n'));
        assert_eq!(unescape(&line), input);
    }
}
