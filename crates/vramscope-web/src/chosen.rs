//! What expressions choose, kept between the many questions and pictures that carry the same one.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vramscope_core::bits::Bits;
use vramscope_core::query::Fields;
use vramscope_core::replay::Recording;
use vramscope_explore::filter::{Fault, Found, FoundNext, Place, Scope, Way, found, found_next, parse};

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

/// The last expressions, most recent last.
#[derive(Default)]
pub(crate) struct Chosen(Vec<(Wish, Result<Rc<Bits>, Fault>)>);

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
        if let Some(at) = self.0.iter().position(|(kept, _)| *kept == wish) {
            return self.0[at].1.clone();
        }
        let marks = [wish.marks.a, wish.marks.b];
        let chosen = parse(&wish.expr).and_then(|expr| match Scope::new(recording, wish.device, marks) {
            Some(scope) => expr.choose(&scope).map(Rc::new),
            None => Ok(Rc::default()),
        });
        if self.0.len() == KEPT {
            drop(self.0.remove(0));
        }
        self.0.push((wish, chosen.clone()));
        chosen
    }

    /// What was found, for the question `filter`; `None` for an unknown device.
    pub(crate) fn found(
        &mut self,
        recording: &Recording,
        device: i64,
        fields: Fields<'_>,
    ) -> serde_json::Result<Result<Option<Answer>, Fault>> {
        let moment = fields.get("moment")?;
        let wish = Wish::of(device, fields).unwrap_or_else(|| Wish::nothing(device));
        let terms = parse(&wish.expr).map(|expr| expr.places().to_vec()).unwrap_or_default();
        let chosen = self.chosen(recording, wish);
        Ok(chosen.map(|chosen| {
            found(recording, device, &chosen, moment).map(|found| Answer { found, terms })
        }))
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
        self.0.clear();
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

/// The words of the language, for help and completion.
pub(crate) fn keys() -> Value {
    json!(vramscope_explore::filter::KEYS)
}
