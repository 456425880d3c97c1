//! The module without the names of its functions: a fifth of its bytes, and only of use in a debugger.

use anyhow::{Result, bail};

/// Magic number and version.
const HEAD: usize = 8;
/// Id of a custom section.
const CUSTOM: u8 = 0;

/// Leaves out the custom section `name`; everything else stays as it is.
pub fn strip(module: &[u8]) -> Result<Vec<u8>> {
    let Some((head, mut rest)) = module.split_at_checked(HEAD) else { bail!("the module is cut") };
    let mut stripped = head.to_vec();
    while let Some((&id, after)) = rest.split_first() {
        let (size, body) = unsigned(after)?;
        let section_len = rest.len() - body.len() + size;
        let Some((section, next)) = rest.split_at_checked(section_len) else {
            bail!("a section of the module is cut")
        };
        if !(id == CUSTOM && is_names(body)) {
            stripped.extend_from_slice(section);
        }
        rest = next;
    }
    Ok(stripped)
}

fn is_names(body: &[u8]) -> bool {
    unsigned(body).is_ok_and(|(len, text)| text.get(..len) == Some(b"name"))
}

/// LEB128, and what follows it.
fn unsigned(bytes: &[u8]) -> Result<(usize, &[u8])> {
    let mut value = 0usize;
    for (at, &byte) in bytes.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            return Ok((value, &bytes[at + 1..]));
        }
    }
    bail!("a number in the module is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_names_go() {
        let custom = |name: &str| {
            let mut body = vec![name.len() as u8];
            body.extend_from_slice(name.as_bytes());
            body.extend_from_slice(&[7; 150]);
            let mut section = vec![0, (body.len() & 0x7f) as u8 | 0x80, (body.len() >> 7) as u8];
            section.extend(body);
            section
        };
        let code = [10, 3, 1, 2, 3];
        let head = *b"\0asm\x01\0\0\0";
        let module = [&head[..], &custom("producers"), &code, &custom("name"), &code].concat();
        assert_eq!(strip(&module).unwrap(), [&head[..], &custom("producers"), &code, &code].concat());
        assert!(strip(&module[..module.len() - 1]).is_err());
        assert!(strip(b"\0asm").is_err());
    }
}
