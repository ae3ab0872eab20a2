//! `serve`.

use crate::args::{Global, Serve as ServeArgs};
use crate::failure::{Exit, Failure};
use crate::models;
use crate::pages;
use crate::place::Place;
use crate::print::{Screen, Tint, shell_word};
use crate::refusal::{self, Subject};
use crate::session;
use crate::target::{DEFAULT_DATA, DEFAULT_ENDPOINT, Target, VARIABLE};
use bothways_graph::model::shipped_models;
use bothways_graph::{Graph, sample_summary};
use bothways_protocol::Context;
use bothways_server::{Config, Server, Service, interrupted};
use bothways_store::DiskStore;
use bothways_workbench::Live;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `serve`: opens, prepares, prints one link, answers until Ctrl-C.
pub(crate) async fn serve(
    args: &ServeArgs,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    if global.explain {
        return Err(Failure::usage(
            "serve sends no request that --explain could show",
        ));
    }
    let target = target(args, global)?;
    let dir = target
        .as_ref()
        .and_then(Target::directory)
        .map(Path::to_path_buf);
    let buckets = args.bucket_dir.as_deref();
    let place = match (&target, &dir) {
        (Some(target), Some(dir)) if !DiskStore::is_there(dir) => {
            session::make(dir, target, buckets, screen)?
        }
        (Some(target), _) => Place::with_buckets(target, buckets)?,
        (None, _) => Place::memory(buckets)?,
    };
    let connected = pages::Connected::open(&args.connect)?;
    let jobs = pages::Jobs::default();
    // The address is taken before any model is applied: a port in use changes nothing.
    let live = Live::default();
    let bench = pages::Workbench::new(&place, target.as_ref(), &connected, &live, args, &jobs)?;
    let mut service =
        Service::new(live.over(Arc::clone(&place.db)), config(args)).with_pages(Arc::new(bench));
    if let Some(trouble) = place.trouble() {
        service = service.with_trouble(trouble);
    }
    let server = Server::bind((args.host, args.port), service)
        .await
        .map_err(|e| unbound(&e, args))?;
    let url = format!("http://{}", server.address());
    place.announce(&url);
    let prepared = prepare(&place, args).await?;
    greet(screen, &url, dir.as_deref(), &prepared)?;
    let stopped = server
        .run(async {
            let _ = interrupted().await;
            screen.say("stopping");
        })
        .await;
    jobs.end().await;
    place.close()?;
    connected.close()?;
    if stopped.cut_off > 0 {
        screen.say(&format!("stopped; requests cut off: {}", stopped.cut_off));
    } else {
        screen.say("stopped");
    }
    Ok(Exit::Done)
}

fn config(args: &ServeArgs) -> Config {
    let mut config = Config::default();
    config.hosts.clone_from(&args.allow_host);
    config.unsigned = args.unsigned;
    config
}

/// Where the data is kept; `None` for memory.
fn target(args: &ServeArgs, global: &Global) -> Result<Option<Target>, Failure> {
    if args.memory {
        return Ok(None);
    }
    if global.endpoint.is_some() {
        return Err(Failure::usage("serve opens a directory, not an endpoint")
            .hint("bothways serve --data DIR, or --memory"));
    }
    let target = Target::resolve(global)?;
    if target.directory().is_some() {
        return Ok(Some(target));
    }
    if let Some(name) = &global.profile {
        return Err(Failure::usage(format!(
            "serve opens a directory, and profile {name} is none"
        ))
        .hint(format!(
            "show it in the workbench: bothways serve --connect {name}"
        )));
    }
    // A directory in the environment is meant for serving too; an endpoint there is for the other commands.
    Ok(Some(Target::Data(PathBuf::from(DEFAULT_DATA))))
}

fn unbound(error: &bothways_server::ServeError, args: &ServeArgs) -> Failure {
    let reason = std::error::Error::source(error)
        .map(|e| format!(": {e}"))
        .unwrap_or_default();
    let failure = Failure::unreachable(format!(
        "cannot listen on {}:{}{reason}",
        args.host, args.port
    ));
    failure.hint("take another port: --port N   (0 takes a free one)")
}

