//! Makes a module of every program that the expression builder prints for this project's own Rust API. All that is
//! changed is how an item is printed.

use std::fmt::Write as _;
use std::path::Path;

const PROGRAMS: &str = "../codegen/tests/golden/bothways.txt";

fn main() {
    println!("cargo::rerun-if-changed={PROGRAMS}");
    let printed = std::fs::read_to_string(PROGRAMS).expect("the programs of crates/codegen");
    let (mut modules, mut names) = (String::new(), String::new());
    for (number, part) in printed.split("=== ").skip(1).enumerate() {
        let (name, program) = part.split_once('\n').expect("a name and a program");
        let program = program
            .replace("async fn run(", "pub(crate) async fn run(")
            .replace("println!(\"{item:?}\")", "super::show(&item)");
        write!(modules, "#[allow(clippy::all, clippy::pedantic, reason = \"printed for people\")]\nmod p{number} {{\n{program}}}\n").expect("memory");
        writeln!(names, "{name:?} => p{number}::run(db).await,").expect("memory");
    }
    let run = format!(
        "async fn run(name: &str, db: &dyn DynamoDb) -> Result<(), Error> {{\nmatch name {{\n{names}_ => panic!(\"no program {{name}}\"),\n}}\n}}\n"
    );
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&out).join("programs.rs"), modules + &run).expect("the modules");
}
