//! The legacy parameters, compiled to the trees that expressions become.

use super::expressions::check_name;
use super::layer::Layer;
use crate::Message;
use crate::types::{
    AttributeAction, AttributeValueUpdate, ComparisonOperator, Condition as LegacyCondition,
    ConditionalOperator, ExpectedAttributeValue, Given,
};
use bothways_core::expr::{
    Condition, FunctionName, KeyCondition, LegacyOperator, Node, Operand, Path, Update,
    UpdateAction, ValueLeaf, all_of, any_of, legacy_condition,
};
use bothways_core::{Value, ValueRef, ValueType};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// `ConditionalOperator` needs two conditions to join. Source: ExtendDB's tests run against AWS.
pub(super) fn check_operator(
    operator: Option<ConditionalOperator>,
    conditions: usize,
) -> Result<(), Message> {
    match (operator, conditions) {
        (None, _) | (_, 2..) => Ok(()),
        (Some(_), 0) => Err(Message::OperatorWithoutFilter),
        (Some(_), _) => Err(Message::OperatorNeedsTwo),
    }
}

fn join(
    operator: Option<ConditionalOperator>,
    nodes: Vec<Node<'_>>,
) -> Result<Option<Condition<'_>>, Message> {
    let node = match operator {
        Some(ConditionalOperator::Or) => any_of(nodes),
        Some(ConditionalOperator::And) | None => all_of(nodes),
    };
    let condition = node.map(Condition::from_tree).transpose();
    condition.map_err(|_| Message::ExpressionTooDeep)
}

/// `QueryFilter` and `ScanFilter`.
pub(super) fn filter(
    conditions: Option<&BTreeMap<String, LegacyCondition>>,
    operator: Option<ConditionalOperator>,
    layer: Layer,
) -> Result<Option<Condition<'_>>, Message> {
    let nodes = nodes(conditions, layer)?;
    join(operator, nodes)
}

/// `KeyConditions`, `most` of them at most.
pub(super) fn key_conditions(
    conditions: &BTreeMap<String, LegacyCondition>,
    layer: Layer,
    most: usize,
) -> Result<Option<KeyCondition<'_>>, Message> {
    let nodes = nodes(Some(conditions), layer)?;
    if !(1..=most).contains(&nodes.len()) {
        return Err(Message::KeyConditionCount);
    }
    let ranges = |condition: &LegacyCondition| {
        !matches!(
            condition.comparison_operator,
            Some(
                ComparisonOperator::Null
                    | ComparisonOperator::NotNull
                    | ComparisonOperator::Ne
                    | ComparisonOperator::Contains
                    | ComparisonOperator::NotContains
                    | ComparisonOperator::In
            )
        )
    };
    if !conditions.values().all(ranges) {
        return Err(Message::KeyConditionOperator);
    }
    let condition = all_of(nodes).map(KeyCondition::from_tree).transpose();
    condition.map_err(|_| Message::ExpressionTooDeep)
}

fn nodes<'a>(
    conditions: Option<&'a BTreeMap<String, LegacyCondition>>,
    layer: Layer,
) -> Result<Vec<Node<'a>>, Message> {
    let node = |(name, condition): (&'a String, &'a LegacyCondition)| {
        let values = condition
            .attribute_value_list
            .as_deref()
            .unwrap_or_default();
        for value in values {
            layer.check(value)?;
        }
        // The constraint stage has made sure that there is one.
        let operator = condition
            .comparison_operator
            .unwrap_or(ComparisonOperator::Eq);
        let values: Vec<&Value> = values.iter().map(|given| &given.value).collect();
        let node = compare(name, operator, &values)?;
        check_types(operator, &values)?;
        check_between(operator, &values)?;
        Ok(node)
    };
    conditions.into_iter().flatten().map(node).collect()
}

/// One condition as a tree, with the number and the sameness of types of its values checked.
fn compare<'a>(
    name: &'a str,
    operator: ComparisonOperator,
    values: &[&'a Value],
) -> Result<Node<'a>, Message> {
    let word = operator.as_str();
    let count = || Message::ArgumentCount {
        operator: word.to_owned(),
    };
    let tree = LegacyOperator::from_name(word).ok_or_else(count)?;
    let node = legacy_condition(name, tree, values).ok_or_else(count)?;
    let kind = |value: &&Value| value.as_ref().kind();
    if values
        .windows(2)
        .any(|pair| kind(&pair[0]) != kind(&pair[1]))
    {
        return Err(Message::ArgumentTypesDiffer);
    }
    Ok(node)
}

/// Source: API Reference, `Condition`.
fn check_types(operator: ComparisonOperator, values: &[&Value]) -> Result<(), Message> {
    use ComparisonOperator::{BeginsWith, Eq, Ne};
    let allowed = |kind| match operator {
        Eq | Ne => true,
        BeginsWith => matches!(kind, ValueType::S | ValueType::B),
        _ => matches!(kind, ValueType::S | ValueType::N | ValueType::B),
    };
    match values
        .iter()
        .map(|value| value.as_ref().kind())
        .find(|kind| !allowed(*kind))
    {
        None => Ok(()),
        Some(kind) => {
            let operator = operator.as_str().to_owned();
            Err(Message::ArgumentType {
                operator,
                kind: kind.name(),
            })
        }
    }
}

