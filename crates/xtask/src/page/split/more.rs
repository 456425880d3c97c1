//! The second part: what has moved, with the indices that its functions have there.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder};
use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, EntityType, FunctionSection, ImportSection, Module,
    TypeSection,
};

use super::source::Source;
use super::{Item, Kind, Plan};

/// What the second part calls the first.
const FIRST: &str = "f";

pub fn write(source: &Source<'_>, plan: &Plan) -> Result<Vec<u8>> {
    let mut more = More { indices: BTreeMap::new(), counts: BTreeMap::new() };
    let imports = more.imports(source, plan)?;
    let moved = || source.defined().filter(|(index, _)| plan.moved[*index as usize]);
    let mut functions = FunctionSection::new();
    for (index, _) in moved() {
        more.add((Kind::Function, index));
        functions.function(source.functions[index as usize]);
    }
    let mut code = CodeSection::new();
    for (_, body) in moved() {
        more.parse_function_body(&mut code, body.clone())?;
    }
    let mut module = Module::new();
    module.section(&types(source)?).section(&imports).section(&functions);
    module.section(&more.elements(source, plan)?).section(&code);
    Ok(module.finish())
}

fn types(source: &Source<'_>) -> Result<TypeSection> {
    let mut types = TypeSection::new();
    for of in &source.types {
        types.ty().func_type(&RoundtripReencoder.func_type(of.clone())?);
    }
    Ok(types)
}

struct More {
    /// What something of the module is called here.
    indices: BTreeMap<Item, u32>,
    /// How many of a kind there are.
    counts: BTreeMap<Kind, u32>,
}

impl More {
    fn add(&mut self, item: Item) {
        let count = self.counts.entry(item.0).or_default();
        self.indices.insert(item, *count);
        *count += 1;
    }

    fn imports(&mut self, source: &Source<'_>, plan: &Plan) -> Result<ImportSection> {
        let mut imports = ImportSection::new();
        for (&(kind, index), name) in &plan.shared {
            let at = index as usize;
            let mut same = RoundtripReencoder;
            let ty = match kind {
                Kind::Function => EntityType::Function(source.functions[at]),
                Kind::Table => {
                    let mut table = source.tables[at];
                    if at == 0 {
                        table.initial = u64::from(plan.table_len);
                        table.maximum = table.maximum.map(|maximum| maximum.max(table.initial));
                    }
                    EntityType::Table(same.table_type(table)?)
                }
                Kind::Memory => EntityType::Memory(same.memory_type(source.memories[at])?),
                Kind::Global => EntityType::Global(same.global_type(source.globals[at])?),
            };
            imports.import(FIRST, name, ty);
            self.add((kind, index));
        }
        Ok(imports)
    }

    /// Puts the functions into their slots.
    fn elements(&self, source: &Source<'_>, plan: &Plan) -> Result<ElementSection> {
        let there = source.slots.iter().filter(|(_, function)| plan.moved[*function as usize]).copied();
        let stubs = plan.stubs.iter().map(|(&function, &slot)| (slot, function));
        let slots: BTreeMap<u32, u32> = there.chain(stubs).collect();
        let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
        for (slot, function) in slots {
            let index = *self.indices.get(&(Kind::Function, function)).context("a slot of no function")?;
            match runs.last_mut() {
                Some((from, run)) if *from + run.len() as u32 == slot => run.push(index),
                _ => runs.push((slot, vec![index])),
            }
        }
        let mut elements = ElementSection::new();
        for (from, run) in &runs {
            elements.active(None, &ConstExpr::i32_const(*from as i32), Elements::Functions(run.into()));
        }
        Ok(elements)
    }

    fn index(&self, kind: Kind, index: u32) -> Result<u32, Error<Lost>> {
        self.indices.get(&(kind, index)).copied().ok_or(Error::UserError(Lost(index)))
    }
}

/// Something that the second part cannot reach.
#[derive(Debug)]
pub struct Lost(u32);

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the second part cannot reach number {}", self.0)
    }
}

impl std::error::Error for Lost {}

impl Reencode for More {
    type Error = Lost;

    fn function_index(&mut self, index: u32) -> Result<u32, Error<Lost>> {
        self.index(Kind::Function, index)
    }

    fn table_index(&mut self, index: u32) -> Result<u32, Error<Lost>> {
        self.index(Kind::Table, index)
    }

    fn memory_index(&mut self, index: u32) -> Result<u32, Error<Lost>> {
        self.index(Kind::Memory, index)
    }

    fn global_index(&mut self, index: u32) -> Result<u32, Error<Lost>> {
        self.index(Kind::Global, index)
    }

    /// Data stays in the first part.
    fn data_index(&mut self, index: u32) -> Result<u32, Error<Lost>> {
        Err(Error::UserError(Lost(index)))
    }

    /// Lists of functions are used up when a part starts.
    fn element_index(&mut self, index: u32) -> Result<u32, Error<Lost>> {
        Err(Error::UserError(Lost(index)))
    }
}
