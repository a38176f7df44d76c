//! Trees over named expressions: every primitive is an expression whose arguments are the subtrees.

use super::{Builder, Expression, ExpressionError, Node, NodeId, Type};

/// The code in a tree that stands for the next constant.
pub const CONSTANT: u16 = u16::MAX;

#[derive(Clone, Debug)]
struct Primitive {
    expression: Expression,
    arguments: Vec<Type>,
}

/// The primitives of trees, numbered.
#[derive(Clone, Debug)]
pub struct PrimitiveSet {
    primitives: Vec<Primitive>,
}

impl PrimitiveSet {
    /// A set of expressions with one output each; their arguments are numbered without gaps.
    ///
    /// # Errors
    /// Says which expression cannot be a primitive.
    pub fn new(expressions: Vec<Expression>) -> Result<Self, ExpressionError> {
        let primitive = |(index, expression): (usize, Expression)| {
            let fail = |what: String| ExpressionError(format!("primitive {index}: {what}"));
            if expression.outputs().len() != 1 {
                return Err(fail(format!("it has {} outputs, not one", expression.outputs().len())));
            }
            let mut arguments: Vec<Option<Type>> = Vec::new();
            for &node in expression.nodes() {
                if let Node::Argument(number, given) = node {
                    let number = usize::from(number);
                    arguments.resize(arguments.len().max(number + 1), None);
                    if arguments[number].is_some_and(|known| known != given) {
                        return Err(fail(format!("argument {number} has two types")));
                    }
                    arguments[number] = Some(given);
                }
            }
            let arguments = arguments.into_iter().enumerate();
            let arguments = arguments
                .map(|(number, given)| given.ok_or_else(|| fail(format!("it never uses argument {number}"))))
                .collect::<Result<_, _>>()?;
            Ok(Primitive { expression, arguments })
        };
        Ok(Self { primitives: expressions.into_iter().enumerate().map(primitive).collect::<Result<_, _>>()? })
    }

    /// The expression of `trees` trees, one after the other, an output each: prefix codes, [`CONSTANT`] standing for the
    /// next of `constants`.
    ///
    /// # Errors
    /// The codes are not as many whole, well-typed trees, or the expression grows too large.
    pub fn expression(
        &self,
        codes: &[u16],
        constants: &[f64],
        trees: usize,
        mut builder: Builder,
    ) -> Result<Expression, ExpressionError> {
        let fail = |what: &str| Err(ExpressionError(what.into()));
        // Read backwards, so that every function finds its arguments on the stack.
        let mut stack: Vec<NodeId> = Vec::with_capacity(codes.len());
        let mut constants = constants.iter().rev();
        let mut map = Vec::new();
        for &code in codes.iter().rev() {
            if code == CONSTANT {
                let Some(constant) = constants.next() else { return fail("the tree has more constants than values") };
                stack.push(builder.node(Node::ConstantNumber(constant.to_bits()))?);
                continue;
            }
            let Some(primitive) = self.primitives.get(usize::from(code)) else {
                return Err(ExpressionError(format!("there is no primitive {code}")));
            };
            let arity = primitive.arguments.len();
            if stack.len() < arity {
                return fail("the tree ends before its last argument");
            }
            // The first argument was pushed last.
            let id = instantiate(&mut builder, primitive, &stack[stack.len() - arity..], &mut map)?;
            stack.truncate(stack.len() - arity);
            stack.push(id);
        }
        if stack.len() != trees || trees == 0 {
            return Err(ExpressionError(match trees {
                1 => "the codes are not one tree".into(),
                _ => format!("the codes are not {trees} trees"),
            }));
        }
        if constants.next().is_some() {
            return fail("the tree has fewer constants than values");
        }
        stack.reverse();
        Ok(builder.finish(stack))
    }
}

/// Copy a primitive's expression into the builder; `reversed` holds its arguments, the last one first.
fn instantiate(
    builder: &mut Builder,
    primitive: &Primitive,
    reversed: &[NodeId],
    map: &mut Vec<NodeId>,
) -> Result<NodeId, ExpressionError> {
    map.clear();
    for &node in primitive.expression.nodes() {
        let id = match node {
            Node::Argument(number, expected) => {
                let argument = reversed[reversed.len() - 1 - usize::from(number)];
                let found = builder.type_of(argument);
                if found != expected {
                    return Err(ExpressionError(format!("an argument gives {found} where {expected} is needed")));
                }
                argument
            }
            Node::WeightedSum(set, list, selector) => {
                let list = builder.tables(primitive.expression.tables()[list as usize].clone());
                let selector = selector.map(|id| map[id as usize]);
                builder.node(Node::WeightedSum(map[set as usize], list, selector))?
            }
            other => builder.node(other.renamed(|id| map[id as usize]))?,
        };
        map.push(id);
    }
    Ok(map[primitive.expression.outputs()[0] as usize])
}
