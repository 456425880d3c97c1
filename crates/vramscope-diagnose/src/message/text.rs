//! What was pasted, cleaned: no colours, no log prefixes, no spaces.

/// Bytes that are looked at: far more than a traceback has, and quick to read.
const WINDOW_BYTES: usize = 1 << 20;
/// What stands behind the last message still belongs to it.
const AFTER_BYTES: usize = 1 << 14;
/// Words near which a message stands, as they are written.
const NEAR: [&str; 8] = [
    "ried to allocate",
    "ut of memory",
    "out of memory",
    "RESOURCE_EXHAUSTED",
    "ALLOC_FAILED",
    "NOT_INITIALIZED",
    "CUDA calloc",
    "oom-kill",
];

/// A line without its prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// "3" of "[rank3]:".
    pub rank: String,
    /// What stands behind the prefix.
    pub text: String,
    /// Where it begins in [`Pasted::compact`].
    pub start: usize,
}

/// The part of a text that matters.
#[derive(Clone, Debug, Default)]
pub(super) struct Pasted {
    /// Lines without prefixes, at least one character each.
    pub lines: Vec<Line>,
    /// All of them without spaces, in lower case: neither wraps nor spelling of units matter.
    pub compact: String,
    /// Messages in the whole text, counted by their first words.
    pub count: u64,
}

impl Pasted {
    /// Cleans the part of a text that matters: around its last message, or its end.
    pub(super) fn read(text: &str) -> Pasted {
        let mut pasted = Pasted::default();
        for line in window(text).split(['\n', '\r']) {
            let plain = without_colours(line);
            let (rank, rest) = without_prefix(plain.trim());
            if !rest.is_empty() {
                let start = pasted.compact.len();
                let letters = rest.chars().filter(|letter| !letter.is_whitespace());
                pasted.compact.extend(letters.map(|letter| letter.to_ascii_lowercase()));
                pasted.lines.push(Line { rank, text: rest.to_owned(), start });
            }
        }
        pasted.count = text.matches("ried to allocate").count() as u64;
        pasted
    }

    /// The line in which a place of the compact text lies.
    pub(super) fn line_at(&self, at: usize) -> usize {
        self.lines.partition_point(|line| line.start <= at).saturating_sub(1)
    }
}

/// The last stretch of a long text with a message in it, cut at ends of characters.
fn window(text: &str) -> &str {
    if text.len() <= WINDOW_BYTES {
        return text;
    }
    // The first words are the strongest: an older message with numbers is worth more than a newer one without.
    let last = NEAR.iter().find_map(|words| text.rfind(words)).unwrap_or(text.len());
    let end = (last + AFTER_BYTES).min(text.len());
    let start = end.saturating_sub(WINDOW_BYTES);
    let next = |from: usize| (from..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    &text[next(start)..next(end)]
}

/// Without escape sequences of terminals.
fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            // Rich draws boxes around its tracebacks.
            plain.push(if ('\u{2500}'..='\u{257f}').contains(&letter) || letter.is_control() {
                ' '
            } else {
                letter
            });
            continue;
        }
        match letters.next() {
            Some('[') => while letters.next().is_some_and(|letter| !('@'..='~').contains(&letter)) {},
            Some(']') => while letters.next().is_some_and(|letter| letter != '\u{7}') {},
            _ => {}
        }
    }
    plain
}

/// A line's rank and what stands behind its prefix.
fn without_prefix(line: &str) -> (String, &str) {
    let (mut rank, mut rest) = (String::new(), line);
    // As many parts as a log line has; a line of nothing but prefixes ends sooner.
    for _ in 0..8 {
        let Some((part, behind)) = prefix_part(rest) else { break };
        if let Some(number) = part.strip_prefix("rank").map(|number| number.trim_matches([' ', '=', ':'])) {
            rank = number.to_owned();
        }
        rest = behind.trim_start_matches([' ', '\t', ':', '|', ',']);
    }
    (rank, rest)
}

/// The first part of a log prefix, and what stands behind it.
fn prefix_part(line: &str) -> Option<(&str, &str)> {
    if let Some(behind) = line.strip_prefix('>') {
        return Some(("", behind));
    }
    if let Some(inside) = line.strip_prefix('[') {
        let (part, behind) = inside.split_once(']')?;
        return (part.len() < 80 && !part.contains("enforce fail")).then_some((part, behind));
    }
    if let Some(inside) = line.strip_prefix('(') {
        let (part, behind) = inside.split_once(')')?;
        return part.contains("pid=").then_some((part, behind));
    }
    let (word, behind) = line.split_once(char::is_whitespace)?;
    is_prefix_word(word).then_some((word, behind))
}

/// A level, a date, a time, or "3:" as launchers write.
fn is_prefix_word(word: &str) -> bool {
    let level = word.trim_end_matches(':');
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let other = word.bytes().all(|byte| byte.is_ascii_digit() || b"-:./,TZ+|".contains(&byte));
    let parts = word.bytes().filter(|byte| b"-:/".contains(byte)).count();
    matches!(
        level,
        "ERROR" | "WARNING" | "INFO" | "DEBUG" | "CRITICAL" | "stderr" | "stdout" | "|" | "E" | "W"
    ) || (other && digits > 0 && (parts >= 2 || word.ends_with(':')))
        || (digits >= 3 && digits + 1 == word.len() && parts == 1 && word.contains('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_go_and_numbers_stay() {
        for (line, rank, text) in [
            ("[rank3]: torch.OutOfMemoryError: x", "3", "torch.OutOfMemoryError: x"),
            ("2025-11-12T11:25:13.4961658Z   File \"a.py\"", "", "File \"a.py\""),
            ("2024-03-01 10:11:12,345 ERROR [engine.py:160] CUDA", "", "CUDA"),
            ("(EngineCore pid=518) ERROR 07-29 21:48:54 [core.py:1141]   File", "", "File"),
            ("3: [rank3]: x", "3", "x"),
            ("23.69 GiB of which 10.81 MiB is free.", "", "23.69 GiB of which 10.81 MiB is free."),
            ("1,024.00 MiB is free", "", "1,024.00 MiB is free"),
            ("(GPU 0; 10.76 GiB total", "", "(GPU 0; 10.76 GiB total"),
            ("> CUDA out of memory.", "", "CUDA out of memory."),
            ("[enforce fail at alloc_cpu.cpp:73] . D", "", "[enforce fail at alloc_cpu.cpp:73] . D"),
        ] {
            assert_eq!(without_prefix(line), (rank.to_owned(), text), "{line}");
        }
    }

    #[test]
    fn colours_and_wraps_leave_no_trace() {
        let pasted = Pasted::read("\u{1b}[31mCUDA out of mem\u{1b}[0m\r\nory. Tried\r\n to allo\ncate");
        assert_eq!(pasted.compact, "cudaoutofmemory.triedtoallocate");
        assert_eq!(pasted.line_at(20), 1);
    }

    #[test]
    fn of_a_long_text_the_last_message_is_kept() {
        let text = format!(
            "{}CUDA out of memory. Tried to allocate 2.00 MiB ({}",
            "é\n".repeat(1 << 20),
            "ü".repeat(1 << 21)
        );
        let pasted = Pasted::read(&text);
        assert!(pasted.compact.contains("triedtoallocate2.00mib") && pasted.compact.len() <= WINDOW_BYTES);
    }
}
