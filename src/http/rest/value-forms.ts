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
import { FORM_EXCEPTIONS, type Form } from './form-exceptions.ts';

/* Values of the schema in their documented form, computed from a document and the schema once at start. */

type Data = Record<string, unknown>;
/** Gives one object its documented values, in place. */
type Rewrite = (object: Data) => void;

/** Scalars whose unknown value is "" on REST, as is that of enums. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['String', 'CountryCode', 'Date']);

/**
 * The function that gives the data of a document its documented values, in place: the data of an execution belongs to
 * nobody else. Fragments of the document are inlined already.
 */
export function valueForms(document: DocumentNode, schema: GraphQLSchema): Rewrite {
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  )!;
  const root = schema.getRootType(operation.operation)!;
  return rewriteOf(operation.selectionSet, root) ?? (() => {});
}

/** Null where nothing below differs. */
function rewriteOf(set: SelectionSetNode, parent: GraphQLObjectType): Rewrite | null {
  const steps = set.selections.flatMap((selection) => {
    if (selection.kind !== Kind.FIELD) throw new Error(`REST: fragment on ${parent.name}`);
    return stepOf(selection, parent) ?? [];
  });
  if (steps.length === 0) return null;
  return (object) => {
    for (const step of steps) step(object);
  };
}

function stepOf(field: FieldNode, parent: GraphQLObjectType): Rewrite | null {
  const { type } = parent.getFields()[field.name.value]!;
  const key = (field.alias ?? field.name).value;
  const form = FORM_EXCEPTIONS[`${parent.name}.${field.name.value}`] ?? usualForm(type);
  const named = getNamedType(type);
  const inner = isObjectType(named) && field.selectionSet ? rewriteOf(field.selectionSet, named) : null;
  if (!isLeafType(named) && !isObjectType(named)) throw new Error(`REST: ${parent.name}.${key} is abstract`);
  const unknown = unknownStep(key, form);
  if (!inner) return form === 'us_date' ? dateStep(key) : unknown;
  return (object) => {
    const value = object[key];
    if (value === null) unknown?.(object);
    else if (Array.isArray(value)) for (const item of value) inner(item as Data);
    else if (value !== undefined) inner(value as Data);
  };
}

function usualForm(type: GraphQLOutputType): Form {
  // Lists of text have no unknown entries, and no unknown list.
  const isText = 'name' in type && (TEXT_TYPES.has(type.name) || isEnumType(type));
  return isText ? 'empty' : 'null';
}

function unknownStep(key: string, form: Form): Rewrite | null {
  if (form === 'null') return null;
  if (form === 'absent')
    return (object) => {
      // Text that is unknown is "" where the schema has no null.
      if (object[key] === null || object[key] === '') delete object[key];
    };
  const value = typeof form === 'string' ? '' : form;
  return (object) => {
    if (object[key] === null) object[key] = value;
  };
}

function dateStep(key: string): Rewrite {
  return (object) => {
    const value = object[key];
    if (value !== undefined) object[key] = usDate(value as string | null);
  };
}

/** MM/DD/YYYY of YYYY-MM-DD. */
export function usDate(date: string | null): string {
  return (date ?? '').replace(/^(\d{4})-(\d{2})-(\d{2})$/, '$2/$3/$1');
}
