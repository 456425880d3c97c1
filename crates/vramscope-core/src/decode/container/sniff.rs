//! What a piece of data is, by its first bytes.

/// Bytes looked at to tell what a file is.
pub(super) const HEAD: usize = 512;

/// What the first bytes say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Pickle,
    Json,
    Html,
    Gzip,
    Zip,
    /// Something that cannot be opened: what it looks like.
    Other {
        looks_like: String,
    },
}

/// The first bytes of what cannot be opened, and what it is.
const KNOWN: [(&[u8], &str); 15] = [
    (b"SQLite", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\xfd7zXZ", "an xz archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"\x04\x22\x4d\x18", "an lz4 archive; unpack it first"),
    (b"\xff\xfe", "a text in UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "a text in UTF-16; save it as UTF-8"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself; fetch it with git lfs pull"),
    // The magic number with which torch.save began before PyTorch 1.6, and legacy saving still does.
    (b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", "a PyTorch checkpoint of the old format"),
];

/// Tells what data are. `head` is their first [`HEAD`] bytes or all of them.
pub(super) fn sniff(head: &[u8]) -> Kind {
    let other = |looks_like: &str| Kind::Other { looks_like: looks_like.into() };
    if let Some((_, looks_like)) = KNOWN.iter().find(|(magic, _)| head.starts_with(magic)) {
        return other(looks_like);
    }
    match head {
        [0x80, 0..=9, ..] => Kind::Pickle,
        [0x1f, 0x8b, ..] => Kind::Gzip,
        // A local file, or the end of an archive without any.
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Kind::Zip,
        // Protocols 0 and 1 start with a container: a dict or a list, marked or empty.
        [b'(', b'd' | b'l', ..] | [b'}' | b']', ..] => Kind::Pickle,
        _ if head.get(257..262) == Some(b"ustar") => other("a tar archive; unpack it first"),
        _ => sniff_text(head),
    }
}

fn sniff_text(head: &[u8]) -> Kind {
    let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let lower: Vec<u8> = start.iter().take(16).map(u8::to_ascii_lowercase).collect();
    if matches!(start.first(), Some(b'{' | b'[')) {
        return Kind::Json;
    }
    if [&b"<!doctype"[..], b"<html", b"<head", b"<script", b"<!--"].iter().any(|tag| lower.starts_with(tag)) {
        return Kind::Html;
    }
    let looks_like = if is_text(head) {
        "plain text".into()
    } else {
        let bytes: Vec<String> = head.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        format!("nothing known; it starts with the bytes {}", bytes.join(" "))
    };
    Kind::Other { looks_like }
}

fn is_text(head: &[u8]) -> bool {
    // The head may end inside a character.
    let whole = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(head.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default()
        }
        Err(_) => "",
    };
    !whole.is_empty() && !whole.chars().any(|c| c.is_control() && !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks_like(head: &[u8]) -> String {
        match sniff(head) {
            Kind::Other { looks_like } => looks_like,
            kind => format!("{kind:?}"),
        }
    }

    #[test]
    fn by_content() {
        for (head, kind) in [
            (&b"\x80\x04\x95"[..], Kind::Pickle),
            (b"(dp0\n", Kind::Pickle),
            (b"}q\x00(", Kind::Pickle),
            (b"\x1f\x8b\x08", Kind::Gzip),
            (b"PK\x03\x04", Kind::Zip),
            (b"PK\x05\x06\x00", Kind::Zip),
            (b"\xef\xbb\xbf\n {\"segments\"", Kind::Json),
            (b"[", Kind::Json),
            (b"\n<!DOCTYPE html>", Kind::Html),
            (b"<HTML lang=en>", Kind::Html),
        ] {
            assert_eq!(sniff(head), kind, "{head:?}");
        }
        assert_eq!(looks_like("# vramscope – größer\n".as_bytes()), "plain text");
        assert_eq!(looks_like(&"größer".as_bytes()[..3]), "plain text");
        assert_eq!(looks_like(b"\x00\x01"), "nothing known; it starts with the bytes 00 01");
        assert_eq!(looks_like(b"SQLite format 3\0"), "an SQLite database");
    }
}
