//! The HTML pages of PyTorch 2.1 and later: `trace_plot` and `segment_plot` put the pickle into the page as base64. And the pages of
//! `vramscope page`, which have it in script elements of no script, in several if it is long.

use super::base64::Base64;
use super::find;

/// Finds the data in a page. What it finds of the page's other parts tells, at the end, what kind of page it was.
#[derive(Default)]
pub(super) struct Page {
    place: Place,
    /// The last bytes of the piece before, in which a word may have begun.
    tail: Vec<u8>,
    base64: Base64,
    out: Vec<u8>,
    /// Bytes of the page taken in.
    position: u64,
    /// Further files in the page.
    pub(super) others: u64,
    seen: [bool; OTHER_PAGES.len()],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Before the list of files.
    #[default]
    Before,
    /// In the list, before the data.
    List,
    /// After the key of the data: a colon and a quote are due.
    Key,
    /// In the start tag of an element that holds data.
    Tag,
    /// In the data, which end with this quote.
    Data(u8),
    /// After the data.
    After,
}

/// Also part of `add_local_files`, with which pages by others hand their files over.
const LIST: &[u8] = b"local_files";
const KEY: &[u8] = b"base64";
const ANOTHER: &[u8] = b"\"base64\"";
/// What `vramscope page` writes: an element that begins a file, and one that goes on with it.
const ELEMENT: &[u8] = b"octet-stream\" data-name=";
const MORE: &[u8] = b"octet-stream\" data-more";
const LONGEST_WORD: usize = 32;

/// Words that only other pages have, and what these are.
const OTHER_PAGES: [(&[u8], &str); 3] = [
    (b"let alloc_data =", "a `trace_plot` page of PyTorch 2.0, which holds a drawing and no snapshot"),
    (b"add_remote_files(", "a page that loads its snapshots from elsewhere"),
    (b"data:image/png;base64", "a page with a picture, such as the memory timeline of torch.profiler"),
];

/// A character in the data that is no base64.
pub(super) struct NoBase64 {
    pub(super) at: u64,
    pub(super) found: u8,
}

/// Characters decoded at once.
const STEP: usize = 64 << 10;

impl Page {
    /// Takes a piece of the page and hands on what it holds of the data.
    pub(super) fn feed<E>(
        &mut self,
        piece: &[u8],
        mut sink: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<Result<(), E>, NoBase64> {
        let mut rest = piece;
        while !rest.is_empty() {
            let used = match self.place {
                Place::Before | Place::List | Place::After => self.look(rest),
                Place::Key => self.after_key(rest),
                Place::Tag => match rest.iter().position(|&byte| byte == b'>') {
                    Some(at) => {
                        self.place = Place::Data(b'<');
                        at + 1
                    }
                    None => rest.len(),
                },
                Place::Data(quote) => {
                    let (used, end) = match rest.iter().take(STEP).position(|&byte| byte == quote) {
                        Some(at) => (at, true),
                        None => (rest.len().min(STEP), false),
                    };
                    self.decode(rest.get(..used).unwrap_or_default(), end)?;
                    let out = std::mem::take(&mut self.out);
                    if let Err(error) = sink(&out) {
                        return Ok(Err(error));
                    }
                    used + usize::from(end)
                }
            };
            self.position += used as u64;
            rest = rest.get(used..).unwrap_or_default();
        }
        Ok(Ok(()))
    }

    /// True once the data have begun.
    pub(super) fn has_data(&self) -> bool {
        matches!(self.place, Place::Data(_) | Place::After)
    }

    /// True if the data have ended with their quote.
    pub(super) fn is_whole(&self) -> bool {
        self.place == Place::After
    }

    /// What a page without data is.
    pub(super) fn looks_like(&self) -> &'static str {
        let known = self.seen.iter().zip(OTHER_PAGES).find(|(seen, _)| **seen);
        known.map_or("an HTML page", |(_, (_, looks_like))| looks_like)
    }

    fn decode(&mut self, text: &[u8], end: bool) -> Result<(), NoBase64> {
        let position = self.position;
        let wrong = |at: usize| NoBase64 {
            at: position + at as u64,
            found: text.get(at).copied().unwrap_or_default(),
        };
        self.base64.feed(text, &mut self.out).map_err(wrong)?;
        if end {
            self.base64.finish(&mut self.out);
            self.place = Place::After;
        }
        Ok(())
    }

    /// Looks for the next word; returns how many bytes are done with.
    fn look(&mut self, rest: &[u8]) -> usize {
        let before = self.tail.len();
        // Words that begin in the tail end within as many bytes of the piece.
        let mut seam = std::mem::take(&mut self.tail);
        seam.extend_from_slice(rest.get(..LONGEST_WORD).unwrap_or(rest));
        if let Some(end) = self.search(&seam, before) {
            return end - before;
        }
        if rest.len() <= LONGEST_WORD {
            let from = seam.len().saturating_sub(LONGEST_WORD - 1);
            self.tail = seam.split_off(from);
            return rest.len();
        }
        if let Some(end) = self.search(rest, LONGEST_WORD) {
            return end;
        }
        self.tail = rest.get(rest.len() - (LONGEST_WORD - 1)..).unwrap_or_default().to_vec();
        rest.len()
    }

