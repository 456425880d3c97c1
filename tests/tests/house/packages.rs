//! The workspace's packages and what they depend on, as `cargo metadata` tells them.

use std::process::Command;

use serde_json::Value;

use crate::source::root;

/// One line of a `[dependencies]` or `[dev-dependencies]` table.
pub struct Dependency<'a> {
    pub name: &'a str,
    pub shipped: bool,
}

pub fn packages() -> Vec<Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(root());
    let output = cargo.output().expect("cargo metadata starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    metadata["packages"].as_array().expect("packages is a list").clone()
}

pub fn dependencies(package: &Value) -> impl Iterator<Item = Dependency<'_>> {
    let list = package["dependencies"].as_array().expect("dependencies is a list");
    list.iter().map(|dependency| Dependency {
        name: text(&dependency["name"]),
        shipped: dependency["kind"] != "dev",
    })
}

pub fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}
