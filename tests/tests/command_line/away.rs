//! `vramscope export`, `page` and `serve`, as a script or a shell uses them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use vramscope_tests::program::vramscope;
use vramscope_tests::recordings;
use vramscope_tests::serving::Serving;

/// What stands for the viewer here: it is told by the element that holds its reader.
const VIEWER: &str = "<!doctype html><meta charset=utf-8><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; connect-src 'none'\">\
    <body><script id=\"inline-glue\">1</script><script type=\"text/plain\" id=\"inline-wasm\">AA==</script></body>";

fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("away").join(test);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("viewer.html"), VIEWER).unwrap();
    folder
}

fn recording(name: &str) -> PathBuf {
    recordings::folder().join(format!("{name}.pickle.gz"))
}

/// Runs it and returns status and what it says.
fn run(args: &[&dyn AsRef<std::ffi::OsStr>]) -> (Option<i32>, String) {
    let output = vramscope().args(args).output().expect("it starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn peak(path: &Path) -> (u64, u64) {
    let output = vramscope().args(["summary", "--json"]).arg(path).output().unwrap();
    let summary: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let device = &summary["devices"][0];
    (device["events"].as_u64().unwrap(), device["peak"]["requested_bytes"].as_u64().unwrap())
}

#[test]
fn a_range_becomes_a_snapshot() {
    let folder = folder("range");
    let (whole, out) = (recording("train_plain"), folder.join("part.pickle.gz"));
    let (events, _) = peak(&whole);
    let (code, told) = run(&[&"export", &whole, &"--events", &"100..900", &"-o", &out]);
    assert_eq!(code, Some(0), "{told}");
    assert!(fs::read(&out).unwrap().starts_with(&[0x1f, 0x8b]) && peak(&out).0 == 800);
    let copy = folder.join("copy.pickle");
    assert_eq!(run(&[&"export", &whole, &"--anonymise", &"-o", &copy]).0, Some(0));
    assert_eq!(peak(&copy), peak(&whole));
    let beyond = format!("0..{}", events + 1);
    let (code, told) = run(&[&"export", &whole, &"--events", &beyond, &"-o", &out]);
    assert!(code == Some(1) && told.contains("there is no event"), "{told}");
    let (code, told) = run(&[&"export", &recording("two_devices"), &"--events", &"1..2", &"-o", &out]);
    assert!(code == Some(1) && told.contains("--device"), "{told}");
    assert_eq!(
        run(&[&"export", &recording("two_devices"), &"--device", &"1", &"--events", &"1..2", &"-o", &out]).0,
        Some(0)
    );
    assert!(run(&[&"export", &copy, &"-o", &copy]).1.contains("would be overwritten"));
    assert_eq!(run(&[&"export", &whole, &"--events", &"9..1", &"-o", &out]).0, Some(2));
    assert_eq!(run(&[&"export", &whole]).0, Some(2));
}

#[test]
fn counters_and_phases_become_a_trace() {
    let output =
        vramscope().args(["export", "--perfetto", "-o", "-"]).arg(recording("train_plain")).output().unwrap();
    let trace: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = trace["traceEvents"].as_array().unwrap();
    let of = |kind: &str| rows.iter().filter(|row| row["ph"] == kind).count();
    assert!(of("C") > 100 && of("X") > 10 && of("M") >= 3, "{} {} {}", of("C"), of("X"), of("M"));
    assert!(rows.iter().any(|row| row["name"] == "backward" && row["ph"] == "X"));
    assert!(rows.iter().any(|row| row["name"] == "allocated"));
}

#[test]
fn a_page_holds_its_files_and_is_read_back() {
    let folder = folder("page");
    let (out, viewer) = (folder.join("page.html"), folder.join("viewer.html"));
    let plain = folder.join("a \"b\" & c.pickle");
    fs::write(&plain, recordings::pickle("oom_logits")).unwrap();
    let (code, told) = run(&[&"page", &plain, &recording("train_plain"), &"--viewer", &viewer, &"-o", &out]);
    assert_eq!(code, Some(0), "{told}");
    let page = fs::read_to_string(&out).unwrap();
    assert!(
        page.contains("data-name=\"a &quot;b&quot; &amp; c.pickle\"")
            && page.contains("data-name=\"train_plain.pickle.gz\"")
    );
    let (data, script) = (page.find("data-name"), page.find("inline-glue"));
    assert!(data < script, "data come before the scripts");
    let rest: String =
        page.lines().filter(|line| !line.starts_with("<script type=\"application/octet-stream\"")).collect();
    assert!(
        rest.ends_with("</body>") && page.starts_with("<!doctype html><meta charset=utf-8><meta http-equiv")
    );
    assert_eq!(peak(&out), peak(&plain), "the first file of a page is read");
    let output = vramscope().args(["summary", "--json"]).arg(&out).output().unwrap();
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["file"]["container"], "html");
    assert!(
        summary["warnings"].as_array().unwrap().iter().any(|warning| warning["code"] == "other_page_files")
    );
    // What does not open is not put into a page; and without the viewer there is none.
    let (code, told) = run(&[&"page", &viewer, &"--viewer", &viewer, &"-o", &folder.join("none.html")]);
    assert!(code == Some(1) && !folder.join("none.html").exists(), "{told}");
    let (code, told) = run(&[&"page", &plain, &"--viewer", &plain, &"-o", &folder.join("none.html")]);
    assert!(code == Some(1) && !told.contains("panicked"), "{told}");
}

