//! Which functions move.

use super::source::Source;
use super::{Item, Kind};

/// Of each function: whether it belongs to the second part or only functions of that part can come to it.
pub fn moved(source: &Source<'_>, belongs: impl Fn(&str) -> bool) -> Vec<bool> {
    let mut entries: Vec<bool> = source.names.iter().map(|name| belongs(name)).collect();
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
    let mut open: Vec<u32> = exported.into_iter().chain(source.start).chain(in_table).collect();
    while let Some(index) = open.pop() {
        let index = index as usize;
        if stays[index] || entries[index] {
            continue;
        }
        stays[index] = true;
        open.extend(uses[index - source.imported()].iter().filter_map(function));
    }
    stays.into_iter().map(|stays| !stays).collect()
}
