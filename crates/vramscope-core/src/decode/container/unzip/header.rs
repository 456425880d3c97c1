//! The header before each member.

/// Its length without name and extra fields.
pub(super) const FIXED: usize = 30;
pub(super) const STORED: u16 = 0;
pub(super) const DEFLATED: u16 = 8;

/// What a member's header says.
pub(super) struct Header {
    pub(super) name: String,
    pub(super) method: u16,
    encrypted: bool,
    pub(super) crc: u32,
    /// Bytes of its data in the archive; not known when the writer could not go back.
    pub(super) packed_size: Option<u64>,
    /// Check sum and sizes follow the data.
    pub(super) has_descriptor: bool,
    /// Sizes have 64 bits.
    pub(super) zip64: bool,
}

impl Header {
    /// The length of the whole header, told by its first [`FIXED`] bytes.
    pub(super) fn whole_len(fixed: &[u8]) -> usize {
        FIXED + usize::from(u16_at(fixed, 26)) + usize::from(u16_at(fixed, 28))
    }

    /// Reads a whole header.
    pub(super) fn read(bytes: &[u8]) -> Header {
        let flags = u16_at(bytes, 6);
        let (packed, unpacked) = (u32_at(bytes, 18), u32_at(bytes, 22));
        let name_end = FIXED + usize::from(u16_at(bytes, 26));
        let sizes64 = zip64_sizes(bytes.get(name_end..).unwrap_or_default());
        let packed_size = match sizes64 {
            Some((_, packed64)) if packed == u32::MAX => packed64,
            _ => u64::from(packed),
        };
        let has_descriptor = flags & 8 != 0;
        // An empty member with a descriptor says 0 as well.
        let unknown = has_descriptor && packed_size == 0 && (unpacked == 0 || sizes64.is_some());
        Header {
            name: String::from_utf8_lossy(bytes.get(FIXED..name_end).unwrap_or_default()).into_owned(),
            method: u16_at(bytes, 8),
            encrypted: flags & 1 != 0,
            crc: u32_at(bytes, 14),
            packed_size: (!unknown).then_some(packed_size),
            has_descriptor,
            zip64: sizes64.is_some(),
        }
    }

    /// Why its data cannot be had, if so.
    pub(super) fn unusable(&self) -> Option<&'static str> {
        match self.method {
            _ if self.encrypted => Some("is encrypted"),
            STORED | DEFLATED => None,
            _ => Some("is packed by a method other than deflate"),
        }
    }
}

/// Unpacked and packed size of the zip64 field among the extra ones.
fn zip64_sizes(mut extra: &[u8]) -> Option<(u64, u64)> {
    while extra.len() >= 4 {
        let (id, len) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
        let field = extra.get(4..)?.get(..len)?;
        if id == 1 {
            return (len >= 16).then(|| (u64_at(field, 0), u64_at(field, 8)));
        }
        extra = extra.get(4 + len..)?;
    }
    None
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).and_then(|two| two.try_into().ok()).map_or(0, u16::from_le_bytes)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok()).map_or(0, u64::from_le_bytes)
}
