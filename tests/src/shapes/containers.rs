//! What snapshots are wrapped in.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

/// Gzip around data.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(bytes).and_then(|()| packer.finish()).expect("memory takes everything")
}

/// A page as `torch.cuda._memory_viz trace_plot` writes it: the pickle padded with one to three NUL bytes, as base64.
pub fn page(bytes: &[u8], view: &str) -> Vec<u8> {
    page_of(&[bytes], view)
}

/// A page with several files.
pub fn page_of(files: &[&[u8]], view: &str) -> Vec<u8> {
    let files: Vec<String> = files
        .iter()
        .map(|bytes| {
            let padded = [bytes, &[0; 3][..3 - bytes.len() % 3]].concat();
            format!("{{\"name\": \"snapshot.pickle\", \"base64\": \"{}\"}}", base64(&padded))
        })
        .collect();
    format!(
        "\n<!DOCTYPE html>\n<html>\n<head>\n</head>\n<body>\n<script type=\"module\">\nimport {{add_local_files}} from \
         \"https://cdn.example/MemoryViz.js\"\nconst local_files = [{}]\nadd_local_files(local_files, '{view}')\n</script>\n</body>\n",
        files.join(", ")
    )
    .into_bytes()
}

/// Base64 without padding of data whose length is a multiple of three.
pub fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let triples = bytes.chunks_exact(3);
    assert!(triples.remainder().is_empty());
    let texts = triples.flat_map(|three| {
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        [18, 12, 6, 0].map(|shift| char::from(ALPHABET[(bits >> shift) as usize & 63]))
    });
    texts.collect()
}

/// How a member of an archive is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Method {
    Stored,
    Deflated,
    /// Sizes and check sum in a descriptor after the data, as a writer does that cannot go back.
    StoredThenSizes,
    DeflatedThenSizes,
    /// 64-bit sizes.
    Stored64,
    /// As a password would have it.
    Encrypted,
    /// By a method that is not read.
    Lzma,
}

/// An archive of members: name, data, method.
pub fn zip(members: &[(&str, &[u8], Method)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, data, method) in members {
        let offset = out.len() as u32;
        let crc = {
            let mut crc = flate2::Crc::new();
            crc.update(data);
            crc.sum()
        };
        let packed = match method {
            Method::Deflated | Method::DeflatedThenSizes => deflate(data),
            _ => data.to_vec(),
        };
        let code = match method {
            Method::Deflated | Method::DeflatedThenSizes => 8_u16,
            Method::Lzma => 14,
            _ => 0,
        };
        let later = matches!(method, Method::StoredThenSizes | Method::DeflatedThenSizes);
        let flags = u16::from(later) << 3 | u16::from(*method == Method::Encrypted);
        let mut extra = Vec::new();
        let (mut size32, mut packed32) = (data.len() as u32, packed.len() as u32);
        if *method == Method::Stored64 {
            extra.extend([1_u16.to_le_bytes(), 16_u16.to_le_bytes()].concat());
            extra.extend([(data.len() as u64).to_le_bytes(), (packed.len() as u64).to_le_bytes()].concat());
            (size32, packed32) = (u32::MAX, u32::MAX);
        }
        let sums = [crc, packed32, size32].map(u32::to_le_bytes).concat();
        let common = |sums: &[u8]| {
            let head = [20, flags, code, 0, 0x21].map(u16::to_le_bytes).concat();
            [&head[..], sums, &(name.len() as u16).to_le_bytes(), &(extra.len() as u16).to_le_bytes()]
                .concat()
        };
        out.extend(
            [b"PK\x03\x04", &common(if later { &[0; 12] } else { &sums })[..], name.as_bytes(), &extra]
                .concat(),
        );
        out.extend(&packed);
        if later {
            out.extend([b"PK\x07\x08", &sums[..]].concat());
        }
        let place = [&[0; 10][..], &offset.to_le_bytes()].concat();
        directory
            .extend([b"PK\x01\x02\x14\x00", &common(&sums)[..], &place, name.as_bytes(), &extra].concat());
    }
    let n = (members.len() as u16).to_le_bytes();
    let end = [(directory.len() as u32).to_le_bytes(), (out.len() as u32).to_le_bytes()].concat();
    [out, directory, [b"PK\x05\x06\0\0\0\0", &n[..], &n, &end, &[0, 0]].concat()].concat()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut packer = DeflateEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(bytes).and_then(|()| packer.finish()).expect("memory takes everything")
}

/// An archive as `torch.save` lays it out around a pickle.
pub fn torch_save(pickle: &[u8]) -> Vec<u8> {
    zip(&[
        ("archive/data.pkl", pickle, Method::StoredThenSizes),
        ("archive/byteorder", b"little", Method::StoredThenSizes),
        ("archive/version", b"3\n", Method::StoredThenSizes),
        (
            "archive/.data/serialization_id",
            b"0636457737946401051300000012345678901234",
            Method::StoredThenSizes,
        ),
    ])
}
