import { addNumber, addValue } from '@vouchgraph/platform/exact-json';
import { GraphQLError, Kind, type ValueNode } from 'graphql';

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/** The JSON value of a literal in a document, which may contain variables. Numbers keep their texts, as in a parsed body. */
export function jsonOfLiteral(node: ValueNode, variables: Variables): unknown {
  const root: unknown[] = [];
  addLiteral(root, null, node, variables);
  return root[0];
}

/** The limit of tokens in a document bounds the recursion. */
function addLiteral(container: object, key: string | null, node: ValueNode, variables: Variables): void {
  if (node.kind === Kind.INT || node.kind === Kind.FLOAT) {
    addNumber(container, key, node.value);
  } else if (node.kind === Kind.LIST) {
    const list: unknown[] = [];
    for (const each of node.values) addLiteral(list, null, each, variables);
    addValue(container, key, list);
  } else if (node.kind === Kind.OBJECT) {
    const object = {};
    for (const { name, value } of node.fields) addLiteral(object, name.value, value, variables);
    addValue(container, key, object);
  } else {
    addValue(container, key, scalarOf(node, variables));
  }
}

type ScalarNode = Exclude<ValueNode, { kind: Kind.INT | Kind.FLOAT | Kind.LIST | Kind.OBJECT }>;

function scalarOf(node: ScalarNode, variables: Variables): unknown {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variables?.[node.name.value];
    case Kind.NULL:
      return null;
    case Kind.ENUM:
      throw new GraphQLError(`JSON has no enumerations: send "${node.value}" as text`, { nodes: node });
    default:
      return node.value;
  }
}
