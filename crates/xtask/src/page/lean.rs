//! Scripts and styles without what only their authors read: comments and indentation, more than a third of their bytes when compressed.
//!
//! Of scripts `minify` then shortens the names.

use anyhow::{Result, bail};

/// A script without comments, indentation and empty lines; strings, templates and patterns stay as they are.
pub fn script(text: &str) -> Result<String> {
    let mut lean = Lean { rest: text, out: String::with_capacity(text.len()) };
    // For each template whose `${…}` is open: the braces open in it.
    let mut braces: Vec<usize> = Vec::new();
    while let Some(c) = lean.rest.chars().next() {
        match c {
            '/' if lean.rest.starts_with("//") => lean.skip(lean.rest.find('\n').unwrap_or(lean.rest.len())),
            '/' if lean.rest.starts_with("/*") => lean.skip_comment()?,
            '/' if lean.pattern_may_start() => lean.take_pattern()?,
            '\'' | '"' => lean.take_string(c)?,
            '`' => {
                lean.take(1);
                lean.take_template(&mut braces)?;
            }
            '}' if braces.last() == Some(&0) => {
                braces.pop();
                lean.take(1);
                lean.take_template(&mut braces)?;
            }
            '{' | '}' => {
                if let Some(open) = braces.last_mut() {
                    *open = if c == '{' { *open + 1 } else { *open - 1 };
                }
                lean.take(1);
            }
            c if c.is_whitespace() => lean.take_space(),
            c => lean.take(c.len_utf8()),
        }
    }
    Ok(lean.out.trim().to_owned() + "\n")
}

/// A style sheet without comments, and without white space that parts nothing.
pub fn style(text: &str) -> Result<String> {
    let mut lean = Lean { rest: text, out: String::with_capacity(text.len()) };
    while let Some(c) = lean.rest.chars().next() {
        match c {
            '/' if lean.rest.starts_with("/*") => lean.skip_comment()?,
            '\'' | '"' => lean.take_string(c)?,
            c if c.is_whitespace() => lean.take_space_of_style(),
            '{' | '}' | ';' | ',' => lean.take_mark(),
            c => lean.take(c.len_utf8()),
        }
    }
    Ok(lean.out.trim().to_owned() + "\n")
}

struct Lean<'a> {
    rest: &'a str,
    out: String,
}

