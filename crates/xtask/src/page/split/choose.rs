//! Which functions move.

use super::source::Source;
use super::{Item, Kind, Sides};

/// Of each function: whether it belongs to the second part or only functions of that part can come to it.
pub fn moved(source: &Source<'_>, sides: Sides) -> Vec<bool> {
    let mut entries: Vec<bool> = source.names.iter().map(|name| (sides.belongs)(name)).collect();
    entries[..source.imported()].fill(false);
    let function = |item: &Item| (item.0 == Kind::Function).then_some(item.1);
    let exported: Vec<u32> = source.exports.iter().filter_map(|(_, item)| function(item)).collect();
    for &index in exported.iter().chain(&source.start) {
        entries[index as usize] = false;
    }
    let uses: Vec<_> = source.uses().map(|(_, uses)| uses).collect();
    let mut stays: Vec<bool> = vec![false; source.functions.len()];
    stays[..source.imported()].fill(true);
    let in_table = source.slots.iter().map(|&(_, function)| function);
    // Who calls these cannot be seen.
    for index in in_table.clone().filter(|index| source.body_bytes(*index) <= sides.may_be_equal_bytes) {
        entries[index as usize] = false;
    }
    let mut open: Vec<u32> = exported.into_iter().chain(source.start).chain(in_table).collect();
    while let Some(index) = open.pop() {
        let index = index as usize;
        if stays[index] || entries[index] {
            continue;
        }
        stays[index] = true;
        let called = uses[index - source.imported()].iter().filter_map(function);
        if !(sides.may_wait)(source.names[index]) {
            called.clone().for_each(|called| entries[called as usize] = false);
        }
        open.extend(called);
    }
    stays.into_iter().map(|stays| !stays).collect()
}