/// Creates the tables that were asked for, with their sample data; the models that are ready.
async fn prepare(place: &Place, args: &ServeArgs) -> Result<Vec<Prepared>, Failure> {
    let cx = Context::default();
    let mut wanted: Vec<(String, bool)> = args
        .model
        .iter()
        .map(|model| (model.clone(), false))
        .collect();
    if args.sample {
        let sampled = shipped_models()
            .iter()
            .filter(|model| sample_summary(model.name).is_some());
        wanted.extend(sampled.map(|model| (model.name.to_owned(), true)));
    }
    let mut prepared: Vec<Prepared> = Vec::new();
    for (model, sample) in wanted {
        let subject = Subject {
            model: model.clone(),
            target: Target::Data(PathBuf::from(DEFAULT_DATA)),
            place: String::new(),
        };
        let failed = |e| refusal::of_graph(e, &subject);
        let loaded = models::load(&model)?;
        let graph = Graph::new(Arc::clone(&place.db), loaded.model).map_err(failed)?;
        let table = graph.model().table.clone();
        if let bothways_graph::Applied::Differs(_) = graph.apply(&cx).await.map_err(failed)?.value {
            return Err(
                Failure::no(format!("table {table} is not as model {model} says"))
                    .hint(format!("see how it differs: bothways model apply {model}")),
            );
        }
        if sample {
            graph.load_sample(&cx).await.map_err(failed)?;
        }
        let first = graph.model().relations.first();
        let example = first.map(|r| [r.name.clone(), format!("{}1", r.from), format!("{}2", r.to)]);
        prepared.push(Prepared {
            model,
            sample,
            example,
        });
    }
    Ok(prepared)
}

/// A model whose table is there.
struct Prepared {
    model: String,
    sample: bool,
    /// Its first relation, and two ids of its ends' kinds.
    example: Option<[String; 3]>,
}

/// What to try first.
fn first_commands(prepared: &[Prepared]) -> Vec<String> {
    let owned = |commands: &[&str]| commands.iter().map(|&c| c.to_owned()).collect();
    if prepared.iter().any(|each| each.sample) {
        return owned(&[
            "in follow follows bob",
            "link follow follows alice bob",
            "show school student a91",
            "in follow follows star --limit 5",
        ]);
    }
    let Some(Prepared { model, example, .. }) = prepared.first() else {
        return owned(&[
            "model apply follow",
            "link follow follows alice bob",
            "in follow follows bob",
        ]);
    };
    let model = shell_word(model);
    let mut commands = vec![format!("model show {model}")];
    if let Some(words) = example {
        let [relation, source, target] = words.each_ref().map(|word| shell_word(word));
        commands.push(format!("link {model} {relation} {source} {target}"));
        commands.push(format!("in {model} {relation} {target}"));
    }
    commands
}

/// One link, and what to try next. The link is data; the rest is talk.
fn greet(
    screen: &Screen,
    url: &str,
    dir: Option<&Path>,
    prepared: &[Prepared],
) -> Result<(), Failure> {
    let data = dir.map(|dir| dir.display().to_string());
    if screen.json() {
        screen.document(&json!({"endpoint": url, "data": data, "pid": std::process::id()}))?;
        return Ok(());
    }
    screen.line(&format!(
        "bothways serves {}",
        screen.paint().paint(Tint::Strong, url)
    ))?;
    let place = data.map_or_else(
        || "in memory, gone when it stops".to_owned(),
        |dir| format!("in {dir}"),
    );
    screen.say(&format!("  data       {place}"));
    for each in prepared {
        let sample = sample_summary(&each.model).filter(|_| each.sample);
        let sample = sample
            .map(|sample| format!("   {sample}"))
            .unwrap_or_default();
        screen.say(&format!("  model      {}{sample}", each.model));
    }
    screen.say("  stop       Ctrl-C");
    screen.say("");
    screen.say("Try, in another terminal:");
    if url != DEFAULT_ENDPOINT {
        screen.say(&format!("  export {VARIABLE}={url}"));
    }
    for command in first_commands(prepared) {
        screen.say(&format!("  bothways {command}"));
    }
    screen.say("");
    screen.say("Or with any DynamoDB SDK; any access key will do:");
    screen.say(&format!(
        "  aws dynamodb list-tables --region us-east-1 --endpoint-url {url}"
    ));
    Ok(())
}
