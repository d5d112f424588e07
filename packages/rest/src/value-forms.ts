import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import type { Unknown } from './rest-form.ts';
import { dataKeyOf, rootOf, type Selected, selectedFields, unknownOf } from './selected-fields.ts';

/* Values of the schema in their documented form, computed from a document and the schema once at start. */

type Data = Record<string, unknown>;
/** Replaces the values of one object with their documented forms, in place. */
type Rewrite = (object: Data) => void;

/**
 * Returns a function that replaces values in the data of a document with their documented forms, in place: the data of an
 * execution is not shared.
 */
export function valueForms(document: DocumentNode, schema: GraphQLSchema): Rewrite {
  const { set, type } = rootOf(document, schema);
  return rewriteOf(set, type) ?? (() => {});
}

/** Null where nothing below differs. */
function rewriteOf(set: SelectionSetNode, parent: GraphQLObjectType, within?: string): Rewrite | null {
  const steps = selectedFields(set, parent, within).flatMap((selected) => [
    ...stepsOf(selected),
    ...keySteps(selected),
  ]);
  if (steps.length === 0) return null;
  return (object) => {
    for (const step of steps) step(object);
  };
}

function stepsOf(selected: Selected): Rewrite[] {
  const { field, place, named, exception } = selected;
  const key = dataKeyOf(field);
  const inner =
    isObjectType(named) && field.selectionSet ? rewriteOf(field.selectionSet, named, place) : null;
  const unknown = unknownStep(key, unknownOf(selected));
  if (exception.isUsDate) return [dateStep(key)];
  if (!inner) return unknown ? [unknown] : [];
  return [
    (object) => {
      const value = object[key];
      if (value === null) unknown?.(object);
      else if (Array.isArray(value)) for (const item of value) inner(item as Data);
      else if (value !== undefined) inner(value as Data);
    },
  ];
}

/** Keys that cannot be aliases. All fields of such an object have one, so that they keep their order. */
function keySteps({ field, exception: { key } }: Selected): Rewrite[] {
  if (key === undefined) return [];
  const alias = dataKeyOf(field);
  return [
    (object) => {
      object[key] = object[alias];
      delete object[alias];
    },
  ];
}

function unknownStep(key: string, unknown: Unknown | object): Rewrite | null {
  if (unknown === 'null' || unknown === 'never') return null;
  if (unknown === 'absent')
    return (object) => {
      // Text that is unknown is "" where the schema has no null.
      if (object[key] === null || object[key] === '') delete object[key];
    };
  const value = unknown === 'empty' ? '' : unknown;
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
function usDate(date: string | null): string {
  return (date ?? '').replace(/^(\d{4})-(\d{2})-(\d{2})$/, '$2/$3/$1');
}
