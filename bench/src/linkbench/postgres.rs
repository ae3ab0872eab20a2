//! PostgreSQL: a join table with two indexes, and a counter row in the transaction of each link.

use super::drive::{Reply, Session, Sessions};
use super::mix::Request;
use super::pg_server::PgServer;
use super::shape::{Shape, TYPES};
use super::{Outcome, now_millis};
use bothways_protocol::BoxFuture;
use bytes::{BufMut, Bytes, BytesMut};
use futures_util::SinkExt;
use std::pin::pin;
use std::time::{Duration, Instant};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, CopyInSink, NoTls, Statement};

const SCHEMA: &str = include_str!("linkbench.sql");
/// Made behind the loading: the two indexes of the join table, and the keys of the others.
const INDEXES: &str = "
  ALTER TABLE node ADD PRIMARY KEY (id);
  ALTER TABLE count ADD PRIMARY KEY (id, kind);
  ALTER TABLE link ADD PRIMARY KEY (id1, kind, id2);
  CREATE INDEX link_list ON link (id1, kind, time DESC) INCLUDE (id2, version, data);";
/// Counters that are not the number of their links.
const DRIFT: &str = "
  SELECT count(*) FROM
    (SELECT id1 AS id, kind, count(*) AS n FROM link GROUP BY id1, kind) AS links
    FULL JOIN count USING (id, kind)
  WHERE coalesce(links.n, 0) <> coalesce(count.n, 0)";
/// How long a server may take to start, and between two looks at it.
const PATIENCE: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(50);
/// What is sent of a copy at once.
const CHUNK: usize = 256 << 10;

/// The database over a server.
pub struct Postgres {
    port: u16,
}

