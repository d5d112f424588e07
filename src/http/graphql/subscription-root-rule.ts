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

/**
 * Rejects @skip and @include on root fields of subscriptions (GraphQL section 5.2.4.1): a subscription without its field has
 * no source of events, and variables are not known when a document is checked.
 */
export function subscriptionRootRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition({ operation, selectionSet }) {
      if (operation !== OperationTypeNode.SUBSCRIPTION) return;
      const conditional = rootSelections(context, selectionSet).find(isConditional);
      if (!conditional) return;
      const message = '@skip and @include are not allowed on root fields of a subscription';
      context.reportError(new GraphQLError(message, { nodes: conditional }));
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
