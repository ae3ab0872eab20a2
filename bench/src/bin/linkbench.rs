//! LinkBench's mix, or TAO's, against this project embedded, this project over HTTP, and PostgreSQL: the same requests from
//! a seed, the same number of clients, the systems taking turns in short rounds. At last every counter is compared.
//!
//! usage: linkbench [ids=1000000] [clients=64] [seconds=10] [rounds=3] [mix=linkbench|tao|OPERATION] [each=SECONDS]
//!                  [systems=embedded,http,postgres] [dir=DIR] [keep=1] [cache=MB] [seed=N]
//!
//! `each` adds rounds of each operation alone; `dir` is on the disk to measure, and with `keep` what was loaded there
//! stays and is used again.

use bothways_bench::linkbench::{
    Clients, Embedded, Http, Mix, Op, Outcome, PgServer, Postgres, Processor, Report, Sessions,
    Shape, run,
};
use bothways_bench::{cpu_time, raw_sync};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Rounds of each operation alone.
const EACH_ROUNDS: u64 = 3;

struct Settings {
    shape: Shape,
    clients: usize,
    time: Duration,
    rounds: u64,
    mix: Mix,
    each: Option<Duration>,
    systems: Vec<String>,
    dir: Option<PathBuf>,
    keep: bool,
    cache_bytes: u64,
    seed: u64,
}

impl Settings {
    fn read(args: impl Iterator<Item = String>) -> Outcome<Self> {
        let mut settings = Self {
            shape: Shape::new(1_000_000),
            clients: 64,
            time: Duration::from_secs(10),
            rounds: 3,
            mix: Mix::linkbench(),
            each: None,
            systems: vec!["embedded".into(), "http".into(), "postgres".into()],
            dir: None,
            keep: false,
            cache_bytes: 128 << 20,
            seed: 1,
        };
        for arg in args {
            let (name, value) = arg.split_once('=').ok_or("name=value")?;
            match name {
                "ids" => settings.shape = Shape::new(value.parse()?),
                "clients" => settings.clients = value.parse()?,
                "seconds" => settings.time = Duration::from_secs_f64(value.parse()?),
                "rounds" => settings.rounds = value.parse()?,
                "mix" if value == "linkbench" => settings.mix = Mix::linkbench(),
                "mix" if value == "tao" => settings.mix = Mix::tao(),
                "mix" => settings.mix = Mix::only(Op::named(value).ok_or("no such mix")?),
                "each" => settings.each = Some(Duration::from_secs_f64(value.parse()?)),
                "systems" => settings.systems = value.split(',').map(str::to_owned).collect(),
                "dir" => settings.dir = Some(value.into()),
                "keep" => settings.keep = value == "1",
                "cache" => settings.cache_bytes = value.parse::<u64>()? << 20,
                "seed" => settings.seed = value.parse()?,
                _ => return Err(format!("{arg}: no such setting").into()),
            }
        }
        Ok(settings)
    }

    fn has(&self, system: &str) -> bool {
        self.systems.iter().any(|s| s == system)
    }
}

fn main() -> Outcome<()> {
    let settings = Settings::read(std::env::args().skip(1))?;
    let made = match &settings.dir {
        Some(dir) if settings.keep => {
            std::fs::create_dir_all(dir)?;
            None
        }
        Some(dir) => Some(tempfile::tempdir_in(dir)?),
        None => Some(tempfile::tempdir()?),
    };
    let root = made.as_ref().map(tempfile::TempDir::path);
    let root = root.or(settings.dir.as_deref()).ok_or("a directory")?;
    open_to_others(root)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    println!(
        "mode no-inverse, mix {}, {} ids, most links of an id {}, {} clients, closed loop",
        settings.mix.name,
        settings.shape.ids,
        settings.shape.cap(),
        settings.clients
    );
    let raw = raw_sync(root)?.as_secs_f64() * 1e3;
    println!("raw fdatasync, median {raw:.3} ms");
    runtime.block_on(bench(&settings, root))
}

/// PostgreSQL runs as somebody else, who has to get into the directory.
fn open_to_others(dir: &Path) -> Outcome<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// What answers, with a session for each client.
struct System {
    name: &'static str,
    sessions: Sessions,
    processor: Processor,
}

impl System {
    /// One in this process.
    fn here(name: &'static str, sessions: Sessions) -> Self {
        let processor = Box::new(cpu_time);
        Self {
            name,
            sessions,
            processor,
        }
    }
}

