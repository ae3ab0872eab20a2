//! `table NAME --from FILE`: a table as a file describes it, with its sample items.

use super::{defined, describe};
use crate::args::{Global, Table};
use crate::explain;
use crate::failure::{Exit, Failure};
use crate::place::Place;
use crate::print::{Paint, Screen, plural};
use crate::refusal::{self, Subject};
use crate::report::{Advice, Report};
use crate::target::Target;
use bothways_codegen::DesignedTable;
use bothways_protocol::{Context, Error, Operation, Request};
use serde_json::{Map, Value as Json, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Puts of one BatchWriteItem; AWS, "BatchWriteItem".
const PUTS: usize = 25;
/// How long a request may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a table may be in the making.
const MAKING: Duration = Duration::from_mins(2);
const PAUSE: Duration = Duration::from_millis(200);

struct Created {
    table: String,
    items: usize,
}

impl Report for Created {
    fn lines(&self, _: Paint) -> Vec<String> {
        let items = plural(self.items as u64, "sample item", "sample items");
        vec![format!("created {} with {items}", self.table)]
    }

    fn members(&self) -> Map<String, Json> {
        let pairs = [
            ("table".to_owned(), json!(self.table)),
            ("items".to_owned(), json!(self.items)),
        ];
        pairs.into_iter().collect()
    }

    fn advice(&self) -> Vec<Advice> {
        vec![Advice::run("see", &["table", &self.table])]
    }
}

pub(super) async fn create(
    args: &Table,
    file: &Path,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let designed = designed(&args.name, file)?;
    let requests = requests(&designed)?;
    if global.explain {
        explain::print(screen, &requests)?;
        return Ok(Exit::Done);
    }
    let target = Target::resolve(global)?;
    let place = Place::open(&target)?;
    let sent = send(&place, &args.name, requests).await;
    place.close()?;
    let subject = Subject {
        model: String::new(),
        target,
        place: screen.place().to_owned(),
    };
    sent.map_err(|error| refusal::of_request(&error, &subject))?;
    let created = Created {
        table: args.name.clone(),
        items: designed.items.len(),
    };
    crate::report::print(screen, &created)
}

fn designed(name: &str, file: &Path) -> Result<DesignedTable, Failure> {
    let tables = DesignedTable::read(&defined(file)?)
        .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?;
    let names: Vec<String> = tables.iter().map(|table| table.name().to_owned()).collect();
    let found = tables.into_iter().find(|table| table.name() == name);
    found.ok_or_else(|| {
        Failure::usage(format!("{} describes no table {name:?}", file.display()))
            .hint(format!("its tables: {}", names.join(", ")))
    })
}

/// CreateTable, and the puts of the sample items.
fn requests(table: &DesignedTable) -> Result<Vec<Request>, Failure> {
    let decoded = |operation, body: &Json| {
        let bytes = serde_json::to_vec(body).unwrap_or_default();
        Request::decode(operation, &bytes)
            .map_err(|error| Failure::usage(format!("{}: {error}", table.name())))
    };
    let mut requests = vec![decoded(Operation::CreateTable, &table.input)?];
    for items in table.items.chunks(PUTS) {
        let puts: Vec<Json> = items
            .iter()
            .map(|item| json!({"PutRequest": {"Item": item}}))
            .collect();
        let body = json!({"RequestItems": {table.name(): puts}});
        requests.push(decoded(Operation::BatchWriteItem, &body)?);
    }
    Ok(requests)
}

fn within(patience: Duration) -> Context {
    Context {
        deadline: Some(Instant::now() + patience),
        ..Context::default()
    }
}

async fn send(place: &Place, name: &str, requests: Vec<Request>) -> Result<(), Error> {
    let mut requests = requests.into_iter();
    if let Some(create) = requests.next() {
        place.db.call(&within(PATIENCE), create).await?;
    }
    let until = Instant::now() + MAKING;
    loop {
        let described = describe(place, name, PATIENCE).await?;
        // A table that is not there in time refuses the first put.
        if described["Table"]["TableStatus"] == "ACTIVE" || Instant::now() > until {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    for puts in requests {
        place.db.call(&within(PATIENCE), puts).await?;
    }
    Ok(())
}
