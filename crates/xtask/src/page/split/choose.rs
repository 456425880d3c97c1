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
    let in_table = source.slots.iter().map(|&(_, function)| function);
    // Who calls these cannot be seen.
    for index in in_table.clone().filter(|index| source.body_bytes(*index) <= sides.may_be_equal_bytes) {
        entries[index as usize] = false;
    }
    let uses: Vec<_> = source.uses().map(|(_, uses)| uses).collect();
    // 0 not known to stay, 1 stays, 2 stays with all that it calls.
    let mut stays: Vec<u8> = vec![0; source.functions.len()];
    stays[..source.imported()].fill(2);
    let roots = exported.into_iter().chain(source.start).chain(in_table);
    let mut open: Vec<(u32, bool)> = roots.map(|index| (index, false)).collect();
    while let Some((index, is_needed)) = open.pop() {
        let index = index as usize;
        if entries[index] && !is_needed {
            continue;
        }
        let is_needed = is_needed || !(sides.may_wait)(source.names[index]);
        let how = if is_needed { 2 } else { 1 };
        if stays[index] >= how {
            continue;
        }
        stays[index] = how;
        let called = uses[index - source.imported()].iter().filter_map(function);
        open.extend(called.map(|called| (called, is_needed)));
    }
    stays.into_iter().map(|how| how == 0).collect()
}
