//! Directories that stand for buckets of an object store: where tables are exported to and imported from.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Component, Path, PathBuf};

/// Most objects that a listing may have. A directory with more is refused, so that a list stays small.
const MOST_OBJECTS: usize = 100_000;
/// How the name of a file begins and ends that is no object yet.
const PART_BEGIN: char = '.';
const PART_END: &str = ".part";

/// An object that is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Its key in the bucket.
    pub key: String,
    /// Its bytes.
    pub bytes: u64,
}

/// An object that is being written. As in an object store it is there whole or not at all: nothing is at its key before
/// it is finished, and one that is dropped before leaves nothing.
pub trait NewObject: Write + Send {
    /// Puts the object at its key. With the answer it outlives a power loss.
    ///
    /// # Errors
    ///
    /// What the system says; then the object is not there.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Buckets with objects by key.
pub trait Buckets: Send + Sync {
    /// Whether there is such a bucket.
    fn has(&self, bucket: &str) -> bool;

    /// Begins an object, which takes the place of one that is there when it is finished.
    ///
    /// # Errors
    ///
    /// A key that leaves the bucket, and what the system says.
    fn create(&self, bucket: &str, key: &str) -> io::Result<Box<dyn NewObject>>;

    /// Reads an object.
    ///
    /// # Errors
    ///
    /// As [`Buckets::create`].
    fn open(&self, bucket: &str, key: &str) -> io::Result<Box<dyn Read + Send>>;

    /// The objects whose keys begin with `prefix`, by key.
    ///
    /// # Errors
    ///
    /// What the system says, and a directory with too many files.
    fn list(&self, bucket: &str, prefix: &str) -> io::Result<Vec<Object>>;
}

/// A directory whose subdirectories are the buckets. No key reaches outside of its bucket, also not by a link.
#[derive(Debug, Clone)]
pub struct BucketDirectory {
    root: PathBuf,
}

impl BucketDirectory {
    /// The buckets of a directory that is there.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn new(root: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        if !root.is_dir() {
            return Err(refused("not a directory"));
        }
        Ok(Self { root })
    }

    /// A bucket's own directory, which is no link.
    fn bucket(&self, bucket: &str) -> io::Result<PathBuf> {
        if !is_plain(Path::new(bucket)) || bucket.contains(['/', '\\']) {
            return Err(refused("not a bucket's name"));
        }
        let path = self.root.join(bucket);
        if path.symlink_metadata()?.is_dir() {
            Ok(path)
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    /// Where a key is, with its directories; `make` makes those that are missing.
    fn place(&self, bucket: &str, key: &str, make: bool) -> io::Result<PathBuf> {
        let mut path = self.bucket(bucket)?;
        let parts: Vec<&str> = key.split('/').filter(|part| !part.is_empty()).collect();
        let Some((name, directories)) = parts.split_last() else {
            return Err(refused("a key without a name"));
        };
        for part in directories {
            if !is_plain(Path::new(part)) {
                return Err(refused("a key that leaves its bucket"));
            }
            path.push(part);
            if make && !path.exists() {
                std::fs::create_dir(&path)?;
            }
            if !path.symlink_metadata()?.is_dir() {
                return Err(refused("a key through a link"));
            }
        }
        if !is_plain(Path::new(name)) {
            return Err(refused("a key that leaves its bucket"));
        }
        path.push(name);
        if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            return Err(refused("a key of something that is no file"));
        }
        Ok(path)
    }
}

impl Buckets for BucketDirectory {
    fn has(&self, bucket: &str) -> bool {
        self.bucket(bucket).is_ok()
    }

    fn create(&self, bucket: &str, key: &str) -> io::Result<Box<dyn NewObject>> {
        let path = self.place(bucket, key, true)?;
        Part::begin(self.bucket(bucket)?, path).map(|part| Box::new(part) as Box<dyn NewObject>)
    }

    fn open(&self, bucket: &str, key: &str) -> io::Result<Box<dyn Read + Send>> {
        let path = self.place(bucket, key, false)?;
        Ok(Box::new(BufReader::new(File::open(path)?)))
    }

    fn list(&self, bucket: &str, prefix: &str) -> io::Result<Vec<Object>> {
        let root = self.bucket(bucket)?;
        let mut found = Vec::new();
        let mut directories = vec![(root, String::new())];
        while let Some((directory, before)) = directories.pop() {
            for entry in std::fs::read_dir(directory)? {
                let entry = entry?;
                let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                    continue;
                };
                let key = format!("{before}{name}");
                let kind = entry.file_type()?;
                if kind.is_dir() {
                    let inside = format!("{key}/");
                    // Only what can still begin with the prefix.
                    if inside.starts_with(prefix) || prefix.starts_with(&inside) {
                        directories.push((entry.path(), inside));
                    }
                } else if kind.is_file() && key.starts_with(prefix) && !is_part(&name) {
                    let bytes = entry.metadata()?.len();
                    found.push(Object { key, bytes });
                }
                if found.len() + directories.len() > MOST_OBJECTS {
                    return Err(refused("too many objects"));
                }
            }
        }
        found.sort_unstable_by(|one, other| one.key.cmp(&other.key));
        Ok(found)
    }
}

/// A file that is to be an object, beside the place that it will have.
struct Part {
    bucket: PathBuf,
    /// Where it is going to be.
    path: PathBuf,
    aside: PathBuf,
    file: BufWriter<File>,
    finished: bool,
}

