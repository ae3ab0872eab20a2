//! Words that are no identifiers unless they are quoted.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The keywords of SQL-92 and those that PartiQL adds, sorted. Source: PartiQL's reference implementation,
/// which DynamoDB's parser is; that `inner` is one of them there is measured
/// (`paritysuite/dynamodb-conformance`, error-messages/partiqlFunctions).
const KEYWORDS: &str = "absolute action add all allocate alter and any are as asc assertion at authorization avg bag \
begin between bit bit_length blob bool boolean by cascade cascaded case cast catalog char char_length character \
character_length check clob close coalesce collate collation column commit conflict connect connection constraint \
constraints continue convert corresponding count create cross current current_date current_time current_timestamp \
current_user cursor date date_add date_diff deallocate dec decimal declare default deferrable deferred delete desc \
describe descriptor diagnostics disconnect distinct do domain double drop else end escape except exception exec \
execute exists external extract false fetch first float for foreign found from full get global go goto grant group \
having identity immediate in index indicator initially inner input insensitive insert int integer intersect interval \
into is isolation join key language last left let level like limit list local lower match max min missing modified \
module names national natural nchar new next no not nothing null nullif numeric octet_length of old on only open \
option or order outer output overlaps pad partial pivot position precision prepare preserve primary prior privileges \
procedure public read real references relative remove restrict returning revoke right rollback rows schema scroll \
section select session session_user set sexp size smallint some space sql sqlcode sqlerror sqlstate string struct \
substring sum symbol system_user table temporary then time timestamp to transaction translate translation trim true \
tuple union unique unknown unpivot update upper usage user using value values varchar varying view when whenever \
where with work write zone";

/// Keywords that are functions where `(` follows.
const FUNCTIONS: &str = "avg bag bit_length char_length character_length coalesce count exists list lower max min \
nullif octet_length sexp size substring sum upper";

/// Keywords between two operands.
const OPERATORS: &str = "and between except in intersect is like or union";

/// Names of types after `IS`. `int4` and `int8` are identifiers elsewhere.
const TYPES: &str = "bag blob bool boolean char character clob date dec decimal float int int4 int8 integer list missing null \
numeric real sexp smallint string struct symbol time timestamp tuple varchar";

fn is_among(set: &HashSet<&'static str>, word: &str) -> bool {
    set.contains(word.to_ascii_lowercase().as_str())
}

macro_rules! sets {
    ($($(#[$doc:meta])* $name:ident($words:ident);)*) => {
        $($(#[$doc])*
        pub(super) fn $name(word: &str) -> bool {
            static SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| $words.split(' ').collect());
            is_among(&SET, word)
        })*
    };
}

sets! {
    /// Whether an unquoted word is a keyword.
    is_keyword(KEYWORDS);
    /// Whether a keyword is a function's name too.
    is_function(FUNCTIONS);
    /// Whether a keyword stands between operands.
    is_operator(OPERATORS);
    /// Whether a word names a type.
    is_type(TYPES);
}
