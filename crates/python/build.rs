//! Tells the binding which compiler builds it, for results that say how they came about.

use std::env;
use std::process::Command;

fn main() {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = Command::new(compiler).arg("--version").output();
    let text = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let version = text.split_whitespace().nth(1).unwrap_or_default();
    println!("cargo:rustc-env=EVOPLY_RUST={version}");
    println!("cargo:rerun-if-changed=build.rs");
}
