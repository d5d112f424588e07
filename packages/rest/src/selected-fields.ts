import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isLeafType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { type RestForm, restFormOf, type Unknown } from './rest-form.ts';

/* The fields that a document selects, with their documented form. */

/** Scalars whose unknown value is "" on REST, as is that of enums. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['String', 'CountryCode', 'Date']);

/** The one operation of a document and its root type. */
export function rootOf(document: DocumentNode, schema: GraphQLSchema) {
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  )!;
  return { set: operation.selectionSet, type: schema.getRootType(operation.operation)! };
}

/**
 * The fields of a selection. Fragments of the document are inlined already. `within` is the field whose selection it is, for
 * exceptions that apply only there.
 */
export function selectedFields(set: SelectionSetNode, parent: GraphQLObjectType, within = '') {
  return set.selections.map((selection) => {
    if (selection.kind !== Kind.FIELD) throw new Error(`REST: fragment on ${parent.name}`);
    const declared = parent.getFields()[selection.name.value]!;
    const { type, description } = declared;
    const named = getNamedType(type);
    if (!isLeafType(named) && !isObjectType(named))
      throw new Error(`REST: ${parent.name}.${selection.name.value} is abstract`);
    const place = `${parent.name}.${selection.name.value}`;
    const rest = restFormOf(declared);
    const exception: RestForm = rest.within?.[within] ?? rest;
    return { field: selection, place, type, named, description: description ?? '', exception };
  });
}

export type Selected = ReturnType<typeof selectedFields>[number];

/** The key of a field in the data of its document. */
export const dataKeyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;

/** Value of the documented form of a field for null. */
export function unknownOf({ type, exception }: Selected): Unknown | object {
  return exception.default ?? exception.unknown ?? usualUnknown(type);
}

function usualUnknown(type: GraphQLOutputType): Unknown {
  // Lists of text have no unknown entries, and no unknown list.
  const isText = 'name' in type && (TEXT_TYPES.has(type.name) || isEnumType(type));
  return isText ? 'empty' : 'null';
}
