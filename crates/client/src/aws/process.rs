//! Credentials that a program prints. Source: AWS SDKs and Tools Reference Guide, "Process credential provider".

use super::wire::Document;
use super::{CredentialsError, Result};
use crate::config::Credentials;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::Command;

const FROM: &str = "the credential process";
/// How long the program may run. A choice: it may have to ask a person.
const WAIT: Duration = Duration::from_mins(1);
/// Most bytes that are read of what it prints. A choice.
const BYTES: u64 = 64 * 1024;

/// Runs the command of a profile and reads what it prints. What it says on its standard error is the user's to see.
pub(crate) async fn credentials(command: &str) -> Result<Credentials> {
    let output = tokio::time::timeout(WAIT, run(command)).await;
    let output = output
        .map_err(|_| format!("it did not end within {} s", WAIT.as_secs()))
        .and_then(|ended| ended)
        .map_err(|problem| CredentialsError::source(FROM, problem))?;
    let document = Document::read(FROM, &output)?;
    if document.version != Some(1) {
        return Err(CredentialsError::source(FROM, "it prints no Version 1"));
    }
    document.credentials(FROM)
}

async fn run(command: &str) -> std::result::Result<Vec<u8>, String> {
    let (shell, option) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    let mut child = Command::new(shell)
        .args([option, command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|e| format!("it cannot be started: {e}"))?;
    let mut output = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        let mut stdout = stdout.take(BYTES);
        stdout
            .read_to_end(&mut output)
            .await
            .map_err(|e| e.to_string())?;
    }
    let status = child.wait().await.map_err(|e| e.to_string())?;
    if status.success() {
        Ok(output)
    } else {
        Err(format!("it ended with {status}"))
    }
}
