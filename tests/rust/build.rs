//! Makes a module of every program that the expression builder prints in Rust, for the example that runs them. All
//! that is changed is where the settings come from and how an item is printed.

use std::fmt::Write as _;
use std::path::Path;

const PROGRAMS: &str = "../../crates/codegen/tests/golden/rust.txt";

fn main() {
    println!("cargo::rerun-if-changed={PROGRAMS}");
    let printed = std::fs::read_to_string(PROGRAMS).expect("the programs of crates/codegen");
    let mut modules = String::new();
    let mut names = String::new();
    for (number, part) in printed.split("=== ").skip(1).enumerate() {
        let (name, program) = part.split_once('\n').expect("a name and a program");
        let program = program
            .replace("#[tokio::main]\nasync fn main", "pub async fn main")
            .replace("aws_config::load_from_env().await", "super::settings()")
            .replace("println!(\"{item:?}\")", "super::show(&item)")
            .replace("println!(\"{:?}\", item?)", "super::show(&item?)");
        write!(modules, "mod p{number} {{\n{program}}}\n").expect("memory");
        writeln!(names, "{name:?} => p{number}::main().await,").expect("memory");
    }
    let run = format!(
        "async fn run(name: &str) -> Result<(), Box<dyn std::error::Error>> {{\nmatch name {{\n{names}_ => panic!(\"no program {{name}}\"),\n}}\n}}\n"
    );
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&out).join("programs.rs"), modules + &run).expect("the modules");
}
