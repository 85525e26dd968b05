//! The page in a real browser: Chromium, headless. Each test writes the page with
//! a script that clicks, presses keys and checks; the results are read from the
//! dumped document.

mod sample;

use knockon_report::{DiffReport, Extent, Format, Style};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TIME_LIMIT: Duration = Duration::from_secs(60);

enum Screen {
    WideLight,
    NarrowDark,
}

#[test]
fn lines_filters_keys_and_picture_work() {
    check(
        &sample::parking(),
        include_str!("browser/parking.js"),
        Screen::WideLight,
    );
}

#[test]
fn a_small_dark_screen_and_paper_work() {
    check(
        &sample::parking(),
        include_str!("browser/dark.js"),
        Screen::NarrowDark,
    );
}

#[test]
fn hostile_names_are_only_text() {
    check(
        &sample::hostile(),
        include_str!("browser/hostile.js"),
        Screen::WideLight,
    );
}

#[test]
fn a_huge_report_opens_and_answers_at_once() {
    check(
        &sample::huge(40_000),
        include_str!("browser/huge.js"),
        Screen::WideLight,
    );
}

/// Runs the checks in the page; fails with all claims that do not hold.
fn check(report: &DiffReport, script: &str, screen: Screen) {
    let page = report
        .render(Format::Html, Style::default(), Extent::Folded)
        .expect("a page");
    let watch = include_str!("browser/watch.js");
    let checks = include_str!("browser/checks.js");
    let (head, rest) = page.split_once("<title>").expect("a title");
    let (body, end) = rest.rsplit_once("</body>").expect("a body");
    let page = format!(
        "{head}<script>{watch}</script><title>{body}<script>{checks}</script><script>{script}</script></body>{end}"
    );
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("page.html");
    std::fs::write(&file, page).expect("the page is written");
    let document = dumped(directory.path(), &file, &screen);
    let encoded = document
        .split("<pre id=\"results\">")
        .nth(1)
        .and_then(|rest| rest.split("</pre>").next())
        .unwrap_or_else(|| panic!("the checks did not come to their end: {}", tail(&document)));
    let results: Vec<serde_json::Value> =
        serde_json::from_str(&percent_decoded(encoded)).expect("results");
    let failed: Vec<String> = results
        .iter()
        .filter(|result| result["holds"] != true)
        .map(|result| format!("{}: {}", result["claim"], result["found"]))
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(
        results.len() > 5,
        "only {} claims were checked",
        results.len()
    );
}

fn dumped(directory: &Path, page: &Path, screen: &Screen) -> String {
    let (size, scheme) = match screen {
        Screen::WideLight => ("1280,900", "1"),
        Screen::NarrowDark => ("390,844", "0"),
    };
    let output = directory.join("document.html");
    let mut child = Command::new(chromium())
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--dump-dom",
        ])
        .args(["--disable-background-networking", "--no-first-run"])
        .arg("--virtual-time-budget=2000")
        .arg(format!("--window-size={size}"))
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!(
            "--user-data-dir={}",
            directory.join("profile").display()
        ))
        .arg(format!("file://{}", page.display()))
        .stdout(File::create(&output).expect("an output file"))
        .stderr(Stdio::null())
        .spawn()
        .expect("chromium starts");
    let start = Instant::now();
    while child.try_wait().expect("chromium's state").is_none() {
        if start.elapsed() > TIME_LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            panic!("chromium did not end within {TIME_LIMIT:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    std::fs::read_to_string(&output).expect("the dumped document")
}

/// The first Chromium in the search path.
fn chromium() -> std::path::PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path)
        .flat_map(|directory| names.map(|name| directory.join(name)))
        .find(|program| program.is_file())
        .expect("the browser tests need Chromium: apt-get install chromium")
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits: Vec<u8> = rest.by_ref().take(2).collect();
            let digits = std::str::from_utf8(&digits).expect("two digits");
            bytes.push(u8::from_str_radix(digits, 16).expect("hexadecimal digits"));
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

fn tail(document: &str) -> &str {
    let start = document.len().saturating_sub(600);
    let start = (start..document.len())
        .find(|index| document.is_char_boundary(*index))
        .unwrap_or(0);
    &document[start..]
}
