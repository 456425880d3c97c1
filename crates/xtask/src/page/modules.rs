//! Joins the page's ES modules into scripts: a request each in place of eighty, and compressed as one text. The one-file page can load no others.
//!
//! A later script finds what an earlier one has brought. Each module becomes a function that returns its exports, in the order of their imports. Statements are found by
//! line, so the modules keep to what [`Module::parse`] knows; all else is refused with a message, never guessed.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::lean;

/// One script for each entry: the module and all that it imports, less what the scripts before it hold.
pub fn bundles(folder: &Path, entries: &[&str]) -> Result<Vec<String>> {
    let mut bundle = Bundle { folder, exports: BTreeMap::new(), open: Vec::new(), script: String::new() };
    let script = |entry: &&str| {
        bundle.script = "const __modules = globalThis.__modules ??= {};\n".to_owned();
        bundle.add(entry)?;
        Ok(std::mem::take(&mut bundle.script))
    };
    entries.iter().map(script).collect()
}

struct Bundle<'a> {
    folder: &'a Path,
    /// The names that each finished module exports.
    exports: BTreeMap<String, Vec<String>>,
    /// The modules being read, each imported by the one before it.
    open: Vec<String>,
    script: String,
}

impl Bundle<'_> {
    fn add(&mut self, path: &str) -> Result<()> {
        if self.exports.contains_key(path) {
            return Ok(());
        }
        ensure!(
            !self.open.iter().any(|open| open == path),
            "modules import each other: {} → {path}",
            self.open.join(" → ")
        );
        self.open.push(path.to_owned());
        let module =
            Module::parse(&super::read(&self.folder.join(path))?).with_context(|| path.to_owned())?;
        let mut head = String::new();
        for import in &module.imports {
            let from = resolve(path, &import.from)?;
            self.add(&from)?;
            self.check_names(import, &from).with_context(|| path.to_owned())?;
            writeln!(head, "const {} = __modules['{from}'];", import.binding())?;
        }
        let exports = pairs(&module.exports);
        let code = lean::script(&module.code).with_context(|| path.to_owned())?;
        writeln!(self.script, "__modules['{path}'] = (() => {{\n{head}{code}return {exports};\n}})();")?;
        self.exports.insert(path.to_owned(), module.exports.into_iter().map(|name| name.outside).collect());
        self.open.pop();
        Ok(())
    }

    fn check_names(&self, import: &Import, from: &str) -> Result<()> {
        let Names::Some(names) = &import.names else { return Ok(()) };
        let exports = &self.exports[from];
        match names.iter().find(|name| !exports.contains(&name.outside)) {
            Some(name) => bail!("imports `{}`, which {from} does not export", name.outside),
            None => Ok(()),
        }
    }
}

/// A name that a module exports or imports, and what it is called inside.
#[derive(Debug, PartialEq)]
struct Name {
    outside: String,
    inside: String,
}

enum Names {
    /// `* as name`
    All(String),
    /// `{ a, b as c }`
    Some(Vec<Name>),
}

struct Import {
    from: String,
    names: Names,
}

impl Import {
    fn binding(&self) -> String {
        match &self.names {
            Names::All(name) => name.clone(),
            Names::Some(names) => pairs(names),
        }
    }
}

/// `{ outside: inside, … }`: as an object it exports, as a pattern it imports.
fn pairs(names: &[Name]) -> String {
    let pair = |name: &Name| match name.outside == name.inside {
        true => name.outside.clone(),
        false => format!("{}: {}", name.outside, name.inside),
    };
    format!("{{ {} }}", names.iter().map(pair).collect::<Vec<_>>().join(", "))
}

#[derive(Default)]
struct Module {
    imports: Vec<Import>,
    exports: Vec<Name>,
    code: String,
}

impl Module {
    fn parse(source: &str) -> Result<Self> {
        let mut module = Self::default();
        let mut lines = source.lines().enumerate();
        while let Some((index, line)) = lines.next() {
            let mut statement = line.to_owned();
            // `import {` and `export {` may go over several lines, up to the brace.
            let braced = ["import {", "export {"].iter().any(|start| line.starts_with(start));
            while braced && !statement.contains('}') {
                let (_, next) =
                    lines.next().with_context(|| format!("line {}: no `}}` follows", index + 1))?;
                statement.push_str(next);
            }
            module.take(&statement).with_context(|| format!("line {}: `{line}`", index + 1))?;
        }
        Ok(module)
    }

