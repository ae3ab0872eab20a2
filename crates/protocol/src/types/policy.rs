//! Policies of resources: kept and given back, not enforced.

use crate::constraint::Rule::{MaxLength, MinLength};
use crate::constraint::{REQUIRED, RESOURCE_ARN};

shapes! {
    /// PutResourcePolicy.
    PutResourcePolicyInput {
        resource_arn: String = "ResourceArn" => RESOURCE_ARN,
        policy: String = "Policy" => REQUIRED,
        expected_revision_id: String = "ExpectedRevisionId" => &[MinLength(1), MaxLength(255)],
        confirm_remove_self_resource_access: bool = "ConfirmRemoveSelfResourceAccess",
    }
    /// PutResourcePolicy's answer.
    PutResourcePolicyOutput { revision_id: String = "RevisionId", }
    /// GetResourcePolicy.
    GetResourcePolicyInput { resource_arn: String = "ResourceArn" => RESOURCE_ARN, }
    /// GetResourcePolicy's answer.
    GetResourcePolicyOutput {
        policy: String = "Policy",
        revision_id: String = "RevisionId",
    }
    /// DeleteResourcePolicy.
    DeleteResourcePolicyInput {
        resource_arn: String = "ResourceArn" => RESOURCE_ARN,
        expected_revision_id: String = "ExpectedRevisionId" => &[MinLength(1), MaxLength(255)],
    }
    /// DeleteResourcePolicy's answer.
    DeleteResourcePolicyOutput { revision_id: String = "RevisionId", }
}
