//! A PostgreSQL server of our own: made in a directory, started on a free port, stopped by its process id.

use super::Outcome;
use super::drive::Processor;
use crate::{cpu_time, family_cpu_time};
use std::fmt::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The user that it runs as where this process is root, which PostgreSQL refuses: nobody.
const NOBODY: u32 = 65534;
/// How long it may take to answer, and to stop.
const PATIENCE: Duration = Duration::from_mins(2);

/// A running server.
pub struct PgServer {
    child: Child,
    /// Its port on 127.0.0.1.
    pub port: u16,
}

/// Where `initdb` and `postgres` are: beside what the path names, or where `pg_config` says.
#[must_use]
pub fn binaries() -> Option<PathBuf> {
    let has = |dir: &Path| ["initdb", "postgres"].iter().all(|b| dir.join(b).exists());
    let path = std::env::var_os("PATH").unwrap_or_default();
    if let Some(dir) = std::env::split_paths(&path).find(|dir| has(dir)) {
        return Some(dir);
    }
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    let dir = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    has(&dir).then_some(dir)
}

/// Memory of this machine, bytes (Linux).
fn memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("MemTotal:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(1 << 20) << 10
}

impl PgServer {
    /// A quarter of memory, in megabytes: what it is given as shared buffers.
    #[must_use]
    pub fn shared_buffers_mb() -> u64 {
        memory() / 4 >> 20
    }

    /// Makes a database in a new directory, or takes the one that is there, and starts a server over it. Everything that
    /// has to do with durability is as it comes.
    ///
    /// # Errors
    /// No binaries, no port, a server that does not start.
    pub fn start(dir: &Path, clients: usize) -> Outcome<Self> {
        let binaries = binaries().ok_or("there is no initdb and postgres")?;
        let data = dir.join("data");
        if !data.exists() {
            std::fs::create_dir_all(dir)?;
            let root = std::fs::metadata(dir)?.uid() == 0;
            if root {
                chown(dir, Some(NOBODY), Some(NOBODY))?;
            }
            let mut initdb = command(&binaries.join("initdb"), dir)?;
            let options = [
                "-A",
                "trust",
                "-U",
                "bench",
                "-E",
                "UTF8",
                "--locale=C",
                "-D",
            ];
            let made = initdb.args(options).arg(&data).output()?;
            if !made.status.success() {
                return Err(String::from_utf8_lossy(&made.stderr).into());
            }
        }
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let mut postgres = command(&binaries.join("postgres"), dir)?;
        postgres.arg("-D").arg(&data);
        for (name, value) in settings(port, clients) {
            let mut setting = String::new();
            write!(setting, "{name}={value}")?;
            postgres.arg("-c").arg(setting);
        }
        let log = std::fs::File::create(dir.with_extension("log"))?;
        let child = postgres.stdout(Stdio::null()).stderr(log).spawn()?;
        let mut server = Self { child, port };
        server.wait()?;
        Ok(server)
    }

    /// Its processor time and that of its clients, who are this process.
    #[must_use]
    pub fn processor(&self) -> Processor {
        let process = self.child.id();
        Box::new(move || cpu_time() + family_cpu_time(process))
    }

    /// Waits until it takes connections.
    fn wait(&mut self) -> Outcome<()> {
        let until = Instant::now() + PATIENCE;
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            if let Some(status) = self.child.try_wait()? {
                return Err(format!("postgres ended: {status}").into());
            }
            if Instant::now() > until {
                return Err("postgres does not answer".into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

/// A program as somebody who is not root, in a directory of theirs.
fn command(program: &Path, dir: &Path) -> Outcome<Command> {
    let mut command = Command::new(program);
    let owner = std::fs::metadata(dir)?;
    if owner.uid() == NOBODY {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.current_dir(dir).stdin(Stdio::null());
    Ok(command)
}

fn settings(port: u16, clients: usize) -> [(&'static str, String); 7] {
    [
        ("port", port.to_string()),
        ("listen_addresses", "127.0.0.1".to_owned()),
        ("unix_socket_directories", String::new()),
        ("max_connections", (clients + 10).to_string()),
        (
            "shared_buffers",
            format!("{}MB", PgServer::shared_buffers_mb()),
        ),
        // Not a matter of durability: fewer checkpoints, which is kind to it.
        ("max_wal_size", "4GB".to_owned()),
        ("logging_collector", "off".to_owned()),
    ]
}

impl Drop for PgServer {
    fn drop(&mut self) {
        // SIGINT is PostgreSQL's fast shutdown: it ends sessions and writes a checkpoint.
        let pid = self.child.id().to_string();
        let asked = Command::new("kill").args(["-INT", &pid]).status();
        let until = Instant::now() + PATIENCE;
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