    fn take(&mut self, statement: &str) -> Result<()> {
        if let Some(import) = statement.strip_prefix("import ") {
            self.imports.push(parse_import(import)?);
        } else if let Some(names) = statement.strip_prefix("export {") {
            let names = names.trim_end().trim_end_matches(';').strip_suffix('}');
            let names = names.context("only `export { a, b as c };`: no `from`, no code after it")?;
            let swap = |name: Name| Name { outside: name.inside, inside: name.outside };
            self.exports.extend(parse_names(names)?.into_iter().map(swap));
        } else if let Some(declaration) = statement.strip_prefix("export ") {
            let name = declared_name(declaration)?;
            self.exports.push(Name { outside: name.clone(), inside: name });
            self.push_code(declaration);
        } else {
            ensure!(
                !loads_at_run_time(statement),
                "no `import(…)` and no `import.meta`: one file has nothing to load"
            );
            self.push_code(statement);
        }
        Ok(())
    }

    fn push_code(&mut self, line: &str) {
        self.code.push_str(line);
        self.code.push('\n');
    }
}

/// After `import`: `{ a, b as c } from './x.js';` or `* as x from './x.js';`.
fn parse_import(text: &str) -> Result<Import> {
    const FORMS: &str = "only `import { a, b as c } from './x.js';` and `import * as x from './x.js';`";
    let (names, from) = text.split_once(" from ").context(FORMS)?;
    let from = from.trim().trim_end_matches(';').trim_matches(['\'', '"']).to_owned();
    let names = names.trim();
    let names = if let Some(name) = names.strip_prefix("* as ") {
        Names::All(identifier(name)?)
    } else {
        let list = names.strip_prefix('{').and_then(|names| names.strip_suffix('}')).context(FORMS)?;
        Names::Some(parse_names(list)?)
    };
    Ok(Import { from, names })
}

/// `a, b as c`
fn parse_names(list: &str) -> Result<Vec<Name>> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    let parse = |name: &str| {
        let (outside, inside) = name.split_once(" as ").unwrap_or((name, name));
        Ok(Name { outside: identifier(outside)?, inside: identifier(inside)? })
    };
    names.map(parse).collect()
}

/// The name in `function a(…`, `async function a(…`, `class A …` or `const a = …`.
fn declared_name(declaration: &str) -> Result<String> {
    const FORMS: &str = "only `export function`, `export class`, `export const` and `export { … }`; \
                         export a function in place of a `let`, and a name in place of a default";
    let starts = ["async function* ", "async function ", "function* ", "function ", "class ", "const "];
    let rest = starts.iter().find_map(|start| declaration.strip_prefix(start)).context(FORMS)?;
    identifier(rest.split(|c: char| !is_identifier(c)).next().unwrap_or_default()).context(FORMS)
}

fn identifier(text: &str) -> Result<String> {
    let text = text.trim();
    ensure!(!text.is_empty() && text.chars().all(is_identifier), "`{text}` is not a plain name");
    ensure!(text != "default", "default exports are not used here: export and import by name");
    Ok(text.to_owned())
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Types in comments name modules by `import('./x.js')` too; these are fine.
fn loads_at_run_time(line: &str) -> bool {
    let at = ["import(", "import.meta"].iter().filter_map(|word| line.find(word)).min();
    at.is_some_and(|at| {
        let before = &line[..at];
        let in_comment =
            before.contains("/*") || before.contains("//") || before.trim_start().starts_with('*');
        let whole_word = !before.ends_with(is_identifier);
        whole_word && !in_comment
    })
}

/// The path of a module from the folder of the page.
fn resolve(importer: &str, from: &str) -> Result<String> {
    ensure!(
        from.starts_with("./") || from.starts_with("../"),
        "{importer}: `{from}` must start with ./ or ../"
    );
    let mut parts: Vec<&str> = importer.split('/').collect();
    parts.pop();
    for part in from.split('/') {
        match part {
            "." => {}
            ".." => ensure!(parts.pop().is_some(), "{importer}: `{from}` lies outside of the page"),
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests;
