//! Texts as they are, or without what tells where and for whom the program ran.

use vramscope_core::ids::StringId;
use vramscope_core::model::Strings;

/// What follows the last separator of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// A function's name without the folders that may stand in it: compilers name lambdas after files, and a line of a traceback that is
/// written in no known way is a name as a whole.
pub(super) fn without_folders(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    for letter in name.chars() {
        if !matches!(letter, '/' | '\\') {
            kept.push(letter);
            continue;
        }
        let word = kept
            .rfind(|c: char| !is_of_path(c))
            .map_or(0, |at| at + kept[at..].chars().next().map_or(1, char::len_utf8));
        // C++ has a division.
        if kept[word..].ends_with("operator") {
            kept.push(letter);
        } else {
            kept.truncate(word);
        }
    }
    kept
}

fn is_of_path(letter: char) -> bool {
    letter.is_alphanumeric() || "._-~+@:$%#=".contains(letter)
}

/// Neutral names of ranges: "range 2", and "range 1 step 3" for those that differ in digits alone. Equal names stay equal.
#[derive(Default)]
pub(super) struct Ranges {
    /// Names without digits.
    patterns: Strings,
    /// How many names each pattern has.
    counts: Vec<u32>,
    /// What each name was given: pattern and place, by name.
    given: Vec<Option<(u32, u32)>>,
}

impl Ranges {
    pub(super) fn name(&mut self, id: StringId, name: &str) -> String {
        if self.given.len() <= id.index() {
            self.given.resize(id.index() + 1, None);
        }
        let has_digits = name.contains(|c: char| c.is_ascii_digit());
        let (pattern, nth) = self.given[id.index()].unwrap_or_else(|| {
            // The empty text is pattern 0, so that the first has number 1.
            let pattern = self
                .patterns
                .intern(format!("={}", name.replace(|c: char| c.is_ascii_digit(), "")).as_bytes());
            self.counts.resize(self.patterns.len(), 0);
            self.counts[pattern.index()] += 1;
            (pattern.0, self.counts[pattern.index()])
        });
        self.given[id.index()] = Some((pattern, nth));
        if has_digits { format!("range {pattern} step {nth}") } else { format!("range {pattern}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        let cases = [
            ("/srv/secret/train.py", "train.py"),
            ("C:\\secret\\a.py", "a.py"),
            ("<frozen runpy>", "<frozen runpy>"),
            ("??", "??"),
            ("secret/", ""),
        ];
        for (path, base) in cases {
            assert_eq!(base_name(path), base);
        }
    }

    #[test]
    fn names_of_functions() {
        let cases = [
            ("at::Tensor at::operator/(at::Tensor const&)", "at::Tensor at::operator/(at::Tensor const&)"),
            ("f::<lambda at /srv/secret/a.cpp:3>", "f::<lambda at a.cpp:3>"),
            ("File \"/srv/größe/x.py\", line 3", "File \"x.py\", line 3"),
            ("d:\\secret\\x y", "x y"),
            ("forward", "forward"),
        ];
        for (name, kept) in cases {
            assert_eq!(without_folders(name), kept);
        }
    }

    #[test]
    fn ranges_keep_what_is_the_same() {
        let mut ranges = Ranges::default();
        let names = ["load secret", "epoch 1 step 2", "epoch 1 step 3", "load secret", "1", "epoch 1 step 2"];
        let mut strings = Strings::default();
        let given: Vec<_> =
            names.iter().map(|name| ranges.name(strings.intern(name.as_bytes()), name)).collect();
        assert_eq!(
            given,
            ["range 1", "range 2 step 1", "range 2 step 2", "range 1", "range 3 step 1", "range 2 step 1"]
        );
    }
}
