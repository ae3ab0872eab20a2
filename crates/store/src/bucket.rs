//! Directories that stand for buckets of an object store: where tables are exported to and imported from.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Component, Path, PathBuf};

/// Most objects that a listing may have. A directory with more is refused, so that a list stays small.
const MOST_OBJECTS: usize = 100_000;

/// An object that is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Its key in the bucket.
    pub key: String,
    /// Its bytes.
    pub bytes: u64,
}

/// Buckets with objects by key.
pub trait Buckets: Send + Sync {
    /// Whether there is such a bucket.
    fn has(&self, bucket: &str) -> bool;

    /// Begins an object, which takes the place of one that is there.
    ///
    /// # Errors
    ///
    /// A key that leaves the bucket, and what the system says.
    fn create(&self, bucket: &str, key: &str) -> io::Result<Box<dyn Write + Send>>;

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

    fn create(&self, bucket: &str, key: &str) -> io::Result<Box<dyn Write + Send>> {
        let path = self.place(bucket, key, true)?;
        Ok(Box::new(BufWriter::new(File::create(path)?)))
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
                } else if kind.is_file() && key.starts_with(prefix) {
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
            object.flush().expect("flushed");
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