#[test]
fn serve_gives_the_viewer_and_the_listed_files_to_whoever_has_the_address() {
    let folder = folder("serve");
    let (snapshot, beside) = (folder.join("a b.pickle"), folder.join("secret.pickle"));
    let bytes = recordings::pickle("streams");
    fs::write(&snapshot, &bytes).unwrap();
    fs::write(&beside, "secret").unwrap();
    let serving = Serving::start(&folder.join("viewer.html"), &[&snapshot]);
    assert!(
        serving.url.starts_with("http://127.0.0.1:") && serving.url.ends_with("/#src=files/0/a%2520b.pickle"),
        "{}",
        serving.url
    );
    let path = serving.path();
    assert_eq!(path.len(), 34, "a secret of 128 bits: {path}");
    let get = |below: &str, headers: &[&str]| serving.ask(&format!("GET {path}{below}"), headers);
    let (head, body) = get("", &[]);
    assert!(
        head.starts_with("HTTP/1.1 200 ")
            && head.contains("Referrer-Policy: no-referrer")
            && head.contains("X-Frame-Options: DENY"),
        "{head}"
    );
    assert_eq!(String::from_utf8(body).unwrap(), VIEWER.replace("connect-src 'none'", "connect-src 'self'"));
    let file = "files/0/a%20b.pickle";
    let (head, body) = get(file, &["Sec-Fetch-Site: same-origin"]);
    assert!(
        head.starts_with("HTTP/1.1 200 ") && body == bytes && head.contains("application/octet-stream"),
        "{head}"
    );
    let (head, body) = get(file, &["Range: bytes=10-19"]);
    assert!(
        head.starts_with("HTTP/1.1 206 ")
            && head.contains(&format!("Content-Range: bytes 10-19/{}", bytes.len())),
        "{head}"
    );
    assert_eq!(body, bytes[10..20]);
    assert!(get(file, &["Range: bytes=99999999999-"]).0.starts_with("HTTP/1.1 416 "));
    let (head, body) = serving.ask(&format!("HEAD {path}{file}"), &[]);
    assert!(head.contains(&format!("Content-Length: {}", bytes.len())) && body.is_empty(), "{head}");

    let status = |line: &str, headers: &[&str]| {
        let (head, body) = serving.ask(line, headers);
        assert!(!body.windows(6).any(|window| window == b"secret"), "{line}: the file beside was given");
        head.get(9..12).unwrap_or_default().to_owned()
    };
    let page = format!("GET {path}");
    for line in [
        "GET /",
        "GET /index.html",
        "GET /files/0/a%20b.pickle",
        "GET /00000000000000000000000000000000/",
        "GET *",
        "GET //",
    ] {
        assert_eq!(status(line, &[]), "404", "{line}: without the secret");
    }
    for below in [
        "files/",
        "files/0",
        "files/0/",
        "files/1/secret.pickle",
        "files/0/secret.pickle",
        "../secret.pickle",
        "files/0/../../secret.pickle",
        "files/0/%2e%2e/secret.pickle",
        "secret.pickle",
        "files/00/a%20b.pickle",
    ] {
        assert_eq!(status(&format!("{page}{below}"), &[]), "404", "{below}: not offered");
    }
    let port = serving.host().split(':').nth(1).unwrap().to_owned();
    let hosts = [
        format!("Host: evil.example:{port}"),
        "Host: 127.0.0.1".into(),
        "Host: 127.0.0.1:1".into(),
        "Host: 127.0.0.1.evil.example".into(),
        "Host: ".into(),
        format!("Host: 10.0.0.1:{port}"),
    ];
    for host in &hosts {
        assert_eq!(status(&page, &[host]), "421", "{host}");
    }
    assert_eq!(status(&page, &["Host: a", "Host: b"]), "421");
    assert_eq!(status(&page, &[&format!("Host: localhost:{port}")]), "200");
    for header in [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: https://127.0.0.1",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ] {
        assert_eq!(status(&page, &[header]), "403", "{header}");
    }
    assert_eq!(
        status(&page, &[&format!("Origin: http://{}", serving.host()), "Sec-Fetch-Site: same-origin"]),
        "200"
    );
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", ""] {
        assert_eq!(status(&format!("{method} {path}"), &[]), "405", "{method}");
    }
    fs::remove_file(&snapshot).unwrap();
    assert_eq!(status(&format!("{page}{file}"), &[]), "410");
    let again = Serving::start(&folder.join("viewer.html"), &[]);
    assert_ne!(again.path(), path, "made anew at each start");
    assert!(!again.url.contains('#'));
}

