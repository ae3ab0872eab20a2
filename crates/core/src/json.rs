//! DynamoDB JSON (`{"S":"a"}`) to values and back, without loss.
