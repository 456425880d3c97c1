//! What expressions choose, kept between the many questions and pictures that carry the same one.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vramscope_core::bits::Bits;
use vramscope_core::query::Fields;
use vramscope_core::replay::{Filter, Recording};
use vramscope_explore::filter::{
    Fault, Found, FoundNext, Place, Scope, Way, alive, found, found_next, parse,
};

/// Expressions kept: that of the field, and what views ask beside it.
const KEPT: usize = 4;

/// The moments marked as A and B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Marks {
    a: Option<u32>,
    b: Option<u32>,
}

/// An expression about a device.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wish {
    device: i64,
    expr: String,
    marks: Marks,
}

/// The last expressions, most recent last, and what one has found under a filter.
#[derive(Default)]
pub(crate) struct Chosen {
    kept: Vec<(Wish, Result<Rc<Bits>, Fault>)>,
    counted: Option<(Wish, Filter, Found)>,
}

/// What an expression has found.
#[derive(Serialize)]
pub(crate) struct Answer {
    #[serde(flatten)]
    found: Found,
    terms: Vec<Place>,
}

impl Chosen {
    /// What the fields `expr` and `marks` choose; `None` if there is no expression, or a faulty one.
    pub(crate) fn get(&mut self, recording: &Recording, device: i64, fields: Fields<'_>) -> Option<Rc<Bits>> {
        self.chosen(recording, Wish::of(device, fields)?).ok()
    }

    fn chosen(&mut self, recording: &Recording, wish: Wish) -> Result<Rc<Bits>, Fault> {
        if let Some((_, chosen)) = self.kept.iter().find(|(kept, _)| *kept == wish) {
            return chosen.clone();
        }
        let marks = [wish.marks.a, wish.marks.b];
        let chosen = parse(&wish.expr).and_then(|expr| match Scope::new(recording, wish.device, marks) {
            Some(scope) => expr.choose(&scope).map(Rc::new),
            None => Ok(Rc::default()),
        });
        if self.kept.len() == KEPT {
            drop(self.kept.remove(0));
        }
        self.kept.push((wish, chosen.clone()));
        chosen
    }

    /// What was found, for the question `filter`; `None` for an unknown device.
    pub(crate) fn found(
        &mut self,
        recording: &Recording,
        device: i64,
        fields: Fields<'_>,
    ) -> serde_json::Result<Result<Option<Answer>, Fault>> {
        let moment: Option<u32> = fields.get("moment")?;
        let wish = Wish::of(device, fields).unwrap_or_else(|| Wish::nothing(device));
        let chosen = match self.chosen(recording, wish.clone()) {
            Ok(chosen) => chosen,
            Err(fault) => return Ok(Err(fault)),
        };
        let kept = self.counted.take();
        let kept = kept.filter(|(of, under, _)| *of == wish && under == recording.filter());
        let counted = match kept {
            Some((.., found)) => Some(found),
            None => found(recording, device, &chosen),
        };
        let Some(mut found) = counted else { return Ok(Ok(None)) };
        found.alive = moment.and_then(|moment| alive(recording, device, &chosen, moment));
        let terms = parts(&wish.expr);
        self.counted = Some((wish, recording.filter().clone(), found));
        Ok(Ok(Some(Answer { found, terms })))
    }

    /// The conditions side by side, for the question `filter_parts`, or what is wrong with the expression.
    pub(crate) fn parts(
        &mut self,
        recording: &Recording,
        device: i64,
        fields: Fields<'_>,
    ) -> Result<Vec<Place>, Fault> {
        let wish = Wish::of(device, fields).unwrap_or_else(|| Wish::nothing(device));
        let parts = parts(&wish.expr);
        self.chosen(recording, wish).map(|_| parts)
    }

    /// The next one found, for the question `filter_next`.
    pub(crate) fn next(
        &mut self,
        recording: &Recording,
        device: i64,
        fields: Fields<'_>,
    ) -> serde_json::Result<Option<FoundNext>> {
        let (from, towards): (_, Way) = (fields.get("from")?, fields.get("towards")?);
        let chosen = self.get(recording, device, fields).unwrap_or_default();
        Ok(found_next(recording, device, &chosen, from, towards))
    }

    /// Forgets all: what they were about has changed.
    pub(crate) fn forget(&mut self) {
        self.kept.clear();
        self.counted = None;
    }
}

impl Wish {
    fn of(device: i64, fields: Fields<'_>) -> Option<Self> {
        let expr = fields.text("expr");
        let marks = fields.get_or_default("marks").unwrap_or_default();
        (!expr.trim().is_empty()).then(|| Self { device, expr: expr.to_owned(), marks })
    }

    fn nothing(device: i64) -> Self {
        Self { device, expr: String::new(), marks: Marks::default() }
    }
}

fn parts(expr: &str) -> Vec<Place> {
    parse(expr).map(|expr| expr.places().to_vec()).unwrap_or_default()
}

/// The words of the language, for help and completion.
pub(crate) fn keys() -> Value {
    json!(vramscope_explore::filter::KEYS)
}
