//! Marks in sentences: `code` and **bold**, and nothing else.

/// A text of the file as code: nothing in it is a mark.
pub(super) fn code(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| match c {
            '`' => '\'',
            '|' => '¦',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    if text.trim().is_empty() { String::new() } else { format!("`{text}`") }
}

/// "`forward` `train.py:60`".
pub(super) fn place(name: &str, at: &str) -> String {
    match (code(name), code(at)) {
        (name, at) if at.is_empty() => name,
        (name, at) => format!("{name} {at}"),
    }
}

/// A sentence without its marks.
pub fn without_marks(text: &str) -> String {
    text.replace("**", "").replace('`', "")
}
