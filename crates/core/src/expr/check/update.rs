//! Updates and projections.

use super::survey::{Place, Survey};
use super::{Leaf, each_function, each_leaf, literal_type, operand_count, operand_type};
use crate::expr::ast::{
    Clause, Function, FunctionName, Operand, Path, UpdateAction, UpdateTree, ValueLeaf,
};
use crate::expr::bind::Binder;
use crate::expr::error::Fault;
use crate::expr::paths;
use crate::value::ValueType;

/// Checks a parsed update and resolves its placeholders in place.
pub(in crate::expr) fn update<'a>(
    tree: &mut UpdateTree<'a>,
    binder: &mut Binder<'a>,
) -> Result<(), Fault> {
    let mut survey = Survey::of_update();
    for action in &tree.actions {
        survey.path(action.path());
        if let UpdateAction::Set(_, operand) = action {
            survey.operand(operand, Place::Assigned);
        }
    }
    let functions = survey.wrong_function.or(survey.misused_function);
    if let Some(fault) = survey.reserved_word.or(functions) {
        return Err(fault);
    }
    if let Some(clause) = tree.repeated {
        return Err(Fault::RepeatedClause { clause });
    }
    resolve(&mut tree.actions, binder)?;
    let targets: Vec<&Path<'a>> = tree.actions.iter().map(UpdateAction::path).collect();
    paths::check_disjoint(&targets)?;
    built_actions(&tree.actions)
}

/// Every name of the whole update is looked for before any value is.
fn resolve<'a>(actions: &mut [UpdateAction<'a>], binder: &mut Binder<'a>) -> Result<(), Fault> {
    for action in actions.iter_mut() {
        let (UpdateAction::Set(path, _)
        | UpdateAction::Remove(path)
        | UpdateAction::Add(path, _)
        | UpdateAction::Delete(path, _)) = action;
        binder.resolve_path(path)?;
        if let UpdateAction::Set(_, operand) = action {
            each_leaf(operand, &mut |leaf| match leaf {
                Leaf::Path(path) => binder.resolve_path(path),
                Leaf::Value(_) => Ok(()),
            })?;
        }
    }
    for action in actions {
        match action {
            UpdateAction::Set(_, operand) => each_leaf(operand, &mut |leaf| match leaf {
                Leaf::Path(_) => Ok(()),
                Leaf::Value(value) => binder.resolve_value(value),
            })?,
            UpdateAction::Remove(_) => {}
            UpdateAction::Add(_, value) | UpdateAction::Delete(_, value) => {
                binder.resolve_value(value)?;
            }
        }
    }
    Ok(())
}

/// Checks actions built by code, all of whose values are there: operand types and numbers of operands.
pub(crate) fn built_actions(actions: &[UpdateAction<'_>]) -> Result<(), Fault> {
    actions.iter().try_for_each(clause_operand)?;
    actions.iter().try_for_each(|action| match action {
        UpdateAction::Set(_, operand) => set_operand(operand),
        _ => Ok(()),
    })
}

fn clause_operand(action: &UpdateAction<'_>) -> Result<(), Fault> {
    let (UpdateAction::Add(_, ValueLeaf::Literal(value))
    | UpdateAction::Delete(_, ValueLeaf::Literal(value))) = action
    else {
        return Ok(());
    };
    let clause = action.clause();
    match value.as_ref().as_ref().kind() {
        ValueType::Ss | ValueType::Ns | ValueType::Bs => Ok(()),
        ValueType::N if clause == Clause::Add => Ok(()),
        kind => Err(Fault::ClauseOperandType {
            clause,
            operand_type: kind.name(),
        }),
    }
}

fn set_operand(operand: &Operand<'_>) -> Result<(), Fault> {
    each_function(operand, &mut function)?;
    if let Operand::Arithmetic(sum) = operand {
        for side in [&sum.left, &sum.right] {
            match literal_type(side) {
                None | Some(ValueType::N) => {}
                Some(kind) => return Err(operand_type(sum.op.symbol(), kind)),
            }
        }
    }
    Ok(())
}

fn function(function: &Function<'_>) -> Result<(), Fault> {
    operand_count(function, 2)?;
    match function.name {
        FunctionName::IfNotExists => match function.args.first() {
            Some(Operand::Path(_)) => Ok(()),
            _ => Err(Fault::PathRequired {
                function: "if_not_exists",
            }),
        },
        _ => function
            .args
            .iter()
            .try_for_each(|arg| match literal_type(arg) {
                None | Some(ValueType::L) => Ok(()),
                Some(kind) => Err(operand_type("list_append", kind)),
            }),
    }
}

/// Checks a parsed projection and resolves its placeholders in place.
pub(in crate::expr) fn projection<'a>(
    paths: &mut [Path<'a>],
    binder: &mut Binder<'a>,
) -> Result<(), Fault> {
    let mut survey = Survey::default();
    for path in paths.iter() {
        survey.path(path);
    }
    if let Some(fault) = survey.reserved_word {
        return Err(fault);
    }
    paths
        .iter_mut()
        .try_for_each(|path| binder.resolve_path(path))?;
    paths::check_disjoint(&paths.iter().collect::<Vec<_>>())
}
