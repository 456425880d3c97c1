//! The part of a file's path that is the same on another machine, in another checkout, in another environment.

/// Folders below which packages and Python's own library lie.
const ROOTS: [&str; 2] = ["site-packages/", "dist-packages/"];

/// A path below `site-packages`, or below `lib/pythonX.Y`; of the user's own files the name, with the folder where the name says nothing.
pub(super) fn trail(path: &str) -> String {
    let path = path.replace('\\', "/");
    for root in ROOTS {
        if let Some(at) = path.rfind(root) {
            return path[at + root.len()..].to_owned();
        }
    }
    if let Some((_, library)) = path.rsplit_once("/lib/python").and_then(|(_, rest)| rest.split_once('/')) {
        return library.to_owned();
    }
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    match parts.next() {
        // A cell of a notebook: numbers of the process and of the cell's text.
        Some(folder) if folder.starts_with("ipykernel_") => "ipykernel".into(),
        Some(folder) if matches!(name, "__init__.py" | "__main__.py") => format!("{folder}/{name}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::trail;

    #[test]
    fn the_same_file_elsewhere() {
        let torch = "torch/nn/modules/module.py";
        assert_eq!(trail("/home/a/venv/lib/python3.12/site-packages/torch/nn/modules/module.py"), torch);
        assert_eq!(trail("C:\\env\\Lib\\site-packages\\torch\\nn\\modules\\module.py"), torch);
        assert_eq!(trail("/usr/lib/python3.12/threading.py"), "threading.py");
        assert_eq!(trail("/home/a/job/train.py"), trail("/data/b/checkout7/train.py"));
        assert_eq!(trail("/x/model/__init__.py"), "model/__init__.py");
        assert_eq!(trail("/tmp/ipykernel_17/3052.py"), trail("/tmp/ipykernel_9/77.py"));
        assert_eq!(
            (trail("??"), trail(""), trail("<stdin>")),
            ("??".into(), String::new(), "<stdin>".into())
        );
    }
}
