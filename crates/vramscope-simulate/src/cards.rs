//! Cards that people have, with the memory that PyTorch finds on them.

use serde::Serialize;

/// A card.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Card {
    /// As it is sold.
    pub name: &'static str,
    /// "Total capacity" as PyTorch's out-of-memory errors tell it, in GiB. It differs by some hundredths from driver to driver.
    pub usable_gib: f64,
}

impl Card {
    /// The same in bytes.
    pub fn usable_bytes(&self) -> u64 {
        (self.usable_gib * (1u64 << 30) as f64) as u64
    }
}

/// Smallest first. Figures are those that users' error messages show; H200 is that of the shared recordings.
pub const CARDS: [Card; 20] = [
    Card { name: "GTX 1050 Ti 4 GB", usable_gib: 3.94 },
    Card { name: "RTX 2060 6 GB", usable_gib: 5.80 },
    Card { name: "RTX 3070, 4060 8 GB", usable_gib: 7.79 },
    Card { name: "RTX 3080 10 GB", usable_gib: 9.77 },
    Card { name: "RTX 3060 12 GB", usable_gib: 11.76 },
    Card { name: "T4 16 GB", usable_gib: 14.58 },
    Card { name: "RTX A4000 16 GB", usable_gib: 15.61 },
    Card { name: "V100 16 GB", usable_gib: 15.77 },
    Card { name: "A10G, L4 24 GB", usable_gib: 21.98 },
    Card { name: "RTX 4090 24 GB", usable_gib: 23.64 },
    Card { name: "RTX 3090 24 GB", usable_gib: 23.69 },
    Card { name: "RTX 5090 32 GB", usable_gib: 31.37 },
    Card { name: "V100 32 GB", usable_gib: 31.73 },
    Card { name: "A100 40 GB", usable_gib: 39.38 },
    Card { name: "L40S, RTX 6000 Ada 48 GB", usable_gib: 44.40 },
    Card { name: "RTX A6000 48 GB", usable_gib: 47.40 },
    Card { name: "H100 80 GB", usable_gib: 79.10 },
    Card { name: "A100 80 GB", usable_gib: 79.15 },
    Card { name: "H200 141 GB", usable_gib: 139.80 },
    Card { name: "B200 180 GB", usable_gib: 178.35 },
];

/// What a process needs beside PyTorch's allocator, if nobody says better: the CUDA context and the libraries' own memory, usually 0.5 to
/// 0.8 GiB.
pub const OUTSIDE_BYTES: u64 = 700 << 20;
