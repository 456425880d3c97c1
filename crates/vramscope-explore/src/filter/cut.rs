//! The characters of an expression, and words cut out of them with the places that they came from.

use super::Fault;

/// Characters, read from the left.
pub(super) struct Cut {
    chars: Vec<char>,
    pub(super) at: usize,
}

/// A word without its quotes.
pub(super) struct Word {
    pub(super) text: String,
    /// Where its first character stands.
    from: usize,
    /// Characters of the text before which a backslash was taken out.
    escapes: Vec<usize>,
}

impl Word {
    /// Where a character of the text stands in the expression.
    pub(super) fn place(&self, at: usize) -> usize {
        self.from + at + self.escapes.iter().filter(|&&escape| escape <= at).count()
    }

    /// A fault of the characters `from..to` of the text.
    pub(super) fn fault(&self, message: impl Into<String>, from: usize, to: usize) -> Fault {
        let (from, to) = (self.place(from), self.place(to));
        Fault { message: message.into(), at: from, length: to.saturating_sub(from).max(1) }
    }

    /// Its parts between commas, with the place of each in the text.
    pub(super) fn items(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut at = 0;
        self.text.split(',').map(move |item| {
            let blank = item.chars().take_while(|c| c.is_whitespace()).count();
            let from = at + blank;
            at += item.chars().count() + 1;
            (from, item.trim())
        })
    }
}

impl Cut {
    pub(super) fn new(text: &str) -> Self {
        Self { chars: text.chars().collect(), at: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.chars.len()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    /// The character so many places on.
    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn text(&self, from: usize, to: usize) -> String {
        self.chars.get(from..to).unwrap_or_default().iter().collect()
    }

    pub(super) fn skip_blanks(&mut self) {
        self.skip(char::is_whitespace);
    }

    /// Goes on while characters are of a kind.
    pub(super) fn skip(&mut self, kind: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&kind) {
            self.at += 1;
        }
    }

    /// Takes a character if it is the next.
    pub(super) fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    /// Takes a word if it is the next and nothing goes on with it.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let length = word.chars().count();
        let same = word
            .chars()
            .enumerate()
            .all(|(i, c)| self.peek_at(i).is_some_and(|found| found == c || found == c.to_ascii_uppercase()));
        let ends = self.peek_at(length).is_none_or(|next| next.is_whitespace() || next == '(' || next == ')');
        self.at += if same && ends { length } else { 0 };
        same && ends
    }

    /// A fault from a place to where reading stands, one character at least.
    pub(super) fn fault(&self, message: impl Into<String>, from: usize) -> Fault {
        Fault { message: message.into(), at: from, length: self.at.saturating_sub(from).max(1) }
    }

    /// The next word: quoted, or as far as no blank and no bracket of a group ends it.
    pub(super) fn word(&mut self) -> Result<Word, Fault> {
        let from = self.at;
        if self.take('"') {
            return self.quoted(from);
        }
        self.at = self.end_of_word(from);
        Ok(Word { text: self.text(from, self.at), from, escapes: Vec::new() })
    }

    fn quoted(&mut self, quote: usize) -> Result<Word, Fault> {
        let mut word = Word { text: String::new(), from: quote + 1, escapes: Vec::new() };
        let mut length = 0;
        while let Some(c) = self.peek() {
            self.at += 1;
            if c == '"' {
                return Ok(word);
            }
            let escaped = c == '\\' && self.peek() == Some('"');
            if escaped {
                word.escapes.push(length);
                self.at += 1;
            }
            word.text.push(if escaped { '"' } else { c });
            length += 1;
        }
        Err(Fault { message: "This quote is not closed.".into(), at: quote, length: 1 })
    }

    /// Where an unquoted word that begins at a place ends. Brackets inside it are its own as long as they are in pairs.
    fn end_of_word(&self, from: usize) -> usize {
        let (mut at, mut depth, mut class) = (from, 0usize, false);
        while let Some(&c) = self.chars.get(at) {
            match c {
                c if c.is_whitespace() => break,
                '\\' => at += usize::from(self.chars.get(at + 1).is_some_and(|next| !next.is_whitespace())),
                '[' => class = true,
                ']' => class = false,
                '(' if !class => depth += 1,
                ')' if !class && depth == 0 => break,
                ')' if !class => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// A bracket begins a pattern, not a group: it is closed before a blank, and something goes on behind it.
    pub(super) fn bracket_is_of_pattern(&self) -> bool {
        let mut depth = 0usize;
        for (at, &c) in self.chars.iter().enumerate().skip(self.at) {
            match c {
                c if c.is_whitespace() => return false,
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return self.chars.get(at + 1).is_some_and(|next| !next.is_whitespace() && *next != ')');
            }
        }
        false
    }
}
