//! The messages of PartiQL, apart from the others for the length of the list alone.

/// Declares the messages given to it and those of PartiQL as one list.
macro_rules! with_statement_messages {
    ($($others:tt)*) => {
        messages! {
            $($others)*

            // PartiQL: what is no statement.
            /// A statement that cannot be read, and why; AWS does not always say.
            StatementMalformed { detail: String };
            /// Why: no operand.
            StatementTerm;
            /// Why: a keyword where an operand should be.
            StatementKeyword;
            /// Why: an operator where an operand should be.
            StatementOperator;
            /// Why: nothing after an operator.
            StatementRightOperand;
            /// Why: more text after the statement.
            StatementLeftover;
            /// Why: no change.
            StatementChange;
            /// Why: no name.
            StatementName;
            /// Why: no name after a dot.
            StatementDot;
            /// Why: no type after IS.
            StatementType;
            /// Why: another token is missing.
            StatementToken { token: &'static str };
            /// An alias.
            StatementAlias;
            /// Three names in FROM.
            StatementSourceParts;
            /// An empty name.
            StatementNameEmpty;
            /// No table in FROM.
            StatementSource;
            /// Several tables in FROM.
            StatementSources;
            /// INSERT INTO an index.
            StatementInsertIndex;
            /// UPDATE or DELETE of an index.
            StatementWriteIndex;
            /// A clause that `DynamoDB` does not have.
            StatementClause { clause: String, at: String };
            /// SELECT VALUE.
            StatementSelectValue;
            /// A column twice.
            StatementColumnTwice { name: String };
            /// A statement of another kind.
            StatementOperation { name: String };
            /// RETURNING on INSERT.
            StatementReturningInsert;
            /// RETURNING of something else on DELETE.
            StatementReturningDelete { clause: &'static str };
            /// RETURNING without a star.
            StatementReturningStar;
            /// RETURNING of several things.
            StatementReturningMany;
            /// RETURNING in a transaction.
            StatementReturningTransaction;

            // PartiQL: what is in a statement.
            /// No path.
            StatementPath { at: String };
            /// `[*]`.
            StatementWildcard;
            /// `.*`.
            StatementUnpivot;
            /// A list index out of range.
            StatementIndexRange { index: String, at: String };
            /// Another number of parameters.
            StatementParameterCount;
            /// No such function.
            StatementFunction { name: String, at: String };
            /// No literal.
            StatementDataType { name: String, under: String, at: String };
            /// An empty set.
            StatementBagEmpty;
            /// A set of several types.
            StatementBagMixed;
            /// A number set with a member twice.
            StatementDuplicateNumbers { members: String, under: String };
            /// A number that cannot be held.
            StatementNumber { fault: String, under: String };
            /// A literal nested too deep.
            StatementNesting { under: String };
            /// A map's key twice.
            StatementKeyTwice { name: String, under: String };
            /// A map's key that is no string.
            StatementKeyNoString { actual: String, under: String };
            /// MISSING without IS.
            StatementMissing;
            /// IS without a path.
            StatementIsOperand;
            /// IS in an update.
            StatementIsInUpdate;
            /// IS with another type.
            StatementIsType { name: String };
            /// IN without a list.
            StatementIn;
            /// No condition after WHERE.
            StatementWhere;
            /// No condition beside AND or OR.
            StatementLogic;
            /// No condition after NOT.
            StatementNot;
            /// An operator that conditions do not have.
            StatementConditionOperator { operator: String };
            /// An operator that updates do not have.
            StatementUpdateOperator { operator: String };
            /// `set_add` of another attribute.
            StatementSetFirst { function: String, at: String };
            /// `set_add` of what is no set.
            StatementSetSecond { function: String, at: String };
            /// `set_add` of other than two arguments.
            StatementSetCount { function: String, at: String };
            /// INSERT of what is no item.
            StatementInsertForm;
            /// INSERT of several items.
            StatementInsertMany;
            /// ORDER BY what is no attribute.
            StatementOrderOperand { name: String };

            // PartiQL: statements against tables.
            /// No equality on every key attribute.
            StatementKeyIncomplete;
            /// Two values for a key attribute.
            StatementKeyValues { name: String };
            /// A key attribute of another type.
            StatementKeyType { name: String };
            /// A key attribute that an item lacks.
            StatementKeyAbsent { name: String };
            /// Too many keys and ranges.
            StatementTooManyReads;
            /// The same keys twice.
            StatementOverlap;
            /// ORDER BY without WHERE.
            StatementOrderWhere;
            /// ORDER BY without a partition key.
            StatementOrderKey;
            /// ORDER BY an attribute outside the key.
            StatementOrderAttribute { name: String };
            /// ORDER BY of several partitions.
            StatementOrderHash;
            /// No such index.
            StatementIndexNotFound;
            /// A consistent read of a GSI.
            StatementConsistentGsi;
            /// A GSI with several attributes of one role.
            StatementMultiKey;
            /// A filter on attributes that an index lacks.
            StatementFilterLacks { index: String, names: String };
            /// A token that is none.
            StatementTokenInvalid;
            /// Another statement's token.
            StatementTokenMismatch;
            /// A key that is there already.
            DuplicateItem => DuplicateItem;
            /// EXISTS outside a transaction.
            StatementExists;
            /// EXISTS without a key and a condition.
            StatementExistsKey;
            /// A statement of a transaction that is wrong.
            StatementOf { position: usize, fault: String };
            /// A read by index in a transaction.
            StatementTransactionIndex;
            /// A read in a transaction that is not by key.
            StatementTransactionKey;
            /// Reads and writes in one transaction.
            StatementTransactionMixed;
            /// A read in a batch that is not by key.
            StatementBatchKey;
            /// Reads and writes in one batch.
            StatementBatchMixed;
        }
    };
}
