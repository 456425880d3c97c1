//! A measured figure, and whether it holds.

use serde_json::{Value, json};

use super::bounds::Measure;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// One figure.
    One(f64),
    /// Several, ascending: the one that 95 % are within counts.
    Several(Vec<f64>),
    /// None, and why.
    Nothing(String),
}

/// Whether a figure holds its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It has none, or was not measured.
    NoBound,
    /// Better than it should become.
    Aim,
    /// As it must be.
    Holds,
    /// Not as it must be.
    Fails,
}

impl Verdict {
    /// For the table.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::NoBound => "",
            Verdict::Aim => "aim",
            Verdict::Holds => "holds",
            Verdict::Fails => "FAILS",
        }
    }
}

/// A line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it is.
    pub measure: &'static Measure,
    /// What was found.
    pub found: Found,
    /// Of the file it belongs to: says which bounds hold.
    pub events: u64,
}

impl Found {
    /// Figures in any order; without any, why.
    pub fn several(mut figures: Vec<f64>, otherwise: &str) -> Found {
        figures.retain(|figure| figure.is_finite());
        figures.sort_by(f64::total_cmp);
        if figures.is_empty() { Found::Nothing(otherwise.into()) } else { Found::Several(figures) }
    }

    /// A figure if it could be had.
    pub fn one(figure: Option<f64>, otherwise: &str) -> Found {
        figure
            .filter(|figure| figure.is_finite())
            .map_or_else(|| Found::Nothing(otherwise.into()), Found::One)
    }

    /// The figure that is held against the bounds.
    pub fn figure(&self) -> Option<f64> {
        match self {
            Found::One(figure) => Some(*figure),
            Found::Several(figures) => Some(quantile(figures, 0.95)),
            Found::Nothing(_) => None,
        }
    }
}

/// Of ascending figures, the one that such a share is within.
pub fn quantile(figures: &[f64], share: f64) -> f64 {
    let at = ((figures.len() as f64 * share).ceil() as usize).saturating_sub(1);
    figures.get(at.min(figures.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

impl Row {
    /// Whether it holds.
    pub fn verdict(&self) -> Verdict {
        let (Some(figure), Some(bound)) = (self.found.figure(), self.measure.bound(self.events)) else {
            return Verdict::NoBound;
        };
        let within = |bound: f64| if self.measure.more_is_better { figure >= bound } else { figure <= bound };
        let most = match &self.found {
            Found::Several(figures) => figures.last().copied(),
            _ => None,
        };
        if bound.must.is_none() {
            return Verdict::NoBound;
        }
        if bound.must.is_some_and(|must| !within(must)) || most > bound.most.or(most) {
            return Verdict::Fails;
        }
        if bound.aim.is_some_and(within) { Verdict::Aim } else { Verdict::Holds }
    }

    /// For `bench.json`.
    pub fn json(&self) -> Value {
        let bound = self.measure.bound(self.events);
        let (figures, why) = match &self.found {
            Found::One(figure) => (json!({ "value": figure }), None),
            Found::Several(all) => {
                let [p50, p95, most] = [0.5, 0.95, 1.0].map(|share| quantile(all, share));
                (json!({ "p50": p50, "p95": p95, "max": most, "n": all.len() }), None)
            }
            Found::Nothing(why) => (Value::Null, Some(why)),
        };
        json!({
            "id": self.measure.id, "what": self.measure.what.trim(), "unit": self.measure.unit.name(), "found": figures, "not_measured": why,
            "must": bound.and_then(|bound| bound.must), "aim": bound.and_then(|bound| bound.aim), "most": bound.and_then(|bound| bound.most),
            "verdict": self.verdict().word(), "why": self.measure.why,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::bounds::measure;
    use super::*;

    fn verdict(id: &str, events: u64, found: Found) -> Verdict {
        Row { measure: measure(id).unwrap(), found, events }.verdict()
    }

    #[test]
    fn bounds_depend_on_events_and_on_the_worst() {
        assert_eq!(verdict("first_paint_ratio", 10_000, Found::One(40.0)), Verdict::NoBound);
        assert_eq!(verdict("first_paint_ratio", 2_950_000, Found::One(4.5)), Verdict::Fails);
        assert_eq!(verdict("first_paint_ratio", 12_000_000, Found::One(4.5)), Verdict::Holds);
        assert_eq!(verdict("reader_mb_s", 2_950_000, Found::One(950.0)), Verdict::Aim);
        assert_eq!(verdict("reader_mb_s", 2_950_000, Found::One(400.0)), Verdict::Fails);
        let mut frames = vec![5.0; 99];
        assert_eq!(verdict("full_moved_ms", 5, Found::several(frames.clone(), "")), Verdict::Aim);
        frames.push(51.0);
        assert_eq!(verdict("full_moved_ms", 5, Found::several(frames, "")), Verdict::Fails);
        assert_eq!(verdict("hover_ms", 5, Found::several(vec![], "not built")), Verdict::NoBound);
    }

    #[test]
    fn names_are_different() {
        let mut ids: Vec<_> = super::super::bounds::MEASURES.iter().map(|measure| measure.id).collect();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
    }
}
