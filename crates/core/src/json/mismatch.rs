//! JSON of a wrong type, in DynamoDB's words.

/// A JSON type where another belongs. Its `Display` is the text of DynamoDB's `SerializationException`: a
/// `serde` error carries nothing but text, so the words are here and not in the protocol's table.
///
/// Source: recorded against AWS by `architect/dynalite`, `test/helpers.js`, `assertType`; for the bad base64
/// character the codec of the AWS SDK for Java, which the service shares its other base64 words with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// A scalar token where a scalar of another type belongs.
    #[error("{token} cannot be converted to {java}")]
    Scalar {
        /// `NUMBER_VALUE`, `DECIMAL_VALUE`, `TRUE_VALUE`, `FALSE_VALUE` or `STRING_VALUE`.
        token: &'static str,
        /// Java's name of the type that belongs there.
        java: &'static str,
    },
    /// An object where a scalar or list belongs.
    #[error("Start of structure or map found where not expected")]
    Structure,
    /// A scalar where a structure, list or map belongs, as a member of a structure.
    #[error("Unexpected field type")]
    Field,
    /// A scalar where an attribute value belongs, within a list or map.
    #[error("Unexpected value type in payload")]
    Element,
    /// A scalar where a list of lists or of maps has its element.
    #[error(
        "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class \
         java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class \
         are in module java.base of loader 'bootstrap')"
    )]
    Parameterized,
    /// A list where something else belongs.
    #[error("Unrecognized collection type {0}")]
    Collection(&'static str),
    /// A string that is no boolean.
    #[error("Unexpected token received from parser")]
    BooleanText,
    /// A number or boolean where binary belongs.
    #[error("only base-64-encoded strings are convertible to bytes")]
    BlobToken,
    /// Base64 of a wrong length.
    #[error("Base64 encoded length is expected a multiple of 4 bytes but found: {0}")]
    BlobLength(usize),
    /// Base64 whose padding or last character is wrong. (The spelling is DynamoDB's.)
    #[error("Invalid last non-pad Base64 character dectected")]
    BlobPadding,
    /// A character that is not base64's.
    #[error("Invalid base 64 character: '{0}'")]
    BlobCharacter(char),
}

impl Mismatch {
    pub(super) const ATTRIBUTE_VALUE: Self =
        Self::Collection("class com.amazonaws.dynamodb.v20120810.AttributeValue");
    pub(super) const ATTRIBUTE_MAP: Self = Self::Collection(
        "java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>",
    );
    pub(super) const STRING: Self = Self::Collection("class java.lang.String");
    pub(super) const BOOLEAN: Self = Self::Collection("class java.lang.Boolean");
    pub(super) const BLOB: Self = Self::Collection("class java.nio.ByteBuffer");
}
