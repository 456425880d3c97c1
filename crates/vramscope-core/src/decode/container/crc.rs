//! The check sum of gzip and zip (CRC-32) in the page, sixteen bytes at a time.
//!
//! Ours, because its tables are made when the first file needs them: 16 KiB that no compression makes smaller need not travel.

use std::sync::OnceLock;

/// `[n][byte]`: what a byte does to the sum when n more bytes follow it.
type Tables = [[u32; 256]; 16];

static TABLES: OnceLock<Box<Tables>> = OnceLock::new();

/// The polynomial, its bits in reverse.
const POLYNOMIAL: u32 = 0xedb8_8320;

fn tables() -> Box<Tables> {
    let mut tables = Box::new([[0; 256]; 16]);
    for byte in 0..256 {
        let mut sum = byte as u32;
        for _ in 0..8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ POLYNOMIAL } else { sum >> 1 };
        }
        tables[0][byte] = sum;
    }
    for more in 1..16 {
        for byte in 0..256 {
            let sum = tables[more - 1][byte];
            tables[more][byte] = (sum >> 8) ^ tables[0][(sum & 0xff) as usize];
        }
    }
    tables
}

/// The check sum of the bytes so far, and how many they were.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Crc {
    sum: u32,
    amount: u32,
}

impl Crc {
    /// Takes more bytes.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        let tables: &Tables = TABLES.get_or_init(tables);
        let mut sum = !self.sum;
        let (blocks, rest) = bytes.as_chunks::<16>();
        for block in blocks {
            let before = sum.to_le_bytes();
            sum = 0;
            for (at, byte) in block.iter().enumerate() {
                let byte = if at < 4 { byte ^ before[at] } else { *byte };
                sum ^= tables[15 - at][usize::from(byte)];
            }
        }
        for byte in rest {
            sum = (sum >> 8) ^ tables[0][usize::from(sum as u8 ^ byte)];
        }
        self.sum = !sum;
        self.amount = self.amount.wrapping_add(bytes.len() as u32);
    }

    pub(super) fn sum(&self) -> u32 {
        self.sum
    }

    /// Modulo 2³².
    pub(super) fn amount(&self) -> u32 {
        self.amount
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_sum_is_the_known_one() {
        let mut crc = Crc::default();
        crc.update(b"123456789");
        assert_eq!((crc.sum(), crc.amount()), (0xcbf4_3926, 9));
    }

    proptest! {
        #[test]
        fn the_sum_is_that_of_flate2(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 0usize..200) {
            let (mut ours, mut theirs) = (Crc::default(), flate2::Crc::new());
            let (a, b) = bytes.split_at(cut.min(bytes.len()));
            for piece in [a, b] {
                ours.update(piece);
                theirs.update(piece);
            }
            prop_assert_eq!((ours.sum(), ours.amount()), (theirs.sum(), theirs.amount()));
        }
    }
}
