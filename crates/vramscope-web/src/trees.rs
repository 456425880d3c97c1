//! Trees of stacks: the last one is kept, and so are the sums that it was made of.

use serde::Serialize;
use serde_json::{Result, Value};
use vramscope_core::bits::Bits;
use vramscope_core::query::{Fields, PatternError};
use vramscope_core::replay::Recording;
use vramscope_explore::tree::{
    Key, Keys, Node, NodeDetails, RowOrder, Rows, Shown, Sums, Tree, Wish, lines_of,
};
use vramscope_render::Picture;
use vramscope_render::icicle::{self, Bar, Bars, Cell, IcicleColours, IcicleView, Layout};

use crate::open::text;

/// Questions about trees.
pub(crate) const ABOUT_TREES: [&str; 6] =
    ["tree_layout", "tree_probe", "tree_rows", "tree_node", "tree_neighbour", "tree_lines"];

/// What sums depend on; the other parts of a wish only change the tree.
const OF_SUMS: [&str; 5] = ["weigh", "moment", "axis", "x0", "x1"];
/// Room for the shortest label, in CSS pixels.
const LEAST_LABEL_CSS: f64 = 28.0;
/// Rows of the table at once.
const MOST_ROWS: u32 = 1000;

/// What was asked for last, each with what it was asked by.
#[derive(Default)]
pub(crate) struct Trees {
    keys: Option<Keys>,
    sums: (String, Sums),
    tree: (String, Grown),
}

#[derive(Default)]
struct Grown {
    tree: Tree,
    bars: Bars,
    fault: Option<PatternError>,
}

/// A tree with what it is made of.
struct Known<'a> {
    recording: &'a Recording,
    keys: &'a Keys,
    sums: &'a Sums,
    grown: &'a Grown,
}

impl Trees {
    /// What they were made from has changed.
    pub(crate) fn forget(&mut self) {
        self.sums = Default::default();
        self.tree = Default::default();
    }

    /// The tree of a question; `None` for an unknown device.
    fn get<'a>(
        &'a mut self,
        recording: &'a Recording,
        fields: Fields<'_>,
        chosen: Option<&Bits>,
    ) -> Result<Option<Known<'a>>> {
        let device: i64 = fields.get("device")?;
        let Some((_, replay)) = recording.device(device) else { return Ok(None) };
        let (wish, asked): (Wish, _) = (fields.get("tree")?, fields.inside("tree"));
        let part = |name| asked.value(name).unwrap_or(&Value::Null).to_string();
        let of_sums = format!(
            "{device} {} {} {}",
            fields.text("expr"),
            fields.value("marks").unwrap_or(&Value::Null),
            OF_SUMS.map(part).join(" ")
        );
        let of_tree = format!("{of_sums} {}", fields.value("tree").unwrap_or(&Value::Null));
        let snapshot = &recording.snapshot;
        let keys = self.keys.get_or_insert_with(|| Keys::new(snapshot));
        if self.sums.0 != of_sums {
            self.sums = (of_sums, Sums::of(replay, snapshot, &wish, chosen));
        }
        if self.tree.0 != of_tree {
            let tree = Tree::grow(replay, snapshot, keys, &self.sums.1, &wish);
            let fault = Tree::pattern_fault(snapshot, &wish);
            self.tree = (of_tree, Grown { bars: bars(&tree), tree, fault });
        }
        Ok(Some(Known { recording, keys, sums: &self.sums.1, grown: &self.tree.1 }))
    }

    /// The answer to a question about a tree.
    pub(crate) fn answer(
        &mut self,
        recording: &Recording,
        ask: &str,
        fields: Fields<'_>,
        chosen: Option<&Bits>,
    ) -> Result<Option<String>> {
        let Some(known) = self.get(recording, fields, chosen)? else { return text(&()) };
        let tree = &known.grown.tree;
        let node =
            |name| Ok::<_, serde_json::Error>(fields.get::<Option<u64>>(name)?.and_then(|id| tree.find(id)));
        match ask {
            "tree_layout" => text(&known.layout(&known.laid_out(fields)?)),
            "tree_probe" => {
                let layout = known.laid_out(fields)?;
                let cell = layout.hit(fields.get("x")?, fields.get("y")?);
                text(&cell.and_then(|cell| known.place(&layout, cell)))
            }
            "tree_rows" => text(&known.rows(fields)?),
            "tree_node" => {
                let details = node("id")?.and_then(|node| known.details(node));
                text(&details)
            }
            "tree_neighbour" => {
                let inside = node("inside")?;
                let found = match node("id")? {
                    Some(node) => tree.beside(node, fields.get("towards")?, inside),
                    None => inside.or(Some(0)),
                };
                let id = found.and_then(|node| tree.node(node)).map(|node| node.id);
                text(&serde_json::json!({ "id": id }))
            }
            _ => {
                let key: Key = fields.get("key")?;
                text(&lines_of(&recording.snapshot, known.sums, key))
            }
        }
    }

    /// The picture of a tree; `None` for an unknown device.
    pub(crate) fn paint(
        &mut self,
        recording: &Recording,
        fields: Fields<'_>,
        chosen: Option<&Bits>,
        colours: &IcicleColours,
    ) -> Result<Option<Picture>> {
        let Some(known) = self.get(recording, fields, chosen)? else { return Ok(None) };
        let tree = &known.grown.tree;
        let by_category = fields.text("by") == "category";
        let slot = |at| {
            tree.node(at).map_or(
                u8::MAX,
                |Node { slots: [category, line], .. }| {
                    if by_category { *category } else { *line }
                },
            )
        };
        let selected = fields.get::<Option<u64>>("selected")?.and_then(|id| tree.find(id));
        let share = |at| tree.node(at).map_or(0.0, |node| node.chosen as f64 / node.total.max(1) as f64);
        let chosen = chosen.map(|_| &share as &dyn Fn(u32) -> f64);
        Ok(Some(icicle::paint(&known.laid_out(fields)?, colours, slot, chosen, selected)))
    }
}

