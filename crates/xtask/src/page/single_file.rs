//! The page as one file that opens by double click: no server, no request, nothing beside it.
//!
//! Scripts and styles stand inline. What the page would fetch (worker, wasm, samples) stands in elements with an id
//! that starts with `inline-`; `www/js/platform.js` reads them.

use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use base64::{Engine, prelude::BASE64_STANDARD};

use super::html::{self, Tag};
use super::{policy, read};

const GLUE: &str = "./vramscope.js";

/// The text of the one file, from the folder of the served page.
pub fn write(folder: &Path, page: &str) -> Result<String> {
    let mut inliner = Inliner { folder, page, edits: Vec::new(), scripts: Vec::new(), styles: Vec::new() };
    for tag in html::start_tags(page) {
        inliner.take(&tag).with_context(|| format!("index.html: `{}`", &page[tag.range.clone()]))?;
    }
    let end = page.rfind("</body>").context("index.html needs `</body>`")?;
    inliner.edits.push((end..end, data_elements(folder)?));
    let policy = policy::single_file(&inliner.scripts, &inliner.styles);
    policy::insert(&html::replace(page, &inliner.edits), &policy)
}

struct Inliner<'a> {
    folder: &'a Path,
    page: &'a str,
    edits: Vec<(Range<usize>, String)>,
    scripts: Vec<String>,
    styles: Vec<String>,
}

impl Inliner<'_> {
    fn take(&mut self, tag: &Tag<'_>) -> Result<()> {
        match (tag.name, tag.get("src"), tag.get("href")) {
            ("link", _, Some(href)) if tag.get("rel") == Some("stylesheet") => self.style(tag, href),
            ("script", Some(GLUE), _) => {
                let glue = read(&self.folder.join(GLUE))?;
                self.script(tag, "<script id=\"inline-glue\">", &glue)
            }
            ("script", Some(src), _) if is_ours(src) && tag.get("type") == Some("module") => {
                let script = read(&self.folder.join(src))?;
                self.script(tag, "<script type=\"module\">", &script)
            }
            ("script", None, _) | ("style", ..) => {
                bail!("inline code: the policy forbids it, move it to a file")
            }
            ("a", ..) => Ok(()),
            (_, src, href) => {
                let file = src.or(href).filter(|url| !url.starts_with("data:") && !url.starts_with('#'));
                ensure!(file.is_none(), "the one-file page cannot hold this: use a data: URL");
                Ok(())
            }
        }
    }

    fn script(&mut self, tag: &Tag<'_>, open: &str, text: &str) -> Result<()> {
        let text = format!("\n{}", escape_script(text));
        self.edits.push((tag.element(self.page), format!("{open}{text}</script>")));
        self.scripts.push(text);
        Ok(())
    }

    fn style(&mut self, tag: &Tag<'_>, href: &str) -> Result<()> {
        let text = format!("\n{}", read(&self.folder.join(href))?);
        let loads =
            text.matches("url(").count() > text.matches("url(data:").count() || text.contains("@import");
        ensure!(!loads, "{href} loads a file, which the one-file page cannot: use url(data:…)");
        ensure!(!text.contains("</style"), "{href} has `</style`, which would end the style");
        self.edits.push((tag.range.clone(), format!("<style>{text}</style>")));
        self.styles.push(text);
        Ok(())
    }
}

/// Modules joined.
fn is_ours(src: &str) -> bool {
    src.strip_prefix("./").is_some_and(|name| super::SCRIPTS.contains(&name))
}

/// What the page would fetch.
fn data_elements(folder: &Path) -> Result<String> {
    let worker = escape_script(&read(&folder.join("worker.js"))?);
    let mut elements = data_element("worker", &worker);
    for (name, file) in [("wasm", "vramscope_bg.wasm"), ("more", "vramscope_more.wasm")] {
        elements += &data_element(name, &encoded(&folder.join(file))?);
    }
    let mut samples = fs::read_dir(folder.join("samples"))?.collect::<Result<Vec<_>, _>>()?;
    samples.sort_by_key(fs::DirEntry::file_name);
    for sample in samples {
        let file = sample.file_name().to_string_lossy().into_owned();
        let name = file.split('.').next().unwrap_or_default();
        elements += &data_element(&format!("sample-{name}"), &encoded(&sample.path())?);
    }
    Ok(elements)
}

fn data_element(name: &str, text: &str) -> String {
    format!("<script type=\"text/plain\" id=\"inline-{name}\">{text}</script>\n")
}

fn encoded(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("could not read {}", file.display()))?;
    Ok(BASE64_STANDARD.encode(bytes))
}

/// Keeps a script from ending its element, or from changing how its end is found. The three sequences can stand only
/// in strings, templates, patterns and comments, where `\x3C` means `<`.
fn escape_script(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let dangerous =
            c == '<' && ["</script", "<script", "<!--"].iter().any(|word| starts_with(&text[at..], word));
        if dangerous {
            result.push_str("\\x3C");
        } else {
            result.push(c);
        }
    }
    result
}

fn starts_with(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_cannot_end_its_element() {
        assert_eq!(escape_script("a < b; '</SCRIPT>' + '<!--'"), "a < b; '\\x3C/SCRIPT>' + '\\x3C!--'");
    }

    fn refusal(page: &str) -> String {
        format!("{:#}", write(Path::new("nowhere"), page).unwrap_err())
    }

    fn style_refusal(name: &str, css: &str) -> Option<String> {
        let folder = std::env::temp_dir().join(format!("vramscope-style-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("samples")).unwrap();
        for (file, text) in
            [("a.css", css), ("worker.js", ""), ("vramscope_bg.wasm", ""), ("vramscope_more.wasm", "")]
        {
            fs::write(folder.join(file), text).unwrap();
        }
        let page = "<meta charset=utf-8><link rel=stylesheet href=./a.css></body>";
        let result = write(&folder, page);
        fs::remove_dir_all(folder).unwrap();
        result.err().map(|error| format!("{error:#}"))
    }

    #[test]
    fn a_style_may_hold_data_but_load_nothing() {
        assert_eq!(style_refusal("data", "p { background: url(data:image/png;base64,) }"), None);
        assert!(style_refusal("file", "p { background: url(a.png) }").unwrap().contains("use url(data:…)"));
        assert!(style_refusal("import", "@import './b.css';").unwrap().contains("use url(data:…)"));
        assert!(style_refusal("end", "/* </style> */").unwrap().contains("would end the style"));
    }

    #[test]
    fn what_one_file_cannot_hold_is_refused() {
        assert!(refusal("<img src=\"./a.png\">").contains("use a data: URL"));
        assert!(refusal("<link rel=manifest href=m.json>").contains("use a data: URL"));
        assert!(refusal("<script>1</script>").contains("move it to a file"));
        assert!(refusal("<script src=\"./other.js\"></script>").contains("use a data: URL"));
    }
}