impl Lean<'_> {
    fn take(&mut self, bytes: usize) {
        self.out.push_str(&self.rest[..bytes]);
        self.skip(bytes);
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    /// White space becomes one line break or one blank.
    fn take_space(&mut self) {
        let end = self.rest.find(|c: char| !c.is_whitespace()).unwrap_or(self.rest.len());
        let breaks = self.rest[..end].contains('\n');
        self.skip(end);
        if breaks {
            self.out.truncate(self.out.trim_end_matches(' ').len());
        }
        if !self.out.ends_with(['\n', if breaks { '\n' } else { ' ' }]) {
            self.out.push(if breaks { '\n' } else { ' ' });
        }
    }

    /// White space parts names and values, but nothing beside a mark, and nothing after the colon of a property.
    fn take_space_of_style(&mut self) {
        let end = self.rest.find(|c: char| !c.is_whitespace()).unwrap_or(self.rest.len());
        self.skip(end);
        if !self.out.ends_with(['{', '}', ';', ',', ':', ' ']) {
            self.out.push(' ');
        }
    }

    fn take_mark(&mut self) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        if self.rest.starts_with('}') && self.out.ends_with(';') {
            self.out.pop();
        }
        self.take(1);
    }

    /// A comment parts words as a blank does; one over several lines ends a statement as a line break does.
    fn skip_comment(&mut self) -> Result<()> {
        let Some(end) = self.rest.find("*/") else { bail!("a comment never ends") };
        let breaks = self.rest[..end].contains('\n');
        self.skip(end + 2);
        if !self.out.ends_with(char::is_whitespace) || (breaks && !self.out.ends_with('\n')) {
            self.out.push(if breaks { '\n' } else { ' ' });
        }
        Ok(())
    }

    fn take_string(&mut self, quote: char) -> Result<()> {
        self.take_until("string", |c| c == quote, |c| c == '\n')
    }

    /// After its backtick, or after the `}` that ends a part: up to the backtick or the next `${`.
    fn take_template(&mut self, braces: &mut Vec<usize>) -> Result<()> {
        let mut escaped = false;
        for (at, c) in self.rest.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '`' => {
                    self.take(at + 1);
                    return Ok(());
                }
                '$' if self.rest[at..].starts_with("${") => {
                    self.take(at + 2);
                    braces.push(0);
                    return Ok(());
                }
                _ => {}
            }
        }
        bail!("a template never ends: {}", self.place())
    }

    fn take_pattern(&mut self) -> Result<()> {
        let mut in_class = false;
        let ends = move |c| {
            in_class = c == '[' || (in_class && c != ']');
            c == '/' && !in_class
        };
        self.take_until("pattern", ends, |c| c == '\n')
    }

    /// From the character at which it starts to the one that ends it; backslashes escape.
    fn take_until(
        &mut self,
        what: &str,
        mut ends: impl FnMut(char) -> bool,
        breaks: impl Fn(char) -> bool,
    ) -> Result<()> {
        let mut escaped = false;
        for (at, c) in self.rest.char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if breaks(c) => break,
                c if ends(c) => {
                    self.take(at + c.len_utf8());
                    return Ok(());
                }
                _ => {}
            }
        }
        bail!("a {what} never ends: {}", self.place())
    }

    /// After a value `/` divides; before one it starts a pattern.
    fn pattern_may_start(&self) -> bool {
        let before = self.out.trim_end();
        let word = before.rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
        match word {
            "" => !before.ends_with([')', ']', '}', '\'', '"', '`']),
            word => ["return", "typeof", "case", "of", "in", "await", "void", "else"].contains(&word),
        }
    }

    fn place(&self) -> &str {
        self.rest.lines().next().unwrap_or_default()
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go() {
        let source = "// head\nimport { a } from './a.js';\n\n/**\n * @param {number} x\n */\nexport function f(x) {\n  \
                      // why\n  const node = /** @type {any} */ (a(x));   // tail\n\n    return x / 2 / 3;\n}\n";
        let lean = "import { a } from './a.js';\nexport function f(x) {\nconst node = (a(x));\nreturn x / 2 / 3;\n}\n";
        assert_eq!(script(source).unwrap(), lean);
        assert_eq!(script("let a = 1/* \n */let b = 2").unwrap(), "let a = 1\nlet b = 2\n");
        assert_eq!(script("return/**/x").unwrap(), "return x\n");
    }

    #[test]
    fn strings_templates_and_patterns_stay() {
        for source in [
            "a('http://x  /* y */', \"// '\", 'it\\'s  // one');\n",
            "a(`  // ${b({ c: `/* ${d}  */` })}  //\n   e \\` // `, 1);\n",
            "a.replace(/[/'\"]  \\/\\/ /g, '').split(/`/);\n",
            "b = x / y / 'z';\nreturn /'/.test(a);\n",
        ] {
            assert_eq!(script(source).unwrap(), source);
        }
    }

    #[test]
    fn what_never_ends_is_refused() {
        for source in ["a('b\n');", "a(`b", "/* a", "x = /a\n/"] {
            assert!(script(source).is_err(), "{source}");
        }
    }

    #[test]
    fn styles_keep_what_they_say() {
        let source =
            "/* a\n b */\n:root {\n  --x: 1px;  /* why */\n}\n\np::after { content: \"  /* */\"; }\n";
        let lean = ":root{--x:1px}p::after{content:\"  /* */\"}\n";
        assert_eq!(style(source).unwrap(), lean);
        assert!(style("/* a").is_err());
    }
}
