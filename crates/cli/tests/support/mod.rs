//! What the end-to-end tests share: running the binary, serving with it, and comparing what it prints.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses its own part"
)]

pub mod document;
pub mod importer;
pub mod oracle;
pub mod proxy;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Longest wait for a process to say or do something.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// The binary under test, with nothing inherited that could change what it does.
pub fn bothways() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bothways"));
    command
        .env_remove("BOTHWAYS_TARGET")
        .env_remove("BOTHWAYS_PROFILE")
        .env_remove("NO_COLOR")
        .env("BOTHWAYS_PROFILES", "profiles.toml");
    for name in [
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_REGION",
    ] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

/// What a run printed, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Asserts that all went well.
    #[track_caller]
    pub fn done(self) -> Self {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        self
    }
    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}{}", self.out, self.err))
    }
}

/// Runs the binary to its end in a directory.
pub fn run_in(dir: &Path, args: &[&str]) -> Ran {
    bothways()
        .current_dir(dir)
        .args(args)
        .output()
        .expect("the binary runs")
        .into()
}

/// The whole answer of a request; each of its headers ends in CR LF.
pub fn http(endpoint: &str, method: &str, path: &str, headers: &str, body: &str) -> String {
    let host = endpoint.strip_prefix("http://").unwrap();
    let mut stream = std::net::TcpStream::connect(host).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// A server of its own, ended when dropped.
pub struct Server {
    child: Child,
    /// Where it listens.
    pub endpoint: String,
    /// What it had printed when it was ready.
    pub greeting: String,
}

impl Server {
    /// Starts `bothways serve --port 0 --quiet` with more arguments.
    pub fn start(args: &[&str]) -> Self {
        let mut command = bothways();
        command
            .args(["serve", "--port", "0", "--no-color", "-q"])
            .args(args);
        Self::start_command(&mut command)
    }

    /// Starts any command that prints a serving address as `serve` does.
    pub fn start_command(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the server starts");
        let stdout = child.stdout.take().expect("stdout is piped");
        let (send, receive) = mpsc::channel();
        // The pipe is drained to its end, so that the server can never block on it.
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        let deadline = Instant::now() + PATIENCE;
        let mut greeting = String::new();
        loop {
            let wait = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = receive.recv_timeout(wait) else {
                let _ = child.kill();
                let status = child.wait();
                panic!("the server did not get ready ({status:?}): {greeting}");
            };
            greeting.push_str(&line);
            greeting.push('\n');
            if let Some(at) = line.find("http://") {
                let endpoint = line[at..]
                    .split_whitespace()
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                return Self {
                    child,
                    endpoint,
                    greeting,
                };
            }
        }
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it at once, as a crash would (SIGKILL).
    pub fn kill(mut self) {
        self.child.kill().expect("the server can be killed");
        self.child.wait().expect("the server can be waited for");
    }

    /// Asks it to stop as Ctrl-C does, and waits until it has.
    pub fn interrupt(mut self) -> i32 {
        signal(self.pid(), "INT");
        wait(&mut self.child)
    }

    /// Runs a client command against it.
    pub fn run(&self, args: &[&str]) -> Ran {
        let mut command = bothways();
        command.args(args).args(["--endpoint", &self.endpoint]);
        command.output().expect("the binary runs").into()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Starts a server, reads both of its streams up to a word, and stops it; what it printed until then, data first.
pub fn greeting(command: &mut Command, last: &str) -> String {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let streams: [Box<dyn Read + Send>; 2] = [
        Box::new(child.stdout.take().expect("stdout is piped")),
        Box::new(child.stderr.take().expect("stderr is piped")),
    ];
    let (send, receive) = mpsc::channel();
    for (from, stream) in streams.into_iter().enumerate() {
        let send = send.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                let _ = send.send((from, line));
            }
        });
    }
    let deadline = Instant::now() + PATIENCE;
    let mut printed: Vec<(usize, String)> = Vec::new();
    let complete = |printed: &[(usize, String)]| {
        printed.iter().any(|(from, _)| *from == 0)
            && printed.iter().any(|(_, line)| line.contains(last))
    };
    while !complete(&printed) {
        let wait = deadline.saturating_duration_since(Instant::now());
        let Ok(line) = receive.recv_timeout(wait) else {
            break;
        };
        printed.push(line);
    }
    signal(child.id(), "INT");
    wait(&mut child);
    printed.sort_by_key(|(from, _)| *from);
    let lines: Vec<String> = printed.into_iter().map(|(_, line)| line + "\n").collect();
    lines.concat()
}

/// Sends a signal to one process.
pub fn signal(pid: u32, name: &str) {
    let status = Command::new("kill")
        .args([format!("-{name}"), pid.to_string()])
        .status();
    assert!(status.expect("kill runs").success());
}

/// Waits for a process, but not for ever; its exit code.
pub fn wait(child: &mut Child) -> i32 {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status.code().unwrap_or(-1);
        }
        assert!(Instant::now() < deadline, "the process did not end");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Compares a text with `tests/expected/<name>.txt`; `BLESS=1` writes the file instead.
#[track_caller]
pub fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/expected")
        .join(format!("{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).expect("the expected text can be written");
        return;
    }
    let mut expected = String::new();
    if let Ok(mut file) = std::fs::File::open(&path) {
        file.read_to_string(&mut expected)
            .expect("the expected text is UTF-8");
    }
    assert!(
        expected == text,
        "{name} is not as expected (BLESS=1 accepts it)\n--- expected\n{expected}--- printed\n{text}"
    );
}

/// A file of real data: the full one where it is present, else the shipped sample. Without optimisation always the
/// sample: the full files are for the release build.
pub fn data_file(full: &str, sample: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let beside = std::env::var_os("BOTHWAYS_DATA_FILES")
        .map_or_else(|| root.join("../shared/data"), PathBuf::from);
    let full = beside.join(full);
    if full.exists() && !cfg!(debug_assertions) {
        return full;
    }
    self::sample(sample)
}

/// The shipped sample of a file of real data.
pub fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/data")
        .join(name)
}