    /// Looks for the words of this place that end after `fresh`. Where one leads on, the place changes and its end is returned.
    fn search(&mut self, bytes: &[u8], fresh: usize) -> Option<usize> {
        if self.place == Place::After {
            let more = find(bytes, MORE, fresh);
            let within = more.and_then(|end| bytes.get(..end)).unwrap_or(bytes);
            let others = count(within, ANOTHER, fresh) + count(within, ELEMENT, fresh);
            self.others += others;
            // The rest of another file is none of this one.
            if more.is_some() && self.others == 0 {
                self.place = Place::Tag;
                return more;
            }
            return None;
        }
        let (word, next) = if self.place == Place::Before { (LIST, Place::List) } else { (KEY, Place::Key) };
        let end = find(bytes, word, fresh);
        let within = end.and_then(|end| bytes.get(..end)).unwrap_or(bytes);
        for (seen, (word, _)) in self.seen.iter_mut().zip(OTHER_PAGES) {
            *seen |= find(within, word, fresh).is_some();
        }
        let element = if self.place == Place::Before { find(within, ELEMENT, fresh) } else { None };
        if element.is_some() {
            self.place = Place::Tag;
            return element;
        }
        if end.is_some() {
            self.place = next;
        }
        end
    }

    /// After `base64`: perhaps the quote of the key, a colon, and the quote that opens the data. Anything else was no key.
    fn after_key(&mut self, rest: &[u8]) -> usize {
        for (at, &byte) in rest.iter().enumerate() {
            let colon = self.tail.contains(&b':');
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => continue,
                b'"' | b'\'' if !colon && self.tail.is_empty() => self.tail.push(byte),
                b':' if !colon => self.tail.push(byte),
                b'"' | b'\'' | b'`' if colon => {
                    self.tail.clear();
                    self.place = Place::Data(byte);
                    return at + 1;
                }
                _ => {
                    self.tail.clear();
                    self.place = Place::List;
                    return at;
                }
            }
        }
        rest.len()
    }
}

fn count(bytes: &[u8], word: &[u8], fresh: usize) -> u64 {
    let (mut fresh, mut n) = (fresh, 0);
    while let Some(end) = find(bytes, word, fresh) {
        (fresh, n) = (end, n + 1);
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(page: &str, piece: usize) -> (Vec<u8>, u64, &'static str, bool) {
        let (mut found, mut html) = (Vec::new(), Page::default());
        for piece in page.as_bytes().chunks(piece) {
            let fed = html.feed(piece, |bytes| {
                found.extend_from_slice(bytes);
                Ok::<(), ()>(())
            });
            assert!(matches!(fed, Ok(Ok(()))));
        }
        (found, html.others, html.looks_like(), html.is_whole())
    }

    #[test]
    fn data_are_found_in_any_pieces() {
        let page = "<!DOCTYPE html> base64 <script>const local_files = [{\"name\": \"base64?\", \"base64\": \"Zm9v\"}, \
                    {\"base64\" : \"AAAA\"}, {\"base64\": \"AAAA\"}]; add_local_files(local_files, 'x')</script>";
        for piece in (1..80).chain([4096]) {
            assert_eq!(read(page, piece), (b"foo".to_vec(), 2, "an HTML page", true), "{piece}");
        }
        let by_hand = "<html>add_local_files([{name: 'a', base64 :'Zm8='}])";
        for piece in 1..60 {
            assert_eq!(read(by_hand, piece).0, b"fo", "{piece}");
        }
    }

    #[test]
    fn pages_of_our_own_hold_data_in_elements() {
        let element = |what: &str, text: &str| {
            format!("<script type=\"application/octet-stream\" data-{what}>{text}</script>\n")
        };
        let page = format!(
            "<!doctype html><meta charset=utf-8>{}{}{}{}<script>app('base64')</script>",
            element("name=\"a.pickle\"", "Zm9v"),
            element("more", "YmFy"),
            element("name=\"b.pickle\"", "AAAA"),
            element("more", "AAAA")
        );
        for piece in (1..80).chain([4096]) {
            assert_eq!(read(&page, piece), (b"foobar".to_vec(), 1, "an HTML page", true), "{piece}");
        }
    }

    #[test]
    fn other_pages_are_named() {
        for piece in [1, 7, 4096] {
            assert!(read("<html> let alloc_data = {}", piece).2.contains("PyTorch 2.0"));
            assert!(read("<html>add_remote_files([{name, url}])", piece).2.contains("elsewhere"));
            assert!(!read("<html> nothing", piece).3);
        }
    }
}
