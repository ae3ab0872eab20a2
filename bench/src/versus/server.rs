//! A server as a process of its own: started on a free port and one processor, measured from outside, ended by its id.

use super::load::ask;
use super::requests::{CREATE, ITEMS, PARTITIONS, http, puts};
use crate::family_cpu_time;
use crate::linkbench::{Outcome, Random};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long it may take to answer, and to be active.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked whether it answers.
const LOOK: Duration = Duration::from_micros(500);
/// How long it is left alone before its memory is read.
const QUIET: Duration = Duration::from_secs(1);

/// What is started.
#[derive(Debug, Clone)]
pub struct Program {
    /// What it is called in the report.
    pub name: &'static str,
    path: PathBuf,
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
}

impl Program {
    /// This project's server, in memory.
    #[must_use]
    pub fn bothways(path: &Path) -> Self {
        Self::with("bothways", path, &["serve", "--memory", "--port", "PORT"])
    }

    /// The same, or a peer that can, with its data in a directory; none for one that cannot.
    #[must_use]
    pub fn durable(mut self, dir: &Path) -> Option<Self> {
        let place = dir.join(self.name).to_string_lossy().into_owned();
        let args = match self.name {
            "bothways" => vec!["serve", "--port", "PORT", "--data", &place],
            "dynoxide" => vec!["--host", "127.0.0.1", "--port", "PORT", "--db-path", &place],
            _ => return None,
        };
        self.args = args.into_iter().map(str::to_owned).collect();
        Some(self)
    }

    /// Loads a library before any other, such as one that makes syncs slower.
    #[must_use]
    pub fn preloading(mut self, library: &str) -> Self {
        self.env.push(("LD_PRELOAD", library.to_owned()));
        self
    }

    /// The limit: this benchmark's own binary, answering with `answers`.
    #[must_use]
    pub fn bare(own: &Path, answers: &Path) -> Self {
        let answers = answers.to_string_lossy();
        Self::with("bare hyper", own, &["bare", "PORT", &answers])
    }

    /// A peer by its name, where `peers` has it: as `tests/peers.sh --install` leaves them.
    #[must_use]
    pub fn peer(name: &str, peers: &Path) -> Option<Self> {
        let program = match name {
            "dynoxide" => Self::with(
                "dynoxide",
                &peers.join("dynoxide/bin/dynoxide"),
                &["--host", "127.0.0.1", "--port", "PORT"],
            ),
            "dynalite" => Self::with(
                "dynalite",
                &peers.join("dynalite/node_modules/.bin/dynalite"),
                &[
                    "--host",
                    "127.0.0.1",
                    "--port",
                    "PORT",
                    "--createTableMs",
                    "0",
                ],
            ),
            "ministack" => Self {
                env: vec![
                    ("GATEWAY_PORT", "PORT".into()),
                    ("SERVICES", "dynamodb".into()),
                ],
                ..Self::with("ministack", &peers.join("ministack/bin/ministack"), &[])
            },
            _ => return None,
        };
        program.path.exists().then_some(program)
    }

    fn with(name: &'static str, path: &Path, args: &[&str]) -> Self {
        Self {
            name,
            path: path.to_path_buf(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            env: Vec::new(),
        }
    }
}

/// One that runs.
#[derive(Debug)]
pub struct Server {
    /// What it is called in the report.
    pub name: &'static str,
    /// Where it listens.
    pub address: SocketAddr,
    /// From its start to its first answer.
    pub start: Duration,
    /// Memory before anything was asked of it, bytes.
    pub idle: u64,
    child: Child,
}

impl Server {
    /// Starts it on a processor, and waits for its first answer.
    ///
    /// # Errors
    /// No such program; one that ends or says nothing.
    pub fn start(program: &Program, processor: usize) -> Outcome<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let with_port = |text: &str| text.replace("PORT", &port.to_string());
        let mut command = Command::new("taskset");
        command
            .args(["-c", &processor.to_string()])
            .arg(&program.path);
        command.args(program.args.iter().map(|arg| with_port(arg)));
        let env = program.env.iter();
        command.envs(env.map(|(name, value)| (*name, with_port(value))));
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
        let begun = Instant::now();
        let mut child = quiet.stderr(Stdio::null()).spawn()?;
        let first = http(&address.to_string(), "ListTables", "{}");
        while ask(address, &first).is_err() {
            if let Some(status) = child.try_wait()? {
                return Err(format!("{} ended: {status}", program.name).into());
            }
            if begun.elapsed() > PATIENCE {
                child.kill()?;
                return Err(format!("{} does not answer", program.name).into());
            }
            std::thread::sleep(LOOK);
        }
        let start = begun.elapsed();
        std::thread::sleep(QUIET);
        let mut server = Self {
            name: program.name,
            address,
            start,
            idle: 0,
            child,
        };
        server.idle = server.memory();
        Ok(server)
    }

    /// Ends it as a loss of power would, as far as it can tell.
    ///
    /// # Errors
    /// It is gone already.
    pub fn kill(mut self) -> Outcome<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Its processor time so far, children included.
    #[must_use]
    pub fn processor(&self) -> Duration {
        family_cpu_time(self.child.id())
    }

    /// Its resident memory now, bytes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
        kilobytes.unwrap_or(0) << 10
    }

    /// One request that has to be answered 200.
    ///
    /// # Errors
    /// Any other answer, in the server's words.
    pub fn ask(&self, target: &str, body: &str) -> Outcome<Vec<u8>> {
        let request = http(&self.address.to_string(), target, body);
        let (answer, bytes) = ask(self.address, &request)?;
        if answer.status == 200 {
            return Ok(bytes[..answer.end].to_vec());
        }
        let words = String::from_utf8_lossy(&bytes);
        Err(format!("{}, {target}: {words}", self.name).into())
    }

    /// Makes the table and its items.
    ///
    /// # Errors
    /// As [`Server::ask`].
    pub fn load(&self) -> Outcome<()> {
        self.make_table()?;
        let mut random = Random::new(1);
        for partition in 0..PARTITIONS {
            self.ask("BatchWriteItem", &puts(partition, 0..ITEMS, &mut random))?;
        }
        Ok(())
    }

    /// Makes the table.
    ///
    /// # Errors
    /// As [`Server::ask`].
    pub fn make_table(&self) -> Outcome<()> {
        self.ask("CreateTable", CREATE)?;
        let until = Instant::now() + PATIENCE;
        loop {
            let answer = self.ask("DescribeTable", r#"{"TableName":"bench"}"#)?;
            if String::from_utf8_lossy(&answer).contains("ACTIVE") {
                return Ok(());
            }
            if Instant::now() > until {
                return Err(format!("{}: the table does not become active", self.name).into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        // Asked first, so that one with children can end them.
        let pid = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &pid]).status();
        let until = Instant::now() + Duration::from_secs(5);
        while asked.is_ok() && Instant::now() < until {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