fn check_between(operator: ComparisonOperator, values: &[&Value]) -> Result<(), Message> {
    match values {
        [low, high] if operator == ComparisonOperator::Between => {
            let order = low.as_ref().compare(high.as_ref());
            if order == Some(std::cmp::Ordering::Greater) {
                return Err(Message::BetweenReversed);
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// `Expected`.
pub(super) fn expected(
    conditions: Option<&BTreeMap<String, ExpectedAttributeValue>>,
    operator: Option<ConditionalOperator>,
    layer: Layer,
) -> Result<Option<Condition<'_>>, Message> {
    let nodes = conditions
        .into_iter()
        .flatten()
        .map(|(name, e)| expectation(name, e, layer));
    join(operator, nodes.collect::<Result<_, _>>()?)
}

/// One expectation, its parts weighed in AWS's order. Source: dynalite, validateAttributeConditions.
fn expectation<'a>(
    name: &'a str,
    expected: &'a ExpectedAttributeValue,
    layer: Layer,
) -> Result<Node<'a>, Message> {
    let owned = || name.to_owned();
    let list = expected.attribute_value_list.as_deref();
    let single = expected.value.as_ref();
    if list.is_some() && single.is_some() {
        return Err(Message::ExpectedValueAndList { name: owned() });
    }
    if let Some(operator) = expected.comparison_operator {
        if expected.exists.is_some() {
            return Err(Message::ExpectedExistsAndOperator { name: owned() });
        }
        let nothing = list.is_none() && single.is_none();
        let unary = matches!(
            operator,
            ComparisonOperator::Null | ComparisonOperator::NotNull
        );
        if nothing && !unary {
            let operator = operator.as_str().to_owned();
            return Err(Message::ExpectedNothingToCompare {
                operator,
                name: owned(),
            });
        }
        let given: Vec<&Given<Value>> = list.unwrap_or_default().iter().chain(single).collect();
        for value in &given {
            layer.check(value)?;
        }
        let values: Vec<&Value> = given.iter().map(|given| &given.value).collect();
        let node = compare(name, operator, &values)?;
        check_types(operator, &values)?;
        check_between(operator, &values)?;
        return Ok(node);
    }
    if list.is_some() {
        return Err(Message::ExpectedListWithoutOperator { name: owned() });
    }
    match (expected.exists, single) {
        (Some(false), None) => compare(name, ComparisonOperator::Null, &[]),
        (Some(false), Some(_)) => Err(Message::ExpectedValueForbidden { name: owned() }),
        (exists, None) => {
            let exists = if exists.is_some() { "true" } else { "null" };
            Err(Message::ExpectedValueRequired {
                exists,
                name: owned(),
            })
        }
        (_, Some(value)) => {
            layer.check(value)?;
            compare(name, ComparisonOperator::Eq, &[&value.value])
        }
    }
}

/// `AttributeUpdates`.
pub(super) fn updates(
    updates: Option<&BTreeMap<String, AttributeValueUpdate>>,
    layer: Layer,
) -> Result<Option<Update<'_>>, Message> {
    let Some(updates) = updates else {
        return Ok(None);
    };
    let actions = updates
        .iter()
        .map(|(name, update)| action(name, update, layer));
    let actions = actions.collect::<Result<Vec<_>, _>>()?;
    // Updates of different top-level attributes cannot overlap.
    Ok(Update::from_actions(actions).ok().map(Update::legacy))
}

fn action<'a>(
    name: &'a str,
    update: &'a AttributeValueUpdate,
    layer: Layer,
) -> Result<UpdateAction<'a>, Message> {
    check_name(name)?;
    let action = update.action.unwrap_or(AttributeAction::Put);
    let path = Path::attribute(name);
    let Some(given) = &update.value else {
        return match action {
            AttributeAction::Delete => Ok(UpdateAction::Remove(path)),
            _ => Err(Message::UpdateWithoutValue),
        };
    };
    layer.check(given)?;
    let value = given.value.as_ref();
    let set = matches!(value, ValueRef::Ss(_) | ValueRef::Ns(_) | ValueRef::Bs(_));
    let leaf = || ValueLeaf::Literal(Cow::Borrowed(&given.value));
    match action {
        AttributeAction::Put => Ok(UpdateAction::Set(path, Operand::value(&given.value))),
        AttributeAction::Delete if set => Ok(UpdateAction::Delete(path, leaf())),
        AttributeAction::Delete => Err(Message::UpdateDeleteType {
            kind: value.type_name(),
        }),
        AttributeAction::Add if set || matches!(value, ValueRef::N(_)) => {
            Ok(UpdateAction::Add(path, leaf()))
        }
        AttributeAction::Add if matches!(value, ValueRef::L(_)) => Ok(appended(path, &given.value)),
        AttributeAction::Add => Err(Message::UpdateAddType {
            kind: value.type_name(),
        }),
    }
}

/// `ADD` of a list appends it. Source: API Reference, `AttributeValueUpdate`.
fn appended<'a>(path: Path<'a>, list: &'a Value) -> UpdateAction<'a> {
    let present = vec![
        Operand::Path(path.clone()),
        Operand::owned(Value::L(Vec::new())),
    ];
    let present = Operand::call(FunctionName::IfNotExists, present);
    let whole = Operand::call(
        FunctionName::ListAppend,
        vec![present, Operand::value(list)],
    );
    UpdateAction::Set(path, whole)
}
