//! The content security policy: the page loads nothing but itself and sends nothing anywhere.

use anyhow::{Context, Result};
use base64::{Engine, prelude::BASE64_STANDARD};
use sha2::{Digest, Sha256};

use super::html;

/// Where `index.html` wants the policy.
const PLACE: &str = "<!-- csp -->";

/// For the folder on a server: only its own files. A worker may come from a blob too: the page fetches its text once, so
/// that a file opened later starts one without a request.
pub fn served() -> String {
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
     connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'"
        .to_owned()
}

/// For the one file: only these texts, and no connection at all.
pub fn single_file(scripts: &[String], styles: &[String]) -> String {
    format!(
        "default-src 'none'; script-src {} 'wasm-unsafe-eval'; style-src {}; img-src data: blob:; \
         connect-src 'none'; worker-src blob:; base-uri 'none'; form-action 'none'",
        sources(scripts),
        sources(styles)
    )
}

fn sources(texts: &[String]) -> String {
    let source = |text: &String| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    texts.iter().map(source).collect::<Vec<_>>().join(" ")
}

/// Puts the policy at its place, or after the declaration of the charset.
pub fn insert(page: &str, policy: &str) -> Result<String> {
    let place = match page.find(PLACE) {
        Some(at) => at..at + PLACE.len(),
        None => {
            let mut tags = html::start_tags(page).into_iter();
            let charset = tags.find(|tag| tag.name == "meta" && tag.get("charset").is_some());
            let end = charset.context("index.html needs `<meta charset=\"utf-8\">`")?.range.end;
            end..end
        }
    };
    let meta = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
    Ok(html::replace(page, &[(place, meta)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_to_its_place_or_after_the_charset() {
        let meta = "<meta http-equiv=\"Content-Security-Policy\" content=\"x\">";
        assert_eq!(insert("<a><!-- csp --><b>", "x").unwrap(), format!("<a>{meta}<b>"));
        assert_eq!(insert("<meta charset=utf-8><b>", "x").unwrap(), format!("<meta charset=utf-8>{meta}<b>"));
        assert!(insert("<b>", "x").is_err());
    }

    #[test]
    fn names_a_script_by_its_hash() {
        let policy = single_file(&[String::new()], &[]);
        assert!(policy.contains("'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"), "{policy}");
    }
}
