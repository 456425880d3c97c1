//! From text to conditions.

use super::cut::Cut;
use super::term::{Term, term};
use super::{Expr, Fault, Place, Step};

/// Longer texts are refused.
const MAX_CHARS: usize = 4_000;
/// Parentheses inside each other.
const MAX_DEPTH: usize = 32;
/// Conditions and values in lists, together.
const MAX_WEIGHT: usize = 64;

/// Reads an expression. An empty one has no conditions, and chooses everything.
///
/// # Errors
/// What is wrong, and where.
pub fn parse(text: &str) -> Result<Expr, Fault> {
    let cut = Cut::new(text);
    if cut.len() > MAX_CHARS {
        let message = format!("The expression is longer than {MAX_CHARS} characters.");
        return Err(Fault { message, at: MAX_CHARS, length: cut.len() - MAX_CHARS });
    }
    let mut parser =
        Parser { cut, depth: 0, weight: 0, terms: Vec::new(), program: Vec::new(), places: Vec::new() };
    parser.cut.skip_blanks();
    if parser.cut.peek().is_some() {
        parser.either()?;
    }
    if parser.cut.peek().is_some() {
        let from = parser.cut.at;
        return Err(parser.cut.fault("This parenthesis closes none.", from));
    }
    Ok(Expr { terms: parser.terms, program: parser.program, places: parser.places })
}

struct Parser {
    cut: Cut,
    depth: usize,
    weight: usize,
    terms: Vec<(Term, usize)>,
    program: Vec<Step>,
    places: Vec<Place>,
}

impl Parser {
    /// Conditions with `or` between them.
    fn either(&mut self) -> Result<(), Fault> {
        let from = self.cut.at;
        self.all()?;
        let mut alone = true;
        while self.cut.take_word("or") {
            alone = false;
            self.all()?;
            self.program.push(Step::Or);
        }
        if !alone && self.depth == 0 {
            // Taken together they are one.
            self.places.clear();
            self.keep_place(from, from, false);
        }
        Ok(())
    }

    /// Conditions side by side, up to an `or`, a parenthesis that closes, or the end.
    fn all(&mut self) -> Result<(), Fault> {
        self.operand()?;
        loop {
            self.cut.skip_blanks();
            let and = self.cut.take_word("and");
            if !and && (matches!(self.cut.peek(), None | Some(')')) || self.at_or()) {
                return Ok(());
            }
            self.operand()?;
            self.program.push(Step::And);
        }
    }

    fn at_or(&mut self) -> bool {
        let at = self.cut.at;
        let or = self.cut.take_word("or");
        self.cut.at = at;
        or
    }

    /// One condition, or a group, with what negates it.
    fn operand(&mut self) -> Result<(), Fault> {
        self.cut.skip_blanks();
        let from = self.cut.at;
        let mut negated = false;
        loop {
            let dash =
                self.cut.peek() == Some('-') && self.cut.peek_at(1).is_some_and(|next| !next.is_whitespace());
            if !(dash && self.cut.take('-') || self.cut.take_word("not")) {
                break;
            }
            negated = !negated;
            self.cut.skip_blanks();
        }
        let start = self.cut.at;
        match self.cut.peek() {
            None => return Err(self.missing("A condition belongs here.")),
            Some(')') => return Err(self.missing("A condition belongs before this parenthesis.")),
            Some(_) if self.at_or() => return Err(self.missing("A condition belongs before this word.")),
            Some('(') if !self.cut.bracket_is_of_pattern() => self.group()?,
            Some(_) => self.condition()?,
        }
        if negated {
            self.program.push(Step::Not);
        }
        if self.depth == 0 {
            self.keep_place(from, start, negated);
        }
        Ok(())
    }

    fn missing(&self, message: &str) -> Fault {
        Fault { message: message.into(), at: self.cut.at, length: 1 }
    }

    fn keep_place(&mut self, from: usize, start: usize, negated: bool) {
        let mut to = self.cut.at;
        while to > start && self.cut.text(to - 1, to).trim().is_empty() {
            to -= 1;
        }
        self.places.push(Place { from, to, negated, text: self.cut.text(start, to) });
    }

    fn group(&mut self) -> Result<(), Fault> {
        let from = self.cut.at;
        if self.depth == MAX_DEPTH {
            return Err(self.missing("Parentheses lie too deep in each other."));
        }
        self.cut.at += 1;
        self.depth += 1;
        self.either()?;
        self.depth -= 1;
        if !self.cut.take(')') {
            return Err(Fault { message: "This parenthesis is not closed.".into(), at: from, length: 1 });
        }
        Ok(())
    }

    fn condition(&mut self) -> Result<(), Fault> {
        let from = self.cut.at;
        let term = term(&mut self.cut)?;
        self.weight += term.weight();
        if self.weight > MAX_WEIGHT {
            return Err(self
                .cut
                .fault(format!("There are more than {MAX_WEIGHT} conditions and values."), from));
        }
        self.program.push(Step::Term(self.terms.len()));
        self.terms.push((term, from));
        Ok(())
    }
}
