import {
  buildSchema,
  type BreakingChange as Change,
  type DangerousChange,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  isInputObjectType,
  BreakingChangeType as Type,
} from 'graphql';
import type { BreakingChange } from './change.ts';

/** Breaking changes between two schemas in the schema definition language. */
export function compareSchemas(before: string, after: string): BreakingChange[] {
  const [old, now] = [buildSchema(before), buildSchema(after)];
  return [...findBreakingChanges(old, now).map(changeOf), ...restrictedInputs(old, now)];
}

/** Changes that are not breaking, and that a client with a closed list of values or types has to know. */
export function widenedSchemas(before: string, after: string): BreakingChange[] {
  return findDangerousChanges(buildSchema(before), buildSchema(after))
    .filter(({ type }) => WIDENED.has(type))
    .map(changeOf);
}

const WIDENED: ReadonlySet<string> = new Set([
  DangerousChangeType.VALUE_ADDED_TO_ENUM,
  DangerousChangeType.TYPE_ADDED_TO_UNION,
  DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE,
]);

/** Inputs that became `@oneOf`, which graphql-js does not compare. */
function restrictedInputs(before: GraphQLSchema, after: GraphQLSchema): BreakingChange[] {
  return Object.values(before.getTypeMap()).flatMap((type) => {
    const now = after.getType(type.name);
    if (!isInputObjectType(type) || !isInputObjectType(now) || type.isOneOf || !now.isOneOf) return [];
    return [{ coordinate: type.name, description: `${type.name} accepts exactly one field now.` }];
  });
}

function changeOf(change: Change | DangerousChange): BreakingChange {
  return { coordinate: coordinateOf(change), description: change.description };
}

/** Descriptions of graphql-js, and the groups of them that form a coordinate. */
const COORDINATES: Partial<Record<Type | DangerousChangeType, { pattern: RegExp; coordinate: string }>> = {
  [Type.TYPE_REMOVED_FROM_UNION]: {
    pattern: /^(\w+) was removed from union type (\w+)/,
    coordinate: '$2.$1',
  },
  [Type.VALUE_REMOVED_FROM_ENUM]: { pattern: /^(\w+) was removed from enum type (\w+)/, coordinate: '$2.$1' },
  [Type.REQUIRED_INPUT_FIELD_ADDED]: {
    pattern: /^A required field (\w+) on input type (\w+)/,
    coordinate: '$2.$1',
  },
  [Type.IMPLEMENTED_INTERFACE_REMOVED]: { pattern: /^(\w+) no longer implements/, coordinate: '$1' },
  [Type.ARG_REMOVED]: { pattern: /^(\w+)\.(\w+) arg (\w+) was removed/, coordinate: '$1.$2($3:)' },
  [Type.ARG_CHANGED_KIND]: { pattern: /^(\w+)\.(\w+) arg (\w+) has changed/, coordinate: '$1.$2($3:)' },
  [Type.REQUIRED_ARG_ADDED]: { pattern: /^A required arg (\w+) on (\w+)\.(\w+)/, coordinate: '$2.$3($1:)' },
  [DangerousChangeType.VALUE_ADDED_TO_ENUM]: {
    pattern: /^(\w+) was added to enum type (\w+)/,
    coordinate: '$2.$1',
  },
  [DangerousChangeType.TYPE_ADDED_TO_UNION]: {
    pattern: /^(\w+) was added to union type (\w+)/,
    coordinate: '$2.$1',
  },
  [DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE]: {
    pattern: /^(\w+)\.(\w+) arg (\w+)/,
    coordinate: '$1.$2($3:)',
  },
  [Type.DIRECTIVE_REMOVED]: { pattern: /^@?(\w+) was removed/, coordinate: '@$1' },
  [Type.DIRECTIVE_ARG_REMOVED]: { pattern: /^(\w+) was removed from @?(\w+)/, coordinate: '@$2($1:)' },
  [Type.REQUIRED_DIRECTIVE_ARG_ADDED]: {
    pattern: /^A required arg (\w+) on directive @?(\w+)/,
    coordinate: '@$2($1:)',
  },
};

/** A type, or one of its fields. */
const NAMED = { pattern: /^(?:Standard scalar )?(\w+(?:\.\w+)?)\b/, coordinate: '$1' };

function coordinateOf({ type, description }: Change | DangerousChange): string {
  const { pattern, coordinate } = COORDINATES[type] ?? NAMED;
  const match = pattern.exec(description);
  if (!match) throw new Error(`A change without a known form: ${description}`);
  return coordinate.replace(/\$(\d)/g, (_, group) => match[Number(group)]!);
}
