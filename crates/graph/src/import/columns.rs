//! Which column is what: by the options, by the header's names, or by position.

use super::{Column, FileError, ImportOptions};
use crate::model::{Attribute, Preset, Relation};

/// What each column of a file is.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) source: usize,
    pub(super) target: usize,
    /// Column, attribute name, and its declaration where the model has one.
    pub(super) attributes: Vec<(usize, String, Option<Attribute>)>,
    /// Columns that a row has.
    pub(super) width: usize,
    /// Whether the first record named the columns.
    pub(super) header: bool,
}

/// Names that a header may give to an end beside its entity's own.
const SOURCE_NAMES: [&str; 3] = ["source", "src", "from"];
const TARGET_NAMES: [&str; 3] = ["target", "dst", "to"];

impl Columns {
    /// Decides the columns from the first record.
    pub(super) fn of(
        file: &str,
        first: &[String],
        relation: &Relation,
        options: &ImportOptions,
    ) -> Result<Self, FileError> {
        let header = options
            .header
            .unwrap_or_else(|| looks_like_a_header(first, relation, options));
        let finder = Finder {
            file,
            names: header.then_some(first),
        };
        let mut source_names = vec![relation.from.as_str()];
        source_names.extend(SOURCE_NAMES);
        let mut target_names = vec![relation.to.as_str()];
        target_names.extend(TARGET_NAMES);
        let source = finder.find(options.source.as_ref(), &source_names, 0)?;
        let target = finder.find(options.target.as_ref(), &target_names, 1)?;
        let attributes = match &options.attributes {
            Some(given) => given
                .iter()
                .map(|(column, name)| Ok((finder.find(Some(column), &[], 0)?, name.clone())))
                .collect::<Result<Vec<_>, FileError>>()?,
            None if header => {
                let others = first.iter().enumerate();
                let others = others.filter(|(i, _)| *i != source && *i != target);
                let own = |name: &String| {
                    let mut own = relation.attributes.iter();
                    own.find(|a| alike(&a.name, name))
                        .map_or_else(|| name.clone(), |a| a.name.clone())
                };
                others.map(|(i, name)| (i, own(name))).collect()
            }
            None if first.len() > 2 => {
                return Err(FileError::Unnamed {
                    file: file.to_owned(),
                    columns: first.len(),
                });
            }
            None => Vec::new(),
        };
        let declared = |name: &str| relation.attribute(name).cloned();
        Ok(Self {
            source,
            target,
            attributes: attributes
                .into_iter()
                .map(|(i, name)| (i, name.clone(), declared(&name)))
                .collect(),
            width: first.len(),
            header,
        })
    }
}

/// A name as it is compared: `created_at`, `Created At` and `createdAt` are one.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters.flat_map(char::to_lowercase).collect()
}

fn alike(a: &str, b: &str) -> bool {
    plain(a) == plain(b)
}

/// Whether a column is called like an end: `student`, or `student_id` as join tables have it.
fn is_end(column: &str, name: &str) -> bool {
    let (column, name) = (plain(column), plain(name));
    column.strip_suffix("id").is_some_and(|rest| rest == name) || column == name
}

struct Finder<'f> {
    file: &'f str,
    names: Option<&'f [String]>,
}

impl Finder<'_> {
    fn find(&self, column: Option<&Column>, names: &[&str], or: usize) -> Result<usize, FileError> {
        let at = |name: &str| {
            let header = self.names.unwrap_or_default();
            header.iter().position(|h| h.eq_ignore_ascii_case(name))
        };
        match column {
            Some(Column::At(position)) => Ok(*position),
            Some(Column::Named(name)) => at(name).ok_or_else(|| FileError::NoColumn {
                file: self.file.to_owned(),
                column: name.clone(),
                header: self.names.unwrap_or_default().to_vec(),
            }),
            None => {
                let header = self.names.unwrap_or_default();
                let end = |name: &&str| header.iter().position(|h| is_end(h, name));
                Ok(names.iter().find_map(end).unwrap_or(or))
            }
        }
    }
}

fn looks_like_a_header(first: &[String], relation: &Relation, options: &ImportOptions) -> bool {
    let ends = [&options.source, &options.target].into_iter().flatten();
    let others = options
        .attributes
        .iter()
        .flatten()
        .map(|(column, _)| column);
    if ends
        .chain(others)
        .any(|column| matches!(column, Column::Named(_)))
    {
        return true;
    }
    let known = |field: &String| {
        let is = |name: &str| is_end(field, name);
        is(&relation.from)
            || is(&relation.to)
            || SOURCE_NAMES.into_iter().chain(TARGET_NAMES).any(is)
            || relation
                .attributes
                .iter()
                .any(|a| !matches!(a.preset, Some(Preset::Value(_))) && alike(field, &a.name))
    };
    first.iter().any(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shipped;

    fn columns(first: &[&str], options: &ImportOptions) -> Result<Columns, FileError> {
        let model = shipped("school").unwrap().model;
        let first: Vec<String> = first.iter().map(|f| (*f).to_owned()).collect();
        Columns::of(
            "f.csv",
            &first,
            model.relation("enrolled").unwrap(),
            options,
        )
    }

    #[test]
    fn a_header_names_ends_and_attributes() {
        let header = ["grade", "course", "student", "note"];
        let columns = columns(&header, &ImportOptions::default()).unwrap();
        assert!(columns.header);
        assert_eq!((columns.source, columns.target), (2, 1));
        let names: Vec<&str> = columns
            .attributes
            .iter()
            .map(|(_, n, _)| n.as_str())
            .collect();
        assert_eq!(names, ["grade", "note"]);
    }

    #[test]
    fn the_columns_of_join_tables_are_known_by_their_names() {
        let header = ["id", "course_id", "Student ID", "enrolled_on", "Final Mark"];
        let columns = columns(&header, &ImportOptions::default()).unwrap();
        assert!(columns.header);
        assert_eq!((columns.source, columns.target), (2, 1));
        let names: Vec<&str> = columns
            .attributes
            .iter()
            .map(|(_, n, _)| n.as_str())
            .collect();
        assert_eq!(names, ["id", "enrolledOn", "Final Mark"]);
    }

    #[test]
    fn without_a_header_the_first_two_columns_are_the_ends() {
        let columns = columns(&["a91", "math204"], &ImportOptions::default()).unwrap();
        assert!(!columns.header);
        assert_eq!((columns.source, columns.target), (0, 1));
    }

    #[test]
    fn columns_that_nobody_named_are_an_error() {
        let error = columns(&["a91", "math204", "A"], &ImportOptions::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "f.csv: 3 columns and no header: which attributes are they?"
        );
        let options = ImportOptions {
            attributes: Some(vec![(Column::At(2), "grade".into())]),
            ..ImportOptions::default()
        };
        assert_eq!(
            columns(&["a91", "math204", "A"], &options)
                .unwrap()
                .attributes[0]
                .0,
            2
        );
    }

    #[test]
    fn a_named_column_must_be_in_the_header() {
        let options = ImportOptions {
            source: Some(Column::Named("who".into())),
            ..ImportOptions::default()
        };
        let error = columns(&["student", "course"], &options).unwrap_err();
        assert_eq!(
            error.to_string(),
            "f.csv: there is no column \"who\" in the header"
        );
    }
}
