//! The module in two: what reads a file and paints its first picture, and what is asked afterwards, which comes behind.
//!
//! Both share memory, table and stack pointer. The first keeps the index of every function. A function that has moved leaves a
//! stub there if something that stays calls it: it calls on through a slot of the table. The second imports what it needs of the
//! first, and puts its functions into their slots when it starts. A call that comes before that traps.

mod choose;
mod first;
mod more;
mod source;

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use wasmparser::ExternalKind;

use source::Source;

/// The two modules. The second imports from `f`, which are the exports of the first.
pub struct Parts {
    pub first: Vec<u8>,
    pub more: Vec<u8>,
}

/// How to tell what goes where. The compiler makes one of equal functions, under the name of any of them, so that names alone can lie.
#[derive(Clone, Copy)]
pub struct Sides {
    /// Whether a function belongs to the second part, by its name.
    pub belongs: fn(&str) -> bool,
    /// Whether a function that stays may call one that does, by its name; what others call stays.
    pub may_wait: fn(&str) -> bool,
    /// Functions in the table, whose callers cannot be seen, stay up to this size.
    pub may_be_equal_bytes: usize,
}

/// Moves the functions that belong to the second, and what only they call.
pub fn split(module: &[u8], sides: Sides) -> Result<Parts> {
    let source = Source::read(module).context("could not read the module")?;
    let plan = Plan::new(&source, sides)?;
    let first = first::write(&source, &plan).context("could not write the first part")?;
    let more = more::write(&source, &plan).context("could not write the second part")?;
    for (part, name) in [(&first, "first"), (&more, "second")] {
        wasmparser::validate(part).with_context(|| format!("the {name} part is not valid"))?;
    }
    Ok(Parts { first, more })
}

/// What goes where.
struct Plan {
    /// Of each function: whether it is in the second part.
    moved: Vec<bool>,
    /// The slot through which a stub calls, by function.
    stubs: BTreeMap<u32, u32>,
    /// What the second part imports, and its name among the exports of the first.
    shared: BTreeMap<Item, String>,
    /// Slots of the table once all stubs have theirs.
    table_len: u32,
}

/// Something with an index.
type Item = (Kind, u32);

/// In the order in which the second part imports them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Function,
    Table,
    Memory,
    Global,
}

impl Kind {
    fn of(kind: ExternalKind) -> Option<Self> {
        match kind {
            ExternalKind::Func => Some(Self::Function),
            ExternalKind::Table => Some(Self::Table),
            ExternalKind::Memory => Some(Self::Memory),
            ExternalKind::Global => Some(Self::Global),
            _ => None,
        }
    }
}

impl Plan {
    fn new(source: &Source<'_>, sides: Sides) -> Result<Self> {
        let moved = choose::moved(source, sides);
        // Without names, or with others, all would stay, and the page would wait for a part that is empty.
        ensure!(
            moved.contains(&true),
            "no function of the module has a name that belongs to the second part"
        );
        let is_moved = |item: &Item| item.0 == Kind::Function && moved[item.1 as usize];
        let (mut stubs, mut used) = (BTreeMap::new(), BTreeMap::new());
        // The second part fills slots of the table and uses the memory of the first, whatever its functions do.
        for item in [(Kind::Table, 0), (Kind::Memory, 0)] {
            used.insert(item, String::new());
        }
        for (index, uses) in source.uses() {
            for &item in uses {
                match (moved[index as usize], is_moved(&item)) {
                    (true, false) => _ = used.insert(item, String::new()),
                    (false, true) => _ = stubs.insert(item.1, 0),
                    _ => {}
                }
            }
        }
        let mut table_len = source.table_len()?;
        for slot in stubs.values_mut() {
            *slot = table_len;
            table_len += 1;
        }
        Ok(Self { moved, stubs, shared: named(source, used), table_len })
    }
}

/// Names of exports: those there are, and short new ones.
fn named(source: &Source<'_>, mut used: BTreeMap<Item, String>) -> BTreeMap<Item, String> {
    let taken: BTreeMap<Item, &str> = source.exports.iter().map(|&(name, item)| (item, name)).collect();
    let mut fresh = (0u32..).map(|number| format!("{number:x}"));
    for (item, name) in &mut used {
        *name = match taken.get(item) {
            Some(taken) => (*taken).to_owned(),
            // Exports of wasm-bindgen are identifiers; none is a number.
            None => fresh.next().unwrap_or_default(),
        };
    }
    used
}

#[cfg(test)]
mod tests;
