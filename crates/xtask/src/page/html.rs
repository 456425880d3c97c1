//! Just enough HTML to find start tags in our own pages and to replace parts of the text.

use std::ops::Range;

/// Elements whose content is text, not tags.
const RAW_TEXT: [&str; 4] = ["script", "style", "textarea", "title"];

/// A start tag.
pub struct Tag<'a> {
    /// Lower-case as we write it.
    pub name: &'a str,
    /// Where it stands, from `<` to after `>`.
    pub range: Range<usize>,
    attributes: Vec<(&'a str, &'a str)>,
}

impl<'a> Tag<'a> {
    /// The value of an attribute; empty if it has none.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|attribute| attribute.0 == name).map(|attribute| attribute.1)
    }

    /// The range of the whole element; of the tag alone if it is never closed.
    pub fn element(&self, html: &str) -> Range<usize> {
        let close = format!("</{}>", self.name);
        let end = html[self.range.end..]
            .find(&close)
            .map_or(self.range.end, |at| self.range.end + at + close.len());
        self.range.start..end
    }
}

/// All start tags, in order; not those in comments, scripts or styles.
pub fn start_tags(html: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut from = 0;
    while let Some(at) = html[from..].find('<').map(|at| from + at) {
        let rest = &html[at..];
        if rest.starts_with("<!--") {
            from = at + rest.find("-->").unwrap_or(rest.len());
        } else if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            let tag = read_tag(html, at);
            from = if RAW_TEXT.contains(&tag.name) { tag.element(html).end } else { tag.range.end };
            tags.push(tag);
        } else {
            from = at + 1;
        }
    }
    tags
}

fn read_tag(html: &str, start: usize) -> Tag<'_> {
    let is_space_or_slash = |c: char| c.is_ascii_whitespace() || c == '/';
    let (name, mut rest) = split_at(&html[start + 1..], |c| is_space_or_slash(c) || c == '>');
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start_matches(is_space_or_slash);
        if rest.is_empty() || rest.starts_with('>') {
            break;
        }
        let (key, after) = split_at(rest, |c| is_space_or_slash(c) || c == '=' || c == '>');
        let (value, after) = read_value(after);
        attributes.push((key, value));
        rest = after;
    }
    let end = (html.len() - rest.len() + 1).min(html.len());
    Tag { name, range: start..end, attributes }
}

/// `= "value"`, `='value'`, `=value` or nothing, and what follows.
fn read_value(text: &str) -> (&str, &str) {
    let Some(value) = text.trim_start().strip_prefix('=').map(str::trim_start) else {
        return ("", text);
    };
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
        _ => split_at(value, |c| c.is_ascii_whitespace() || c == '>'),
    }
}

fn split_at(text: &str, end: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(end).unwrap_or(text.len()))
}

/// Replaces ranges, given in order.
pub fn replace(html: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut result = String::with_capacity(html.len());
    let mut from = 0;
    for (range, text) in edits {
        result.push_str(&html[from..range.start]);
        result.push_str(text);
        from = range.end;
    }
    result + &html[from..]
}

/// Without the links that told Trunk what to do; it leaves them when it injects no scripts.
pub fn without_trunk_links(html: &str) -> String {
    let links =
        start_tags(html).into_iter().filter(|tag| tag.name == "link" && tag.get("data-trunk").is_some());
    let edits: Vec<_> = links.map(|tag| (with_line_end(html, tag.range), String::new())).collect();
    replace(html, &edits)
}

/// The whole line, if nothing else stands on it.
pub fn with_line_end(html: &str, range: Range<usize>) -> Range<usize> {
    let before = html[..range.start].trim_end_matches([' ', '\t']);
    let own_line = before.is_empty() || before.ends_with('\n');
    if own_line && html[range.end..].starts_with('\n') { before.len()..range.end + 1 } else { range }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_attributes_in_every_notation() {
        let html = r#"<!-- <b> --><link rel=stylesheet href="./a b.css" data-trunk/><script src='x'>"<i>"</script><p>"#;
        let tags = start_tags(html);
        assert_eq!(tags.iter().map(|tag| tag.name).collect::<Vec<_>>(), ["link", "script", "p"]);
        assert_eq!(tags[0].get("rel"), Some("stylesheet"));
        assert_eq!(tags[0].get("href"), Some("./a b.css"));
        assert_eq!(tags[0].get("data-trunk"), Some(""));
        assert_eq!(tags[1].get("src"), Some("x"));
        assert_eq!(&html[tags[1].element(html)], r#"<script src='x'>"<i>"</script>"#);
    }

    #[test]
    fn a_tag_that_never_ends_is_read_to_the_end() {
        for html in ["<", "<a", "<a b", "<a b=", "<a b=\"c", "<!-- ", "<script>"] {
            assert!(start_tags(html).len() <= 1, "{html}");
        }
    }

    #[test]
    fn links_for_trunk_go_with_their_line() {
        let html = "<head>\n  <link data-trunk rel=\"rust\">\n  <link rel=\"icon\" href=\"data:,\">\n</head>";
        assert_eq!(without_trunk_links(html), "<head>\n  <link rel=\"icon\" href=\"data:,\">\n</head>");
    }
}