/// Connects; a server that is just starting is waited for.
async fn connect(port: u16) -> Outcome<Client> {
    let settings = format!("host=127.0.0.1 port={port} user=bench dbname=postgres");
    let until = Instant::now() + PATIENCE;
    loop {
        match tokio_postgres::connect(&settings, NoTls).await {
            Ok((client, connection)) => {
                tokio::spawn(connection);
                return Ok(client);
            }
            Err(error) => {
                let starting = error.code() == Some(&SqlState::CANNOT_CONNECT_NOW);
                if !starting || Instant::now() > until {
                    return Err(error.into());
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

impl Postgres {
    /// The database of a server.
    #[must_use]
    pub fn new(server: &PgServer) -> Self {
        Self { port: server.port }
    }

    /// Makes the tables and loads nodes, links and counts; how many links.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn load(&self, shape: Shape) -> Outcome<u64> {
        let client = connect(self.port).await?;
        client.batch_execute(SCHEMA).await?;
        let (now, mut links) = (now_millis(), 0);
        let mut nodes = Copy::new();
        let sink = client.copy_in("COPY node FROM STDIN").await?;
        let mut sink = pin!(sink);
        for id in 1..=shape.ids {
            nodes.row(&[id, now / 1000], Some(&shape.node(id)));
            nodes.send(sink.as_mut(), CHUNK).await?;
        }
        nodes.send(sink.as_mut(), 0).await?;
        sink.finish().await?;
        let mut rows = Copy::new();
        let sink = client.copy_in("COPY link FROM STDIN").await?;
        let mut sink = pin!(sink);
        for (id, kind) in ends(shape) {
            for k in 0..shape.links(id, kind) {
                let link = shape.link(id, kind, k, now);
                rows.row(&[id, kind, link.id2, link.time, 1], Some(&link.data));
                rows.send(sink.as_mut(), CHUNK).await?;
                links += 1;
            }
        }
        rows.send(sink.as_mut(), 0).await?;
        sink.finish().await?;
        let mut counts = Copy::new();
        let sink = client.copy_in("COPY count FROM STDIN").await?;
        let mut sink = pin!(sink);
        for (id, kind) in ends(shape) {
            let count = shape.links(id, kind);
            if count > 0 {
                counts.row(&[id, kind, count], None);
                counts.send(sink.as_mut(), CHUNK).await?;
            }
        }
        counts.send(sink.as_mut(), 0).await?;
        sink.finish().await?;
        client.batch_execute(INDEXES).await?;
        for command in ["VACUUM ANALYZE", "CHECKPOINT"] {
            client.batch_execute(command).await?;
        }
        Ok(links)
    }

    /// A session for each client, its statements prepared.
    ///
    /// # Errors
    /// What the server says.
    pub async fn sessions(&self, clients: usize) -> Outcome<Sessions> {
        let mut sessions = Sessions::new();
        for _ in 0..clients {
            sessions.push(Box::new(Prepared::new(self.port).await?));
        }
        Ok(sessions)
    }

    /// How many counters are not the number of their links.
    ///
    /// # Errors
    /// What the server says.
    pub async fn drift(&self) -> Outcome<i64> {
        let client = connect(self.port).await?;
        Ok(client.query_one(DRIFT, &[]).await?.get(0))
    }
}

/// Every id and type.
fn ends(shape: Shape) -> impl Iterator<Item = (u64, u64)> {
    (1..=shape.ids).flat_map(|id| (0..TYPES).map(move |kind| (id, kind)))
}

/// Rows in the text form of COPY.
struct Copy(BytesMut);

impl Copy {
    fn new() -> Self {
        Self(BytesMut::with_capacity(2 * CHUNK))
    }

    fn row(&mut self, numbers: &[u64], data: Option<&[u8]>) {
        for (at, number) in numbers.iter().enumerate() {
            if at > 0 {
                self.0.put_u8(b'\t');
            }
            self.0.put_slice(number.to_string().as_bytes());
        }
        if let Some(data) = data {
            self.0.put_slice(b"\t\\\\x");
            for byte in data {
                for digit in [byte >> 4, byte & 15] {
                    self.0.put_u8(b"0123456789abcdef"[usize::from(digit)]);
                }
            }
        }
        self.0.put_u8(b'\n');
    }

    /// Sends what there is, if it is that much.
    async fn send(
        &mut self,
        mut sink: std::pin::Pin<&mut CopyInSink<Bytes>>,
        least: usize,
    ) -> Outcome<()> {
        if self.0.len() > least {
            sink.send(self.0.split().freeze()).await?;
            self.0.reserve(2 * CHUNK);
        }
        Ok(())
    }
}

/// A client with its statements.
struct Prepared {
    client: Client,
    put_link: Statement,
    delete_link: Statement,
    count_link: Statement,
    multiget: Statement,
    list: Statement,
    get_node: Statement,
    add_node: Statement,
    update_node: Statement,
    delete_node: Statement,
}

/// Ids and times are far below 2^63.
fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Prepared {
    async fn new(port: u16) -> Outcome<Self> {
        let client = connect(port).await?;
        let put_link = client.prepare("SELECT put_link($1, $2, $3, $4, $5)");
        let delete_link = client.prepare("SELECT delete_link($1, $2, $3)");
        let count_link = client.prepare("SELECT n FROM count WHERE id = $1 AND kind = $2");
        let multiget = client.prepare(
            "SELECT id2, time, version, data FROM link WHERE id1 = $1 AND kind = $2 AND id2 = ANY($3)",
        );
        let list = client.prepare(
            "SELECT id2, time, version, data FROM link WHERE id1 = $1 AND kind = $2 AND time < $3
             ORDER BY time DESC LIMIT $4",
        );
        let get_node = client.prepare("SELECT time, data FROM node WHERE id = $1");
        let add_node = client.prepare("INSERT INTO node VALUES ($1, $2, $3)");
        let update_node = client.prepare("UPDATE node SET time = $2, data = $3 WHERE id = $1");
        let delete_node = client.prepare("DELETE FROM node WHERE id = $1");
        Ok(Self {
            put_link: put_link.await?,
            delete_link: delete_link.await?,
            count_link: count_link.await?,
            multiget: multiget.await?,
            list: list.await?,
            get_node: get_node.await?,
            add_node: add_node.await?,
            update_node: update_node.await?,
            delete_node: delete_node.await?,
            client,
        })
    }

    async fn answer(&mut self, request: &Request) -> Outcome<Reply> {
        let client = &self.client;
        let rows = match request {
            Request::PutLink {
                id1,
                kind,
                id2,
                data,
            } => {
                let (id1, kind, id2) = (int(*id1), int(*kind), int(*id2));
                let now = int(now_millis());
                let row = client
                    .query_one(&self.put_link, &[&id1, &kind, &id2, &now, &data])
                    .await?;
                u64::from(!row.get::<_, bool>(0))
            }
            Request::DeleteLink { id1, kind, id2 } => {
                let (id1, kind, id2) = (int(*id1), int(*kind), int(*id2));
                let row = client
                    .query_one(&self.delete_link, &[&id1, &kind, &id2])
                    .await?;
                u64::from(row.get::<_, bool>(0))
            }
            Request::CountLink { id1, kind } => {
                let row = client
                    .query_opt(&self.count_link, &[&int(*id1), &int(*kind)])
                    .await?;
                std::hint::black_box(row.map(|row| row.get::<_, i64>(0)));
                1
            }
            Request::MultigetLink { id1, kind, id2s } => {
                let id2s: Vec<i64> = id2s.iter().map(|id| int(*id)).collect();
                let rows = client
                    .query(&self.multiget, &[&int(*id1), &int(*kind), &id2s])
                    .await?;
                read(&rows).0
            }
            Request::GetLinksList {
                id1,
                kind,
                before,
                limit,
            } => {
                let before = before.map_or(i64::MAX, int);
                let rows = client
                    .query(
                        &self.list,
                        &[&int(*id1), &int(*kind), &before, &i64::from(*limit)],
                    )
                    .await?;
                let (rows, oldest) = read(&rows);
                return Ok(Reply {
                    rows,
                    oldest,
                    ..Reply::default()
                });
            }
            Request::GetNode(id) => {
                let row = client.query_opt(&self.get_node, &[&int(*id)]).await?;
                std::hint::black_box(row.as_ref().map(|row| row.get::<_, &[u8]>(1)));
                u64::from(row.is_some())
            }
            Request::PutNode { id, new, data } => {
                let statement = if *new {
                    &self.add_node
                } else {
                    &self.update_node
                };
                let time = int(now_millis() / 1000);
                client
                    .execute(statement, &[&int(*id), &time, &data])
                    .await?
            }
            Request::DeleteNode(id) => client.execute(&self.delete_node, &[&int(*id)]).await?,
        };
        Ok(Reply {
            rows,
            ..Reply::default()
        })
    }
}

/// Reads rows of links, as a program would: how many, and the time of the last.
fn read(rows: &[tokio_postgres::Row]) -> (u64, Option<u64>) {
    let mut oldest = None;
    for row in rows {
        std::hint::black_box((row.get::<_, i64>(0), row.get::<_, &[u8]>(3)));
        oldest = u64::try_from(row.get::<_, i64>(1)).ok();
    }
    (rows.len() as u64, oldest)
}

impl Session for Prepared {
    fn run<'a>(&'a mut self, request: &'a Request) -> BoxFuture<'a, Outcome<Reply>> {
        Box::pin(self.answer(request))
    }
}
