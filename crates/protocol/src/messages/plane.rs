//! The messages of the control plane beside tables and indexes, apart from the others for the length of the list alone.

/// Declares the messages given to it and those of the control plane as one list.
macro_rules! with_plane_messages {
    ($($others:tt)*) => {
        with_statement_messages! {
            $($others)*

            // Throughput.
            /// A ceiling on demand for what is provisioned.
            CeilingForbidden { name: &'static str };
            /// The same for an index.
            CeilingForbiddenIndex { name: &'static str, index: String };
            /// A ceiling on demand that is none.
            CeilingOutOfRange { name: &'static str };
            /// The same for an index.
            CeilingOutOfRangeIndex { name: &'static str, index: String };
            /// Warm throughput below what a table begins with.
            WarmBelowInitial { name: &'static str, of: String };
            /// Warm throughput below what is provisioned.
            WarmBelowProvisioned { name: &'static str, of: String, units: &'static str };
            /// Less warm throughput than there is.
            WarmDecreased { name: &'static str, of: String };
            /// Warm throughput of an index that says nothing.
            WarmEmptyIndex { index: String };
            /// Warm throughput with another change.
            WarmAlone;
            /// A ceiling on demand with another change.
            CeilingAlone;

            // Policies.
            /// A name where an ARN should be.
            PolicyArnPrefix { arn: String };
            /// Another service's ARN.
            PolicyArnOther { arn: String };
            /// An index's ARN.
            PolicyArnKind { arn: String };
            /// Another region's or partition's ARN.
            PolicyArnInvalid { arn: String };
            /// Another account's ARN.
            PolicyAccount;
            /// No such stream of the table.
            PolicyStreamNotFound { label: String, table: String } => ResourceNotFound;
            /// No policy.
            PolicyNone { arn: String } => PolicyNotFound;
            /// A revision expected where there is no policy.
            PolicyNoneExpected { revision: String, table: String } => PolicyNotFound;
            /// Another revision than the one expected.
            PolicyOtherRevision { expected: String, table: String, revision: String } => PolicyNotFound;
            /// A policy where none was expected.
            PolicyUnexpected { table: String, revision: String } => PolicyNotFound;
            /// A policy over 20 KB.
            PolicyTooLarge { limit: usize };
            /// A policy that is not JSON.
            PolicyJson;
            /// A policy that says nothing.
            PolicyEmpty;
            /// A statement without one of its parts.
            PolicyLacks { field: &'static str };
            /// Two statements of one name.
            PolicySids;
            /// A policy that lets everybody in.
            PolicyUnbounded;
        }
    };
}