impl Part {
    fn begin(bucket: PathBuf, path: PathBuf) -> io::Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let aside = path.with_file_name(format!("{PART_BEGIN}{name}{PART_END}"));
        // What a crash left. It may be a link by now, which is not to be followed.
        match std::fs::remove_file(&aside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = BufWriter::new(File::create_new(&aside)?);
        Ok(Self {
            bucket,
            path,
            aside,
            file,
            finished: false,
        })
    }

    /// The directories from the object's up to the bucket's, any of which may be new.
    fn sync_directories(&self) -> io::Result<()> {
        let above = self.path.ancestors().skip(1);
        for directory in above.take_while(|directory| directory.starts_with(&self.bucket)) {
            sync_directory(directory)?;
        }
        Ok(())
    }
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl NewObject for Part {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        std::fs::rename(&self.aside, &self.path)?;
        self.finished = true;
        self.sync_directories()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.finished {
            // A part that stays behind is no object, and the next one of its name removes it.
            let _ = std::fs::remove_file(&self.aside);
        }
    }
}

fn is_part(name: &str) -> bool {
    name.starts_with(PART_BEGIN) && name.ends_with(PART_END)
}

#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Elsewhere a directory cannot be opened as a file, and its entries are the system's business.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

/// One ordinary name, and not `.` or `..`.
fn is_plain(path: &Path) -> bool {
    let mut parts = path.components();
    let one = matches!(parts.next(), Some(Component::Normal(_)));
    one && parts.next().is_none()
}

fn refused(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket() -> (tempfile::TempDir, BucketDirectory) {
        let root = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(root.path().join("b1")).expect("a bucket");
        let buckets = BucketDirectory::new(root.path()).expect("it is there");
        (root, buckets)
    }

    #[test]
    fn objects_are_written_read_and_listed_by_prefix() {
        let (_root, buckets) = bucket();
        for key in ["data/2.json", "data/1.json", "data2/x", "/lead//y"] {
            let mut object = buckets.create("b1", key).expect(key);
            object.write_all(key.as_bytes()).expect("written");
            object.finish().expect("finished");
        }
        let keys = |prefix: &str| -> Vec<String> {
            let list = buckets.list("b1", prefix).expect("listed");
            list.into_iter().map(|object| object.key).collect()
        };
        assert_eq!(keys("data"), ["data/1.json", "data/2.json", "data2/x"]);
        assert_eq!(keys("data/"), ["data/1.json", "data/2.json"]);
        assert_eq!(
            keys(""),
            ["data/1.json", "data/2.json", "data2/x", "lead/y"]
        );
        let mut text = String::new();
        let mut object = buckets.open("b1", "data/1.json").expect("there");
        object.read_to_string(&mut text).expect("read");
        assert_eq!(text, "data/1.json");
    }

    #[test]
    fn an_object_is_there_whole_or_not_at_all() {
        let (root, buckets) = bucket();
        let listed = || buckets.list("b1", "").expect("listed").len();
        let begin = |text: &str| {
            let mut object = buckets.create("b1", "d/x").expect("begun");
            object.write_all(text.as_bytes()).expect("written");
            object
        };
        let object = begin("first");
        assert_eq!(listed(), 0);
        assert!(buckets.open("b1", "d/x").is_err());
        object.finish().expect("finished");
        assert_eq!(listed(), 1);
        let second = begin("the second");
        let part = root.path().join("b1/d/.x.part");
        assert!(part.exists());
        drop(second);
        assert!(!part.exists());
        // What a killed process left is in nobody's way.
        std::fs::write(&part, "left").expect("written");
        assert_eq!(listed(), 1);
        begin("third").finish().expect("finished");
        assert_eq!(
            std::fs::read(root.path().join("b1/d/x")).expect("there"),
            b"third"
        );
        assert!(!part.exists());
    }

    #[test]
    fn no_key_leaves_its_bucket() {
        let (root, buckets) = bucket();
        std::fs::write(root.path().join("secret"), "s").expect("written");
        for key in [
            "../secret",
            "a/../../secret",
            "..",
            ".",
            "",
            "a/.",
            "/../secret",
        ] {
            assert!(buckets.create("b1", key).is_err(), "{key}");
            assert!(buckets.open("b1", key).is_err(), "{key}");
        }
        for name in ["..", ".", "", "b1/..", "../b1", "none"] {
            assert!(!buckets.has(name), "{name}");
            assert!(buckets.open(name, "x").is_err(), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn no_link_leads_out() {
        let (root, buckets) = bucket();
        let outside = tempfile::tempdir().expect("a directory");
        std::fs::write(outside.path().join("x"), "s").expect("written");
        let link = |name: &str, to: &Path| {
            std::os::unix::fs::symlink(to, root.path().join(name)).expect("linked");
        };
        link("b1/out", outside.path());
        link("b1/file", &outside.path().join("x"));
        link("b2", outside.path());
        assert!(buckets.open("b1", "out/x").is_err());
        assert!(buckets.create("b1", "out/y").is_err());
        assert!(buckets.open("b1", "file").is_err());
        assert!(buckets.create("b1", "file").is_err());
        assert!(!buckets.has("b2"));
        assert_eq!(buckets.list("b1", "").expect("listed"), []);
    }
}
