import {
  type ASTNode,
  BREAK,
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLError,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  Kind,
  type NameNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { schema } from '../../graphql/schema.ts';

/*
 * Where in the input of a field a mistake is: names and indexes from the argument down, as the client spells them. It is
 * worked out for errors alone, from the document that was executed or refused.
 */
export type InputPath = readonly (string | number)[];

/** Levels below an argument that are searched for a name. */
const MAX_LEVELS = 4;

/** Longest name of a path. Names of the schema are shorter; a client's own can have any length. */
const MAX_NAME = 100;

/** A path as it is sent: an error does not repeat long names. */
export function boundedPath(path: InputPath): InputPath {
  return path.map((part) =>
    typeof part === 'string' && part.length > MAX_NAME ? `${part.slice(0, MAX_NAME)}…` : part,
  );
}

/**
 * The path of an error of a resolver or a service. A service knows its own input, which can be a part of the field's: its
 * path is searched below the arguments of the field that failed.
 */
export function placeInput(error: GraphQLError, path: InputPath, document: DocumentNode): InputPath {
  const field = error.nodes?.find(({ kind }) => kind === Kind.FIELD);
  const args = field ? argumentsOf(field, document) : [];
  for (let start = 0; start < path.length; start += 1) {
    const found = findBelow(args, path.slice(start));
    if (found) return found;
  }
  return path;
}

/** The path of an error that GraphQL found in a variable or a value of the document; undefined for other errors. */
export function pathOfValue(error: GraphQLError, document: DocumentNode): InputPath | undefined {
  const [node] = error.nodes ?? [];
  const found = node?.kind === Kind.VARIABLE_DEFINITION ? pathInVariable(error, document) : undefined;
  const place =
    found ?? (node && node.kind !== Kind.VARIABLE_DEFINITION ? pathOfNode(node, document) : undefined);
  if (!place) return undefined;
  const name = namedIn(error.originalError?.message ?? error.message);
  const path = name === undefined || place.at(-1) === name ? place : [...place, name];
  return path.length > 0 ? path : undefined;
}

/** The field of an input, or the argument, that a message of GraphQL names as unknown or missing. */
function namedIn(message: string): string | undefined {
  const match =
    /^Field "(?:\w+\.)?(\w+)" (?:is not defined by type|of required type)/.exec(message) ??
    /^(?:Argument|Field "\w+" argument) "(\w+)" of (?:required )?type/.exec(message);
  return match?.[1];
}

function argumentsOf(field: ASTNode, document: DocumentNode): readonly GraphQLArgument[] {
  const types = new TypeInfo(schema);
  let found: readonly GraphQLArgument[] = [];
  const visitor = {
    Field(node: ASTNode) {
      if (node !== field) return undefined;
      found = types.getFieldDef()?.args ?? [];
      return BREAK;
    },
  };
  visit(document, visitWithTypeInfo(types, visitor));
  return found;
}

type Place = {
  readonly path: InputPath;
  readonly fields: readonly { name: string; type: GraphQLInputType }[];
};

/** The first place, level by level, where the whole path exists. */
function findBelow(args: readonly GraphQLArgument[], path: InputPath): InputPath | null {
  let level: Place[] = [{ path: [], fields: args }];
  for (let depth = 0; depth < MAX_LEVELS; depth += 1) {
    const place = level.find(({ fields }) => existsIn(fields, path));
    if (place) return [...place.path, ...path];
    level = level.flatMap(({ path: above, fields }) =>
      fields.flatMap(({ name, type }) => {
        const inner = getNullableType(type);
        return isInputObjectType(inner)
          ? [{ path: [...above, name], fields: Object.values(inner.getFields()) }]
          : [];
      }),
    );
  }
  return null;
}

function existsIn(fields: Place['fields'], [name, ...rest]: InputPath): boolean {
  const field = fields.find((each) => each.name === name);
  return field !== undefined && fits(field.type, rest);
}

function fits(type: GraphQLInputType, path: InputPath): boolean {
  const inner = getNullableType(type);
  const [first, ...rest] = path;
  if (first === undefined) return true;
  if (isListType(inner)) return typeof first === 'number' && fits(inner.ofType, rest);
  // Keys inside JSON are the client's own.
  if (isLeafType(inner)) return inner.name.startsWith('JSON');
  return existsIn(Object.values(inner.getFields()), path);
}

/** ` at "input.emails[1].email"` of a message, with the place where the document uses the variable. */
function pathInVariable(error: GraphQLError, document: DocumentNode): InputPath | undefined {
  const name = /^Variable "\$(\w+)"/.exec(error.message)?.[1];
  if (name === undefined) return undefined;
  const start = pathOfVariable(name, document);
  const reason = error.originalError?.message;
  const prefix = reason === undefined ? '' : error.message.slice(0, -`; ${reason}`.length);
  const place = / at "([^"]*)"$/.exec(prefix)?.[1] ?? '';
  const inside = [...place.matchAll(/\.(\w+)|\[(\d+)\]/g)].map(([, key, index]) => key ?? Number(index));
  return start && [...start, ...inside];
}

function pathOfVariable(name: string, document: DocumentNode): InputPath | undefined {
  let found: InputPath | undefined;
  visit(document, {
    VariableDefinition: () => false,
    Variable(node, _key, _parent, keys) {
      if (node.name.value !== name) return undefined;
      found = inputPathOfKeys(document, keys);
      return found && BREAK;
    },
  });
  return found;
}

function pathOfNode(target: ASTNode, document: DocumentNode): InputPath | undefined {
  let found: InputPath | undefined;
  visit(document, {
    enter(node, _key, _parent, keys) {
      if (node !== target) return undefined;
      found = node.kind === Kind.FIELD ? [] : inputPathOfKeys(document, keys);
      return BREAK;
    },
  });
  return found;
}

/** Names of the argument and of the fields inside it, on the way to a node; undefined outside of a field's arguments. */
function inputPathOfKeys(document: DocumentNode, keys: readonly (string | number)[]): InputPath | undefined {
  let node: unknown = document;
  let path: (string | number)[] | undefined;
  let isDirective = false;
  for (const [index, key] of keys.entries()) {
    node = (node as Record<string | number, unknown>)[key];
    const { kind, name } = node as { kind?: Kind; name?: NameNode };
    if (kind === Kind.DIRECTIVE) isDirective = true;
    if (kind === Kind.ARGUMENT) path = [name!.value];
    else if (kind === Kind.OBJECT_FIELD) path?.push(name!.value);
    else if (typeof key === 'number' && keys[index - 1] === 'values') path?.push(key);
  }
  return isDirective ? undefined : path;
}
