//! Requests kept in files: one form, which `docs/requests.md` describes.

use crate::{Draft, DraftError};
use bothways_protocol::Operation;
use serde_json::{Value as Json, json};

/// What the member `bothways` of such a file says.
const KIND: &str = "request";
/// The version that is written, and the newest that is read.
const VERSION: u64 = 1;

impl Draft {
    /// The request as the text of a file, which [`Draft::read`] reads back.
    ///
    /// ```
    /// use bothways_codegen::Draft;
    ///
    /// let draft = Draft::read(r#"{"TableName": "t", "Key": {"id": {"S": "1"}}}"#, None)?;
    /// assert_eq!(Draft::read(&draft.saved(), None)?.json(), draft.json());
    /// # Ok::<(), bothways_codegen::DraftError>(())
    /// ```
    #[must_use]
    pub fn saved(&self) -> String {
        let file = json!({
            "bothways": KIND,
            "version": VERSION,
            "operation": self.operation().name(),
            "input": self.json(),
        });
        format!("{file:#}\n")
    }
}

/// The operation and the input of a saved request; none where the text is something else.
pub(crate) fn opened(file: &Json) -> Result<Option<(Operation, &Json)>, DraftError> {
    let Some(kind) = file.get("bothways") else {
        return Ok(None);
    };
    if kind != KIND {
        return Err(DraftError::Saved(format!(
            "bothways must be {KIND:?}, not {kind}"
        )));
    }
    if file["version"] != VERSION {
        return Err(DraftError::Saved(format!(
            "version must be {VERSION}, not {}: a newer version of Bothways may read it",
            file["version"]
        )));
    }
    let name = &file["operation"];
    let mut all = Operation::ALL.iter().copied();
    let Some(operation) = all.find(|operation| *name == operation.name()) else {
        return Err(DraftError::Saved(format!(
            "operation: there is no operation {name}"
        )));
    };
    let Some(input) = file.get("input").filter(|input| input.is_object()) else {
        return Err(DraftError::Saved("input must be an object".to_owned()));
    };
    Ok(Some((operation, input)))
}
