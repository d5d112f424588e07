import { exactJson } from '@vouchgraph/platform/exact-json';
import { pick } from '@vouchgraph/platform/pick';
import { type DocumentNode, Kind, type TypeNode } from 'graphql';

type Variables = Record<string, unknown>;

/**
 * Variables in which values of the type JSON have the texts of their numbers. Values of JSONObject keep them in any case: the
 * texts belong to the object, whereas GraphQL copies a single number and a list.
 */
export function exactVariables(
  document: DocumentNode,
  variables: Variables | undefined,
): Variables | undefined {
  if (!variables) return variables;
  const names = namesOfJson(document).filter((name) => Object.hasOwn(variables, name));
  return names.length === 0 ? variables : { ...variables, ...pick(exactJson(variables), names) };
}

function namesOfJson({ definitions }: DocumentNode): string[] {
  const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return operations.flatMap(({ variableDefinitions = [] }) =>
    variableDefinitions.flatMap(({ variable, type }) =>
      nameOf(type) === 'JSON' ? [variable.name.value] : [],
    ),
  );
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
}
