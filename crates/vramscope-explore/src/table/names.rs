//! Places and operators of all stacks, numbered in the order of their texts.

use std::cmp::Ordering;

use vramscope_core::ids::{FrameId, StackId};
use vramscope_core::model::{FrameKind, Snapshot};
use vramscope_core::order;
use vramscope_core::replay::{Site, operator};

/// A stack has none.
pub(super) const NONE: u32 = u32::MAX;

/// Made once for a recording: it has thousands of stacks and millions of allocations.
#[derive(Clone, Debug, Default)]
pub struct Names {
    sites: Vec<Place>,
    site_of_stack: Vec<u32>,
    operators: Vec<String>,
    operator_of_stack: Vec<u32>,
}

/// A line of code, or what stands for one.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) at: String,
    pub(super) own: bool,
}

impl Names {
    /// Of a snapshot.
    pub fn of(snapshot: &Snapshot) -> Names {
        let n_stacks = snapshot.stacks.n_stacks();
        let sites: Vec<Site> = (0..n_stacks as u32).map(|id| Site::of_stack(StackId(id), snapshot)).collect();
        let (different, site_of_stack) = numbered(n_stacks, &|a, b| sites[a].cmp(&sites[b]));
        let place = |&stack: &u32| {
            let site = &sites[stack as usize];
            Place { name: site.name(snapshot), at: site.at(snapshot), own: site.is_own(snapshot) }
        };
        let places: Vec<Place> = different.iter().map(place).collect();
        let (sites, site_of_stack) =
            in_order(places, site_of_stack, &|a, b| a.name.cmp(&b.name).then_with(|| a.at.cmp(&b.at)));
        let (operators, operator_of_stack) = operators(snapshot);
        Names { sites, site_of_stack, operators, operator_of_stack }
    }

    /// The number of a stack's place.
    #[inline]
    pub(super) fn site_of(&self, stack: StackId) -> u32 {
        self.site_of_stack.get(stack.index()).copied().unwrap_or(NONE)
    }

    /// The number of a stack's operator, or [`NONE`].
    #[inline]
    pub(super) fn operator_of(&self, stack: StackId) -> u32 {
        self.operator_of_stack.get(stack.index()).copied().unwrap_or(NONE)
    }

    /// A place.
    pub(super) fn site(&self, number: u32) -> Option<&Place> {
        self.sites.get(number as usize)
    }

    /// An operator.
    pub(super) fn operator(&self, number: u32) -> Option<&str> {
        self.operators.get(number as usize).map(String::as_str)
    }
}

/// The outermost ATen operator inside the innermost Python line, of each stack: `linear`, not the `addmm` in it.
fn operators(snapshot: &Snapshot) -> (Vec<String>, Vec<u32>) {
    let stacks = &snapshot.stacks;
    let n_frames = stacks.n_frames();
    let mut is_python = vec![false; n_frames];
    let mut found = Vec::new();
    let mut found_in = vec![NONE; n_frames];
    for at in 0..n_frames {
        let Some(frame) = stacks.frame(FrameId(at as u32)) else { continue };
        is_python[at] = frame.kind(&snapshot.strings) != FrameKind::Cpp;
        if let Some(name) = operator(&snapshot.strings.get(frame.name)) {
            found_in[at] = found.len() as u32;
            found.push(name.to_owned());
        }
    }
    let (different, number) = numbered(found.len(), &|a, b| found[a].cmp(&found[b]));
    let of_stack = |stack: u32| {
        let frames = stacks.frames_of(StackId(stack)).iter();
        let native = frames.take_while(|frame| !is_python.get(frame.index()).copied().unwrap_or(true));
        let last = native.filter_map(|frame| number.get(*found_in.get(frame.index())? as usize)).last();
        last.copied().unwrap_or(NONE)
    };
    let of_stacks = (0..stacks.n_stacks() as u32).map(of_stack).collect();
    (different.iter().map(|&at| found[at as usize].clone()).collect(), of_stacks)
}

/// One of each that differ, in order, and the number that each has among them.
fn numbered(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> (Vec<u32>, Vec<u32>) {
    let (mut different, mut number): (Vec<u32>, _) = (Vec::new(), vec![0; len]);
    for at in order::of(len, compare) {
        if different.last().is_none_or(|&last| compare(last as usize, at as usize).is_ne()) {
            different.push(at);
        }
        number[at as usize] = different.len() as u32 - 1;
    }
    (different, number)
}

/// Places in the order of their texts, and numbers that follow them.
fn in_order(
    mut places: Vec<Place>,
    numbers: Vec<u32>,
    compare: &dyn Fn(&Place, &Place) -> Ordering,
) -> (Vec<Place>, Vec<u32>) {
    let order = order::of(places.len(), |a, b| compare(&places[a], &places[b]));
    let mut rank = vec![0; places.len()];
    let mut sorted = Vec::with_capacity(places.len());
    for (at, &place) in (0..).zip(&order) {
        rank[place as usize] = at;
        sorted.push(std::mem::take(&mut places[place as usize]));
    }
    (sorted, numbers.into_iter().map(|number| rank.get(number as usize).copied().unwrap_or(NONE)).collect())
}
