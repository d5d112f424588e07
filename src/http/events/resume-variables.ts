import { type DocumentNode, type GraphQLSchema, Kind, TypeInfo, visit, visitWithTypeInfo } from 'graphql';

const ARGUMENT = 'after';

/**
 * Variables of a document that only set where a subscription resumes: each occurs once, as the argument `after` of a
 * field of the subscription. Subscribers that differ only in these receive the same events.
 */
export function resumeVariables(schema: GraphQLSchema, document: DocumentNode): ReadonlySet<string> {
  const uses = new Map<string, number>();
  const resuming = new Set<string>();
  const info = new TypeInfo(schema);
  const subscription = schema.getSubscriptionType();
  visit(
    document,
    visitWithTypeInfo(info, {
      VariableDefinition: {
        // The name in its definition is not a use.
        enter: () => false,
      },
      Argument(node) {
        const { value } = node;
        const isResume = node.name.value === ARGUMENT && info.getParentType() === subscription;
        if (isResume && value.kind === Kind.VARIABLE) resuming.add(value.name.value);
      },
      Variable(node) {
        uses.set(node.name.value, (uses.get(node.name.value) ?? 0) + 1);
      },
    }),
  );
  return new Set([...resuming].filter((name) => uses.get(name) === 1));
}
