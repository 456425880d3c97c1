//! JSON as Python's `json.dump` writes it: tuples as lists, everything outside ASCII escaped.

use std::fmt::Write;

use super::V;

/// The JSON of a value.
pub fn json(value: &V) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &V, out: &mut String) {
    match value {
        V::None => out.push_str("null"),
        V::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
        V::Int(int) => write!(out, "{int}").expect("a text grows"),
        V::Float(float) if float.is_nan() => out.push_str("NaN"),
        V::Float(float) if float.is_infinite() => {
            out.push_str(if *float < 0.0 { "-Infinity" } else { "Infinity" })
        }
        V::Float(float) => write!(out, "{float:?}").expect("a text grows"),
        V::Text(text) => write_text(text, out),
        V::List(items) => write_items('[', items.iter().map(|item| (None, item)), ']', out),
        V::Tuple(items) => write_items('[', items.iter().map(|item| (None, item)), ']', out),
        V::Dict(pairs) => write_items('{', pairs.iter().map(|(key, item)| (Some(key), item)), '}', out),
    }
}

fn write_items<'a>(
    open: char,
    items: impl Iterator<Item = (Option<&'a String>, &'a V)>,
    close: char,
    out: &mut String,
) {
    out.push(open);
    for (nth, (key, item)) in items.enumerate() {
        if nth > 0 {
            out.push_str(", ");
        }
        if let Some(key) = key {
            write_text(key, out);
            out.push_str(": ");
        }
        write(item, out);
    }
    out.push(close);
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            ' '..='~' => out.push(char),
            _ => {
                let mut units = [0; 2];
                for unit in char.encode_utf16(&mut units) {
                    write!(out, "\\u{unit:04x}").expect("a text grows");
                }
            }
        }
    }
    out.push('"');
}
