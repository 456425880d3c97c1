//! How much of its segment each allocation takes: its request, rounded, and what was not worth cutting off.

use hashbrown::HashMap;

use super::allocations::Allocations;
use super::passes;
use crate::allocator::Config;
use crate::allocator::sizes::{MIN_BLOCK, round_size};
use crate::model::Device;

/// Bytes of each allocation's block, four bytes a row.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockSizes {
    /// In units of 512 bytes; [`ODD`] if it is in `odd`.
    units: Vec<u32>,
    odd: HashMap<u32, u64>,
}

const ODD: u32 = u32::MAX;

impl BlockSizes {
    /// By rounding alone; where a block is still there in the end, by its real size.
    pub(super) fn estimate(
        device: &Device,
        allocations: &Allocations,
        config: &Config,
        with_final_state: bool,
    ) -> Self {
        let mut sizes = BlockSizes { units: vec![0; allocations.len() as usize], odd: HashMap::new() };
        passes::for_each(allocations.len() as usize, |id| {
            sizes.set(id as u32, round_size(allocations.size_bytes(id as u32), config));
        });
        if with_final_state {
            sizes.take_final(device, allocations);
        }
        sizes
    }

    /// Blocks that are there in the end have the sizes that the final segments say.
    pub(super) fn take_final(&mut self, device: &Device, allocations: &Allocations) {
        let last: HashMap<u64, u64> =
            device.active_blocks().map(|(_, block)| (block.address, block.size_bytes)).collect();
        for id in (0..allocations.len()).filter(|&id| allocations.end(id) == super::allocations::NEVER) {
            if let Some(&size) = last.get(&allocations.address(id)) {
                self.set(id, size);
            }
        }
    }

    pub(super) fn set(&mut self, id: u32, bytes: u64) {
        let Some(cell) = self.units.get_mut(id as usize) else { return };
        match u32::try_from(bytes / MIN_BLOCK) {
            Ok(units) if bytes.is_multiple_of(MIN_BLOCK) && units != ODD => *cell = units,
            _ => {
                *cell = ODD;
                self.odd.insert(id, bytes);
            }
        }
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> u64 {
        match self.units.get(id as usize) {
            Some(&ODD) => self.odd.get(&id).copied().unwrap_or(0),
            Some(&units) => u64::from(units) * MIN_BLOCK,
            None => 0,
        }
    }
}
