//! The objects of an export: data files and manifests.
//! Source: Developer Guide, "DynamoDB table export output format".

use super::ion;
use super::overlay::Former;
use super::record::ExportRecord;
use crate::digest::hex;
use crate::stream::label;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bothways_core::Item;
use bothways_store::{Buckets, NewObject};
use flate2::Compression;
use flate2::write::GzEncoder;
use md5::{Digest, Md5};
use serde_json::json;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Text of a data file before it is compressed, in bytes, after which another one begins.
const FILE_BYTES: usize = 64 << 20;
/// Number of letters of a data file's name.
const NAME_LETTERS: usize = 26;

/// The files of an export while they are written.
#[derive(Default)]
pub(super) struct Files {
    open: Option<Data>,
    done: Vec<Entry>,
}

struct Data {
    key: String,
    items: i64,
    /// Bytes of text.
    text: usize,
    out: GzEncoder<Hashed>,
}

/// A line of the list of files.
struct Entry {
    key: String,
    items: i64,
    md5: [u8; 16],
}

/// Passes bytes on and sums them up.
struct Hashed {
    out: Box<dyn NewObject>,
    md5: Md5,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.md5.update(&bytes[..written]);
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Files {
    /// Says that the export has begun.
    pub(super) fn begin(export: &ExportRecord, buckets: &dyn Buckets) -> io::Result<()> {
        let started = buckets.create(&export.bucket, &export.manifest("_started"))?;
        started.finish()
    }

    /// Adds one line.
    pub(super) fn line(
        &mut self,
        export: &ExportRecord,
        buckets: &dyn Buckets,
        text: &str,
    ) -> io::Result<()> {
        let number = self.done.len();
        let data = match &mut self.open {
            Some(data) => data,
            closed => {
                let key = export.object(&data_key(export, number));
                let out = Hashed {
                    out: buckets.create(&export.bucket, &key)?,
                    md5: Md5::new(),
                };
                closed.insert(Data {
                    key,
                    items: 0,
                    text: 0,
                    out: GzEncoder::new(out, Compression::default()),
                })
            }
        };
        data.out.write_all(text.as_bytes())?;
        data.out.write_all(b"\n")?;
        data.items += 1;
        data.text += text.len() + 1;
        if data.text >= FILE_BYTES {
            self.close()?;
        }
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(data) = self.open.take() else {
            return Ok(());
        };
        let out = data.out.finish()?;
        out.out.finish()?;
        self.done.push(Entry {
            key: data.key,
            items: data.items,
            md5: out.md5.finalize().into(),
        });
        Ok(())
    }

    /// Writes the manifests.
    pub(super) fn end(mut self, export: &ExportRecord, buckets: &dyn Buckets) -> io::Result<()> {
        self.close()?;
        let mut list = String::new();
        for file in &self.done {
            // As of an object that was sent in one part.
            let etag: [u8; 16] = Md5::digest(file.md5).into();
            let etag = hex(&etag);
            let line = json!({
                "itemCount": file.items,
                "md5Checksum": STANDARD.encode(file.md5),
                "etag": format!("{etag}-1"),
                "dataFileS3Key": file.key,
            });
            list.push_str(&line.to_string());
            list.push('\n');
        }
        with_checksum(export, buckets, "manifest-files", &list)?;
        with_checksum(export, buckets, "manifest-summary", &summary(export))
    }
}

/// A data file below `AWSDynamoDB`. Those of incremental exports share a folder.
fn data_key(export: &ExportRecord, number: usize) -> String {
    let name = Md5::digest(format!("{} {number}", export.id));
    let more = Md5::digest(name);
    let letters = name.iter().chain(&more).take(NAME_LETTERS);
    let name: String = letters
        .map(|byte| char::from(b"abcdefghijklmnopqrstuvwxyz234567"[usize::from(byte % 32)]))
        .collect();
    let end = if export.ion { "ion.gz" } else { "json.gz" };
    if export.from.is_some() {
        format!("data/{name}.{end}")
    } else {
        format!("{}/data/{name}.{end}", export.id)
    }
}

fn with_checksum(
    export: &ExportRecord,
    buckets: &dyn Buckets,
    name: &str,
    text: &str,
) -> io::Result<()> {
    let put = |name: String, text: &str| {
        let mut object = buckets.create(&export.bucket, &export.manifest(&name))?;
        object.write_all(text.as_bytes())?;
        object.finish()
    };
    put(format!("{name}.json"), text)?;
    let sum: [u8; 16] = Md5::digest(text).into();
    put(format!("{name}.checksum"), &STANDARD.encode(sum))
}

fn summary(export: &ExportRecord) -> String {
    let time = |millis: u64| format!("{}Z", label(millis));
    let mut summary = json!({
        "version": if export.from.is_some() { "2023-08-01" } else { "2020-06-30" },
        "exportArn": export.arn,
        "startTime": time(export.started),
        "endTime": time(export.ended.unwrap_or(export.started)),
        "tableArn": export.table_arn,
        "tableId": export.uuid,
        "exportTime": time(export.at),
        "s3Bucket": export.bucket,
        "s3Prefix": export.prefix,
        "s3SseAlgorithm": if export.kms { "KMS" } else { "AES256" },
        "s3SseKmsKeyId": export.kms_key,
        "manifestFilesS3Key": export.manifest("manifest-files.json"),
        "billedSizeBytes": export.bytes,
        "itemCount": export.items,
        "outputFormat": export.format().as_str(),
        "exportType": export.kind().as_str(),
    });
    if let Some(from) = export.from
        && let Some(members) = summary.as_object_mut()
    {
        members.remove("exportTime");
        members.insert("exportFromTime".into(), time(from).into());
        members.insert("exportToTime".into(), time(export.at + 1).into());
        members.insert("outputView".into(), export.view().as_str().into());
    }
    summary.to_string()
}

/// The line of an item of a full export.
pub(super) fn item_line(export: &ExportRecord, item: &Item) -> String {
    if export.ion {
        let mut out = String::from("$ion_1_0 {Item:");
        ion::write_item(item, &mut out);
        out.push('}');
        return out;
    }
    format!(r#"{{"Item":{}}}"#, json_of(item))
}

/// The line of an item of an incremental export.
pub(super) fn change_line(
    export: &ExportRecord,
    keys: &Item,
    was: &Former,
    is: Option<&Item>,
) -> String {
    let micros = was.changed * 1_000;
    let old = was.item.as_ref().filter(|_| !export.new_image_only);
    let images = [("NewImage", is), ("OldImage", old)];
    let mut out = if export.ion {
        let mut out = format!("$ion_1_0 {{Metadata:{{WriteTimestampMicros:{micros}.}},Keys:");
        ion::write_item(keys, &mut out);
        out
    } else {
        let keys = json_of(keys);
        format!(r#"{{"Metadata":{{"WriteTimestampMicros":{{"N":"{micros}"}}}},"Keys":{keys}"#)
    };
    for (name, image) in images {
        let Some(image) = image else { continue };
        if export.ion {
            out.push(',');
            out.push_str(name);
            out.push(':');
            ion::write_item(image, &mut out);
        } else {
            let _ = write!(out, r#","{name}":{}"#, json_of(image));
        }
    }
    out.push('}');
    out
}

fn json_of(item: &Item) -> String {
    let mut out = Vec::new();
    item.write_json(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}
