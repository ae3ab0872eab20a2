//! This project's server beside others and beside its limits: the same load on each in turn, each on one processor, the
//! generator on another. What a server's processor spends on an operation depends least on what else a machine does.
//!
//! usage: versus [server=target/release/bothways] [peers=target/peers] [with=dynoxide,dynalite,ministack] [ops=GetItem,…]
//!               [rounds=5] [seconds=2] [connections=16] [on=0] [from=1] [dir=DIR [preload=LIBRARY]]
//!               [chart=FILE.svg]
//!
//! `dir` keeps the data there, of those that can, and loads nothing before: writes alone can be asked for. `preload` is loaded
//! into the servers: built by `cc -shared -fPIC -o slow.so bench/slow_sync.c`, it makes each sync take 4 ms longer.
//! `on` and `from` are the processors of the servers and of the generator. `tests/peers.sh --install dynoxide dynalite
//! ministack` installs the peers; one that is not there is left out.

use bothways_bench::linkbench::{Outcome, Random};
use bothways_bench::versus::{
    Driver, Op, Program, Report, Server, Stretch, http, measure_inside, serve_bare,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Requests that are made before a stretch, so that making them takes none of its time.
const POOL: usize = 4096;
/// Of a stretch, what goes before measuring.
const WARM: Duration = Duration::from_millis(500);

struct Settings {
    server: PathBuf,
    peers: PathBuf,
    with: Vec<String>,
    ops: Vec<Op>,
    rounds: u64,
    time: Duration,
    connections: usize,
    on: usize,
    from: usize,
    dir: Option<PathBuf>,
    preload: Option<String>,
    chart: Option<PathBuf>,
}

impl Settings {
    fn read(args: impl Iterator<Item = String>) -> Outcome<Self> {
        let mut settings = Self {
            server: "target/release/bothways".into(),
            peers: "target/peers".into(),
            with: ["dynoxide", "dynalite", "ministack"]
                .map(str::to_owned)
                .into(),
            ops: Op::ALL.to_vec(),
            rounds: 5,
            time: Duration::from_secs(2),
            connections: 16,
            on: 0,
            from: 1,
            dir: None,
            preload: None,
            chart: None,
        };
        for arg in args {
            let (name, value) = arg.split_once('=').ok_or("name=value")?;
            match name {
                "server" => settings.server = value.into(),
                "peers" => settings.peers = value.into(),
                "with" => settings.with = value.split(',').map(str::to_owned).collect(),
                "ops" => {
                    let ops = value.split(',').map(Op::named);
                    settings.ops = ops.collect::<Option<_>>().ok_or("no such operation")?;
                }
                "rounds" => settings.rounds = value.parse()?,
                "seconds" => settings.time = Duration::from_secs_f64(value.parse()?),
                "connections" => settings.connections = value.parse()?,
                "on" => settings.on = value.parse()?,
                "from" => settings.from = value.parse()?,
                "dir" => settings.dir = Some(value.into()),
                "preload" => settings.preload = Some(value.to_owned()),
                "chart" => settings.chart = Some(value.into()),
                _ => return Err(format!("{arg}: no such setting").into()),
            }
        }
        Ok(settings)
    }
}

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [bare, port, answers] = &args[..]
        && bare == "bare"
    {
        return serve_bare(port.parse()?, Path::new(answers));
    }
    let settings = Settings::read(args.into_iter())?;
    pin_to(settings.from)?;
    let answers = tempfile::tempdir()?;
    let data = settings
        .dir
        .as_ref()
        .map(tempfile::tempdir_in)
        .transpose()?;
    let servers = match &data {
        Some(data) => start_durable(&settings, data.path())?,
        None => start(&settings, answers.path())?,
    };
    let mut report = Report::default();
    for round in 0..settings.rounds {
        for &op in &settings.ops {
            for server in &servers {
                report.add(stretch(&settings, op, server, round)?);
            }
        }
    }
    println!("{}", report.operations(&servers));
    println!("{}", Report::servers(&servers));
    if let Some(file) = &settings.chart {
        std::fs::write(file, report.chart(&servers))?;
    }
    drop(servers);
    if data.is_none() {
        println!("{}", Report::inside(&measure_inside()?));
    }
    eprint!("{}", report.failures());
    Ok(())
}

fn pin_to(processor: usize) -> Outcome<()> {
    let mut set = rustix::thread::CpuSet::new();
    set.set(processor);
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}

/// Starts and loads every server; the limit answers with the bytes that the first has answered.
fn start(settings: &Settings, answers: &Path) -> Outcome<Vec<Server>> {
    let own = Server::start(&Program::bothways(&settings.server), settings.on)?;
    own.load()?;
    for op in Op::ALL {
        let body = op.body(&mut Random::new(7));
        std::fs::write(answers.join(op.target()), own.ask(op.target(), &body)?)?;
    }
    let bare = Program::bare(&std::env::current_exe()?, answers);
    let mut servers = vec![own, Server::start(&bare, settings.on)?];
    for name in &settings.with {
        match Program::peer(name, &settings.peers) {
            Some(program) => {
                let peer = Server::start(&program, settings.on)?;
                peer.load()?;
                servers.push(peer);
            }
            None => eprintln!("{name} is not in {}: left out", settings.peers.display()),
        }
    }
    Ok(servers)
}

/// Starts those whose data can be in a directory.
fn start_durable(settings: &Settings, dir: &Path) -> Outcome<Vec<Server>> {
    let peers = settings.with.iter();
    let peers = peers.filter_map(|name| Program::peer(name, &settings.peers));
    let mut servers = Vec::new();
    for program in std::iter::once(Program::bothways(&settings.server)).chain(peers) {
        let Some(mut program) = program.durable(dir) else {
            continue;
        };
        if let Some(library) = &settings.preload {
            program = program.preloading(library);
        }
        let server = Server::start(&program, settings.on)?;
        server.make_table()?;
        servers.push(server);
    }
    Ok(servers)
}

fn stretch(settings: &Settings, op: Op, server: &Server, round: u64) -> Outcome<Stretch> {
    let host = server.address.to_string();
    let mut random = Random::new(round);
    let requests = (0..POOL).map(|_| http(&host, op.target(), &op.body(&mut random)));
    let requests: Vec<Vec<u8>> = requests.collect();
    let driver = Driver {
        address: server.address,
        requests: &requests,
        connections: settings.connections,
        warm: WARM,
        time: settings.time,
    };
    let mut marks = Vec::new();
    let load = driver.run(|| marks.push(server.processor()))?;
    let processor = match marks[..] {
        [before, after] => after.saturating_sub(before),
        _ => Duration::ZERO,
    };
    Ok(Stretch {
        op,
        server: server.name,
        processor,
        load,
    })
}
