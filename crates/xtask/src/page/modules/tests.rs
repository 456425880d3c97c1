//! Tests of the bundler: what it writes, and what it refuses.

use std::fs;
use std::path::PathBuf;

use super::*;

/// A folder with these modules, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("vramscope-modules-{name}-{}", std::process::id()));
        for (path, text) in files {
            let file = folder.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn refusal(source: &str) -> String {
    match Module::parse(source) {
        Ok(_) => panic!("accepted: {source}"),
        Err(error) => format!("{error:#}"),
    }
}

#[test]
fn modules_come_after_what_they_import() {
    let folder = Folder::new(
        "order",
        &[
            (
                "app.js",
                "import {\n  start as begin,\n} from './js/main.js';\nimport * as all from './js/store.js';\nbegin(all);\n",
            ),
            ("js/main.js", "import { load } from './store.js';\nexport function start() {\n  load();\n}\n"),
            ("js/store.js", "const load = () => 1;\nexport { load };\nexport const SIZE = 2;\n"),
        ],
    );
    let expected = "\
const __modules = globalThis.__modules ??= {};
__modules['js/store.js'] = (() => {
const load = () => 1;
const SIZE = 2;
return { load, SIZE };
})();
__modules['js/main.js'] = (() => {
const { load } = __modules['js/store.js'];
function start() {
load();
}
return { start };
})();
__modules['app.js'] = (() => {
const { start: begin } = __modules['js/main.js'];
const all = __modules['js/store.js'];
begin(all);
return {  };
})();
";
    assert_eq!(bundles(&folder.0, &["app.js"]).unwrap(), [expected]);
}

#[test]
fn a_later_script_holds_only_what_is_new() {
    let files = [
        ("a.js", "import { x } from './x.js';"),
        ("b.js", "import { x } from './x.js';\nx();"),
        ("x.js", "export const x = 1;"),
    ];
    let folder = Folder::new("later", &files);
    let scripts = bundles(&folder.0, &["a.js", "b.js"]).unwrap();
    assert!(scripts[0].contains("__modules['x.js'] = "));
    assert!(!scripts[1].contains("__modules['x.js'] = "));
    assert!(scripts[1].contains("const { x } = __modules['x.js'];"));
}

#[test]
fn names_and_cycles_are_checked() {
    let missing =
        Folder::new("missing", &[("a.js", "import { x } from './b.js';"), ("b.js", "export const y = 1;")]);
    let error = bundles(&missing.0, &["a.js"]).unwrap_err();
    assert_eq!(format!("{error:#}"), "a.js: imports `x`, which b.js does not export");

    let cycle = Folder::new(
        "cycle",
        &[("a.js", "import { x } from './b.js';"), ("b.js", "import { y } from './a.js';")],
    );
    let error = bundles(&cycle.0, &["a.js"]).unwrap_err();
    assert_eq!(format!("{error:#}"), "modules import each other: a.js → b.js → a.js");
}

#[test]
fn an_export_may_have_another_name_outside() {
    let module = Module::parse("export { a as b };").unwrap();
    assert_eq!(module.exports, [Name { outside: "b".into(), inside: "a".into() }]);
}

#[test]
fn other_forms_are_refused_with_their_line() {
    assert!(
        refusal("\nexport default 1;").starts_with("line 2: `export default 1;`: only `export function`")
    );
    assert!(refusal("export let a = 1;").contains("in place of a `let`"));
    assert!(refusal("export const { a } = b;").contains("only `export function`"));
    assert!(refusal("export * from './x.js';").contains("only `export function`"));
    assert!(refusal("export { a } from './x.js';").contains("no `from`"));
    assert!(refusal("import x from './x.js';").contains("only `import { a"));
    assert!(refusal("import './x.js';").contains("only `import { a"));
    assert!(refusal("import { default as x } from './x.js';").contains("default exports are not used"));
    assert!(refusal("export { a,").contains("no `}` follows"));
    assert!(refusal("const x = await import('./x.js');").contains("no `import(…)`"));
    assert!(refusal("const here = import.meta.url;").contains("no `import(…)`"));
}

#[test]
fn types_in_comments_may_name_modules() {
    Module::parse("/** @param {import('./x.js').X} x */\nconst a = /** @type {import('./x.js').X} */ (b);")
        .unwrap();
}

#[test]
fn paths_are_relative_to_the_importer() {
    assert_eq!(resolve("js/views/a.js", "../b.js").unwrap(), "js/b.js");
    assert!(resolve("a.js", "../b.js").is_err());
    assert!(resolve("a.js", "b.js").is_err());
}