async fn bench(settings: &Settings, root: &Path) -> Outcome<()> {
    let ours = settings.has("embedded") || settings.has("http");
    let embedded = match ours {
        true => Some(opened(settings, &root.join("bothways")).await?),
        false => None,
    };
    let http = match &embedded {
        Some(embedded) if settings.has("http") => Some(Http::start(embedded.db.clone())?),
        _ => None,
    };
    let postgres = match settings.has("postgres") {
        true => Some(served(settings, &root.join("postgres")).await?),
        false => None,
    };
    let mut systems: Vec<System> = Vec::new();
    if let Some(embedded) = embedded.as_ref().filter(|_| settings.has("embedded")) {
        let sessions = embedded.sessions(settings.clients);
        systems.push(System::here("embedded", sessions));
    }
    if let Some(http) = &http {
        let sessions = http.sessions(settings.clients).await?;
        systems.push(System::here("HTTP", sessions));
    }
    if let Some((server, postgres)) = &postgres {
        systems.push(System {
            name: "PostgreSQL",
            sessions: postgres.sessions(settings.clients).await?,
            processor: server.processor(),
        });
    }
    measured(settings, &mut systems).await?;
    drop(systems);
    drop(http);
    if let Some(embedded) = &embedded {
        verified(embedded).await?;
    }
    if let Some((server, postgres)) = postgres {
        let drift = postgres.drift().await?;
        println!("verify PostgreSQL: {drift} counters are not their links");
        drop(server);
        if drift > 0 {
            return Err("drift in PostgreSQL".into());
        }
    }
    if let Some(embedded) = embedded {
        embedded.close()?;
    }
    Ok(())
}

async fn opened(settings: &Settings, dir: &Path) -> Outcome<Embedded> {
    let loaded = dir.join("loaded");
    let there = loaded.exists();
    let embedded = Embedded::open(&dir.join("db"), settings.cache_bytes).await?;
    if there {
        println!("bothways: loaded before");
        return Ok(embedded);
    }
    let started = Instant::now();
    let links = embedded.load(settings.shape).await?;
    told("bothways", settings, links, started);
    std::fs::write(loaded, "")?;
    Ok(embedded)
}

async fn served(settings: &Settings, dir: &Path) -> Outcome<(PgServer, Postgres)> {
    let loaded = dir.with_extension("loaded");
    let there = loaded.exists();
    let server = PgServer::start(dir, settings.clients)?;
    let postgres = Postgres::new(&server);
    println!(
        "PostgreSQL: shared buffers {} MB",
        PgServer::shared_buffers_mb()
    );
    if there {
        println!("PostgreSQL: loaded before");
        return Ok((server, postgres));
    }
    let started = Instant::now();
    let links = postgres.load(settings.shape).await?;
    told("PostgreSQL", settings, links, started);
    std::fs::write(loaded, "")?;
    Ok((server, postgres))
}

fn told(system: &str, settings: &Settings, links: u64, started: Instant) {
    let took = started.elapsed().as_secs_f64();
    println!(
        "{system}: loaded {links} links, {:.2} an id, in {took:.1} s",
        links as f64 / settings.shape.ids as f64
    );
}

/// The mix, then each operation alone where that is asked for; the systems take turns.
async fn measured(settings: &Settings, systems: &mut [System]) -> Outcome<()> {
    let mut clients = Clients {
        shape: settings.shape,
        mix: settings.mix.clone(),
        seed: settings.seed,
        round: now_round(),
        time: settings.time,
    };
    let report = turns(&mut clients, settings.rounds, systems).await?;
    println!("{}", report.text());
    let mut failed = report.failed();
    if let Some(time) = settings.each {
        clients.time = time;
        println!("each operation alone, median of {EACH_ROUNDS} rounds (times the last one's):");
        for op in Op::ALL {
            clients.mix = Mix::only(op);
            let report = turns(&mut clients, EACH_ROUNDS, systems).await?;
            println!("  {:<15}{}", op.name(), report.line());
            failed += report.failed();
        }
    }
    if failed > 0 {
        return Err(format!("{failed} operations failed").into());
    }
    Ok(())
}

/// A directory that is used again must not see the numbers of rounds before: seconds are unique enough.
fn now_round() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() % 1_000_000)
}

async fn turns(clients: &mut Clients, rounds: u64, systems: &mut [System]) -> Outcome<Report> {
    let mut report = Report::default();
    for _ in 0..rounds {
        for system in systems.iter_mut() {
            let sessions = std::mem::take(&mut system.sessions);
            let (round, back) = run(clients, sessions, &system.processor).await?;
            system.sessions = back;
            report.add(system.name, round);
            clients.round += 1;
        }
    }
    Ok(report)
}

async fn verified(embedded: &Embedded) -> Outcome<()> {
    let started = Instant::now();
    let report = embedded.verify().await?;
    println!(
        "verify bothways: {} edges, {} counters, {} busy, findings: {:?}, in {:.1} s",
        report.edges,
        report.counters,
        report.busy,
        report.found,
        started.elapsed().as_secs_f64()
    );
    if report.is_clean() && report.busy == 0 {
        return Ok(());
    }
    Err(format!("drift: {:?}", report.findings).into())
}