/// A count that a campaign raises through the environment.
pub fn count(variable: &str, ordinary: usize) -> usize {
    std::env::var(variable)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(ordinary)
}

/// A transcript of commands, each with what it printed on both streams, with what differs from run to run blotted out.
pub fn transcript(dir: &Path, target: &str, commands: &[&str]) -> String {
    let mut out: Vec<String> = Vec::new();
    for line in commands {
        let words = words(line);
        let mut command = bothways();
        command
            .current_dir(dir)
            .env("BOTHWAYS_TARGET", target)
            .args(&words);
        let ran = Ran::from(command.output().expect("the binary runs"));
        let exit = match ran.code {
            0 => String::new(),
            code => format!("exit {code}\n"),
        };
        out.push(format!("$ bothways {line}\n{}{}{exit}\n", ran.out, ran.err));
    }
    blot(&out.concat().replace(&dir.display().to_string(), "DIR"))
}

/// Words of a command line; single quotes keep spaces together.
pub fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (i, part) in line.split('\'').enumerate() {
        if i % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Replaces numbers that differ from run to run: times, rates, process ids, ports.
pub fn blot(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let mut line = line.to_owned();
        for (before, after) in [
            ("", " ms"),
            ("", " s ·"),
            ("", " rows/s"),
            ("(pid ", ")"),
            ("http://127.0.0.1:", ""),
            ("\"milliseconds\":", ""),
            ("\"seconds\":", ""),
            ("\"pid\":", ""),
        ] {
            line = blot_number(&line, before, after);
        }
        for before in ["\"opId\": {\"S\":\"", "\"ClientRequestToken\": \""] {
            line = blot_text(&line, before, '"');
        }
        for (before, end) in [
            ("   job ", ','),
            ("BOTHWAYS#JOBS, SK = ", ' '),
            (" --after ", '\n'),
        ] {
            line = blot_text(&line, before, end);
        }
        out.push_str(&line);
    }
    out
}

/// The text from `before` to the next `end` becomes `#`.
fn blot_text(line: &str, before: &str, end: char) -> String {
    let Some(start) = line.find(before).map(|at| at + before.len()) else {
        return line.to_owned();
    };
    let end = line[start..].find(end).map_or(line.len(), |at| start + at);
    format!("{}#{}", &line[..start], &line[end..])
}

/// Every number between `before` and `after` becomes `#`.
fn blot_number(line: &str, before: &str, after: &str) -> String {
    let numeric = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let length = rest[start..]
            .find(|c| !numeric(c))
            .unwrap_or(rest.len() - start);
        let (lead, number, tail) = (
            &rest[..start],
            &rest[start..start + length],
            &rest[start + length..],
        );
        // A comma that ends a number is punctuation.
        let digits = number.trim_end_matches([',', '.']);
        out.push_str(lead);
        let matches = out.ends_with(before) && tail.starts_with(after);
        out.push_str(if matches { "#" } else { digits });
        out.push_str(&number[digits.len()..]);
        rest = tail;
    }
    out.push_str(rest);
    out
}
