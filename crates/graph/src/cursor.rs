//! Cursors: where a list goes on. Opaque text of bounded size, tied to its list.

/// Why a cursor is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// Not a cursor, or damaged.
    #[error("this is not a cursor, or it was cut or changed")]
    Damaged,
    /// From a later version.
    #[error("this cursor has version {0}, and this program knows version 1")]
    Version(u8),
    /// From another list.
    #[error("this cursor belongs to another list")]
    OtherList,
}
