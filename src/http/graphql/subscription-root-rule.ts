import {
  type ASTVisitor,
  GraphQLError,
  Kind,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

const DIRECTIVES: readonly string[] = ['skip', 'include'];
const MESSAGE = '@skip and @include are not allowed on root fields of a subscription';

/**
 * Rejects @skip and @include on root fields of subscriptions (GraphQL section 5.2.4.1): a subscription without its field has
 * no source of events, and variables are not known when a document is checked. Throws before the rule of GraphQL.js for single
 * root fields, which fails on the variables of these directives.
 */
export function subscriptionRootRule(context: ValidationContext): ASTVisitor {
  return {
    Document({ definitions }) {
      for (const definition of definitions) {
        if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
        if (definition.operation !== OperationTypeNode.SUBSCRIPTION) continue;
        const conditional = rootSelections(context, definition.selectionSet).find(isConditional);
        if (conditional) throw new GraphQLError(MESSAGE, { nodes: conditional });
      }
    },
  };
}

/** Root selections, including those of fragments. Each fragment is read once: fragments can form cycles. */
function rootSelections(context: ValidationContext, root: SelectionSetNode): SelectionNode[] {
  const found: SelectionNode[] = [];
  const seen = new Set<string>();
  const sets = [root];
  for (let set = sets.pop(); set; set = sets.pop()) {
    for (const selection of set.selections) {
      found.push(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) sets.push(selection.selectionSet);
      if (selection.kind !== Kind.FRAGMENT_SPREAD || seen.has(selection.name.value)) continue;
      seen.add(selection.name.value);
      const fragment = context.getFragment(selection.name.value);
      if (fragment) sets.push(fragment.selectionSet);
    }
  }
  return found;
}

function isConditional({ directives = [] }: SelectionNode): boolean {
  return directives.some(({ name }) => DIRECTIVES.includes(name.value));
}
