//! Runs the commands of the workbench's guides, as a reader would: each a process of its own, in a directory of its guide.

use crate::spool;
use bothways_protocol::BoxFuture;
use bothways_workbench::{Printed, Step, Terminal};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a command may take. A choice: those of the guides end within a second.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often it is asked whether it has ended.
const LOOK: Duration = Duration::from_millis(10);
/// Most bytes of what it prints that are shown. A choice.
const MOST_BYTES: u64 = 256 * 1024;

/// The guides' directories, among the system's temporary ones, made when a command is run, gone with the process.
#[derive(Default)]
pub(crate) struct GuideTerminal(Arc<Mutex<Directories>>);

#[derive(Default)]
struct Directories(BTreeMap<&'static str, PathBuf>);

impl Terminal for GuideTerminal {
    fn run(&self, step: Step) -> BoxFuture<'_, Result<Printed>> {
        self.blocking(move |directories| {
            let directory = directories.of(step.guide)?;
            run(&directory, &step)
        })
    }

    fn forget(&self, guide: &'static str) -> BoxFuture<'_, Result<()>> {
        self.blocking(move |directories| match directories.0.remove(guide) {
            Some(directory) => std::fs::remove_dir_all(directory),
            None => Ok(()),
        })
    }
}

impl GuideTerminal {
    /// One command after another: a directory is open in one process at a time.
    fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Directories) -> Result<T> + Send + 'static,
    ) -> BoxFuture<'_, Result<T>> {
        let directories = Arc::clone(&self.0);
        let task = tokio::task::spawn_blocking(move || {
            work(&mut directories.lock().unwrap_or_else(PoisonError::into_inner))
        });
        Box::pin(async move { task.await.map_err(Error::other)? })
    }
}

impl Directories {
    fn of(&mut self, guide: &'static str) -> Result<PathBuf> {
        if let Some(directory) = self.0.get(guide) {
            return Ok(directory.clone());
        }
        let directory = spool::make()?;
        self.0.insert(guide, directory.clone());
        Ok(directory)
    }
}

impl Drop for Directories {
    fn drop(&mut self) {
        for directory in self.0.values() {
            let _ = std::fs::remove_dir_all(directory);
        }
    }
}

/// Output goes to files, so that nothing waits for a reader.
fn run(directory: &Path, step: &Step) -> Result<Printed> {
    for (name, text) in &step.files {
        std::fs::write(directory.join(name), text)?;
    }
    let (out, talk) = (directory.join(".out"), directory.join(".talk"));
    let mut child = Command::new(std::env::current_exe()?)
        .args(&step.words)
        .current_dir(directory)
        .env("BOTHWAYS_TARGET", step.target)
        .env("NO_COLOR", "1")
        .env_remove("BOTHWAYS_PROFILE")
        .env_remove("BOTHWAYS_RECORD")
        .stdin(Stdio::null())
        .stdout(File::create(&out)?)
        .stderr(File::create(&talk)?)
        .spawn()?;
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Err(Error::new(
                ErrorKind::TimedOut,
                "it did not end in a minute",
            ));
        }
        std::thread::sleep(LOOK);
    };
    Ok(Printed {
        out: printed(&out)?,
        talk: printed(&talk)?,
        exit: status.code().unwrap_or(-1),
    })
}

fn printed(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