#[test]
fn what_cannot_be_served_is_told_at_once() {
    let folder = folder("refused");
    let viewer = folder.join("viewer.html");
    for (args, words) in [
        ([&"serve" as &dyn AsRef<std::ffi::OsStr>, &"--viewer", &viewer, &folder], "is a folder"),
        ([&"serve", &"--viewer", &viewer, &"/no/such/file"], "cannot be read"),
        ([&"serve", &"--viewer", &"/no/such/viewer", &viewer], "cannot be read"),
        ([&"serve", &"--viewer", &folder.join("other.html"), &viewer], "is not the viewer"),
    ] {
        fs::write(folder.join("other.html"), "<p>").unwrap();
        let (code, told) = run(&args);
        assert!(code == Some(1) && told.contains(words), "{told}");
    }
}

#[test]
fn no_command_writes_over_what_it_reads() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("over");
    fs::create_dir_all(&folder).unwrap();
    let (snapshot, viewer) = (folder.join("a.pickle.gz"), folder.join("viewer.html"));
    let bytes = fs::read(recordings::folder().join("train_plain.pickle.gz")).unwrap();
    fs::write(&snapshot, &bytes).unwrap();
    fs::write(&viewer, VIEWER).unwrap();
    let link = folder.join("link.gz");
    let _ = fs::remove_file(&link);
    fs::hard_link(&snapshot, &link).unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (a, b, v) = (text(&snapshot), text(&link), text(&viewer));
    for args in [
        vec!["report", &a, "--html", &a],
        vec!["page", &a, "-o", &a, "--viewer", &v],
        vec!["page", &a, "-o", &v, "--viewer", &v],
        vec!["export", &a, "-o", &a],
        vec!["export", &a, "-o", &b],
    ] {
        let output = vramscope().args(&args).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && told.contains("would be overwritten"), "{args:?}: {told}");
    }
    assert!(fs::read(&snapshot).unwrap() == bytes && fs::read_to_string(&viewer).unwrap() == VIEWER);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn names_of_a_file_command_no_terminal() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("terminal");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("names.pickle");
    let frame = serde_json::json!({"filename": "a\u{7}.py", "line": 1, "name": "f\u{1b}[2J\u{202e}"});
    let event = serde_json::json!({"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "frames": [frame], "time_us": 1});
    let snapshot = serde_json::json!({"segments": [], "device_traces": [[event]]});
    fs::write(&file, serde_pickle::to_vec(&snapshot, Default::default()).unwrap()).unwrap();
    let path = file.to_str().unwrap();
    for args in [
        vec!["summary", path],
        vec!["report", path],
        vec!["allocations", path],
        vec!["search", "f", path],
        vec!["diff", path, path, "--at", "0,end"],
        vec!["state", path, "--at", "end"],
    ] {
        let output = vramscope().args(&args).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let harms = |c: char| (c.is_control() && !"\n\t".contains(c)) || c == '\u{202e}';
        assert!(!text.contains(harms), "{args:?}: {text:?}");
    }
    fs::remove_dir_all(folder).unwrap();
}