/// Where each node lies, as shares of the whole.
fn bars(tree: &Tree) -> Bars {
    let whole = tree.total().max(1) as f64;
    let first = tree.first_level();
    let bar = |node: &Node| Bar {
        start: node.start as f64 / whole,
        end: node.start.saturating_add(node.total) as f64 / whole,
        row: (node.level - first) as u32,
        last: node.end,
    };
    let bars: Vec<Bar> = tree.nodes().iter().map(bar).collect();
    Bars { rows: bars.iter().map(|bar| bar.row + 1).max().unwrap_or(0), bars }
}

/// What is in sight.
#[derive(Serialize)]
struct TreeLayout<'a> {
    /// Height of everything, in device pixels.
    height: i64,
    total: u128,
    /// The part of it that an expression chose.
    chosen: u128,
    blocks: u32,
    nodes: u32,
    first_level: i32,
    cut_stacks: u32,
    function: Option<Shown>,
    key: Option<Key>,
    fault: &'a Option<PatternError>,
    labels: Vec<Place>,
}

/// A frame in the picture, or narrow ones together.
#[derive(Serialize)]
struct Place {
    x: i64,
    y: i64,
    width: i64,
    height: i64,
    /// How many narrow frames these are, and what they weigh in all.
    run: Option<(u32, f64)>,
    #[serde(flatten)]
    shown: Shown,
}

/// A window of the table.
#[derive(Serialize)]
struct RowsAnswer {
    #[serde(flatten)]
    rows: Rows,
    shown: Vec<Shown>,
}

impl Known<'_> {
    fn laid_out(&self, fields: Fields<'_>) -> Result<Layout> {
        let mut view: IcicleView = fields.get("view")?;
        let zoom: Option<u64> = fields.inside("view").get("zoom")?;
        let bar = zoom.and_then(|id| self.grown.bars.bars.get(self.grown.tree.find(id)? as usize));
        if let Some(bar) = bar {
            let width = bar.end - bar.start;
            (view.x0, view.x1) = (bar.start + view.x0 * width, bar.start + view.x1 * width);
        }
        Ok(Layout::new(&self.grown.bars, &view))
    }

    fn shown(&self, node: u32, flipped: &[u64]) -> Option<Shown> {
        self.grown.tree.shown(&self.recording.snapshot, self.keys, node, flipped)
    }

    fn details(&self, node: u32) -> Option<NodeDetails> {
        self.grown.tree.details(&self.recording.snapshot, self.keys, self.sums, node)
    }

    fn place(&self, layout: &Layout, cell: &Cell) -> Option<Place> {
        let [x, y, width, height] = layout.place(cell);
        let whole = self.grown.tree.total() as f64;
        let run = cell.run.map(|run| (run.frames, run.share * whole));
        Some(Place { x, y, width, height, run, shown: self.shown(cell.bar, &[])? })
    }

    fn layout(&self, layout: &Layout) -> TreeLayout<'_> {
        let tree = &self.grown.tree;
        let least = (LEAST_LABEL_CSS * layout.view.scale) as i64;
        let with_room = layout.cells().iter().filter(|cell| cell.run.is_none() && cell.width >= least);
        TreeLayout {
            height: layout.height(),
            total: tree.total(),
            chosen: tree.node(0).map_or(0, |root| root.chosen),
            blocks: tree.node(0).map_or(0, |root| root.blocks),
            nodes: tree.nodes().len() as u32 - 1,
            first_level: tree.first_level(),
            cut_stacks: tree.cut_stacks(),
            function: tree.function().and_then(|_| self.shown(0, &[])),
            key: tree.function(),
            fault: &self.grown.fault,
            labels: with_room.filter_map(|cell| self.place(layout, cell)).collect(),
        }
    }

    fn rows(&self, fields: Fields<'_>) -> Result<RowsAnswer> {
        let mut flipped: Vec<u64> = fields.get_or_default("flipped")?;
        vramscope_core::order::by_number(&mut flipped, |id| *id);
        let most = fields.get_or_default::<u32>("count")?.min(MOST_ROWS);
        let reveal = fields.get_or_default("reveal")?;
        let sort = fields.inside("sort");
        let order = RowOrder {
            column: sort.text("column"),
            down: sort.get_or_default::<Option<bool>>("down")?.unwrap_or(true),
            name: &|key| self.keys.named(&self.recording.snapshot, key).name,
        };
        let window = (fields.get_or_default("from")?, most);
        let rows = self.grown.tree.rows(&flipped, window, (fields.get("selected")?, reveal), &order);
        flipped.extend(&rows.opened);
        vramscope_core::order::by_number(&mut flipped, |id| *id);
        let shown = rows.nodes.iter().filter_map(|node| self.shown(*node, &flipped)).collect();
        Ok(RowsAnswer { rows, shown })
    }
}
