import {
  type GraphQLArgument,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';

/*
 * Conventions of the public schema that no compiler checks. A new type or field that breaks one fails here; an exception
 * needs a reason in a table.
 */

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);
const objects = types.filter(isObjectType);
const roots = [schema.getQueryType()!, schema.getMutationType()!, schema.getSubscriptionType()!];
const nodeInterface = schema.getType('Node') as GraphQLInterfaceType;
const nodes = schema.getPossibleTypes(nodeInterface);

type Text = { place: string; text: string; type: string };

/** All elements of the schema with a description. */
const TEXTS: Text[] = types.flatMap((type): Text[] => {
  const own = { place: type.name, text: type.description ?? '', type: '' };
  if (isEnumType(type))
    return [
      own,
      ...type.getValues().map(({ name, description }) => ({
        place: `${type.name}.${name}`,
        text: description ?? '',
        type: '',
      })),
    ];
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [own];
  const fields = Object.values(type.getFields()).flatMap((field) => [
    { place: `${type.name}.${field.name}`, text: field.description ?? '', type: String(field.type) },
    ...('args' in field ? (field.args as readonly GraphQLArgument[]) : []).map((argument) => ({
      place: `${type.name}.${field.name}(${argument.name}:)`,
      text: argument.description ?? '',
      type: String(argument.type),
    })),
  ]);
  return [own, ...fields];
});

const breaking = (isBroken: (text: Text) => boolean) =>
  TEXTS.filter(isBroken).map(({ place, text }) => `${place}: ${text}`);

describe('a description', () => {
  it('ends with its errors: codes, each with its condition in parentheses', () => {
    const CODE = '`[a-z_]+\\.[a-z0-9_]+`( \\([^)]+\\))?';
    const ERRORS = new RegExp(`Errors: ${CODE}(, ${CODE})*\\.$`);
    expect(TEXTS.length).toBeGreaterThan(2900);
    expect(breaking(({ text }) => /\berrors?:/i.test(text) && !ERRORS.test(text))).toEqual([]);
  });
});

describe('an id of an account', () => {
  // Arguments that are ids of accounts under another name.
  const ENDS = ['linkPath(from:)', 'linkPath(to:)', 'whyNotLinked(a:)', 'whyNotLinked(b:)'];
  const isAccountId = (place: string) =>
    /accountIds?(:\))?$/i.test(place) || ENDS.some((end) => place === `Query.${end}`);

  it('has the type ID in every field, argument and input', () => {
    const ids = TEXTS.filter(({ place }) => isAccountId(place));
    expect(ids.length).toBeGreaterThan(60);
    expect(ids.filter(({ type }) => !/^\[?ID!?\]?!?$/.test(type)).map(({ place }) => place)).toEqual([]);
  });
});

describe('a closed set', () => {
  it('is an enum: no text lists its values', () => {
    const isListed = ({ text, type }: Text) =>
      /^\[?String/.test(type) &&
      /\b(one of( the words)?:|either [\w`]+ or|[A-Z]{3,}(, [A-Z_]{3,})+ (or|and) [A-Z_]{3,})/.test(text);
    expect(breaking(isListed)).toEqual([]);
  });

  it('has values in upper case', () => {
    const values = types
      .filter(isEnumType)
      .flatMap((type) => type.getValues().map(({ name }) => `${type.name}.${name}`));
    expect(values.filter((value) => !/\.[A-Z][A-Z0-9_]*$/.test(value))).toEqual([]);
  });
});

describe('a root field', () => {
  it('is nullable, so that its error keeps the rest of the response', () => {
    const fields = roots.flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })));
    expect(fields.length).toBeGreaterThan(80);
    expect(fields.filter(({ field }) => isNonNullType(field.type)).map(({ field }) => field.name)).toEqual(
      [],
    );
  });
});

describe('a list of objects with an identity', () => {
  /** Lists that a response contains completely: their limit, or the reason. Every other list is a connection. */
  const WHOLE: Readonly<Record<string, string>> = {
    'Account.keptOffLists': 'removals of one account with keepOff',
    'Account.lists': 'memberships of one account, which its row contains',
    'Backtest.sample': '20',
    'LinkGraph.nodes': 'maxNodes, 500',
    'LinkPath.nodes': 'maxDepth + 1, 7',
    'Query.activeReveals': '100',
    'Query.nodes': '100 ids',
    'SessionScore.linkedAccounts': 'first, 100',
    'Verification.accountMatches': '1,500',
  };

  it('is a connection unless a response contains it completely', () => {
    const isList = (type: GraphQLOutputType): boolean =>
      isNonNullType(type) ? isList(type.ofType) : isListType(type);
    const namesNode = (type: GraphQLObjectType | GraphQLInterfaceType) =>
      type.name === 'Node' ||
      nodes.includes(type as GraphQLObjectType) ||
      Object.values(type.getFields()).some(({ type: field }) =>
        ['Account', 'Session', 'List'].includes(getNamedType(field).name),
      );
    const lists = objects
      // Payloads return the objects of their input, which has a limit.
      .filter(({ name }) => !/(Connection|Payload)$/.test(name))
      .flatMap((type) =>
        Object.values(type.getFields())
          .filter(({ type: field }) => isList(field))
          .filter(({ type: field }) => {
            const item = getNamedType(field);
            return (isObjectType(item) || isInterfaceType(item)) && namesNode(item);
          })
          .map(({ name }) => `${type.name}.${name}`),
      );
    expect(lists.sort()).toEqual(Object.keys(WHOLE));
  });

  it('has the arguments of a connection', () => {
    const connections = objects
      .filter(
        ({ name }) => !roots.some((root) => root.name === name && root === schema.getSubscriptionType()),
      )
      .flatMap((type) =>
        Object.values(type.getFields())
          .filter((field) => /Connection!?$/.test(String(field.type)))
          .map((field) => ({
            place: `${type.name}.${field.name}`,
            args: field.args.map(({ name }) => name),
          })),
      );
    expect(connections.length).toBeGreaterThan(25);
    const lacking = connections.filter(({ args }) =>
      ['first', 'after', 'last', 'before'].some((each) => !args.includes(each)),
    );
    expect(lacking).toEqual([]);
  });
});

describe('a type with an identity', () => {
  it('is a node with a non-null global id', () => {
    expect(nodes.length).toBeGreaterThan(35);
    const withId = objects.filter((type) => String(type.getFields().id?.type) === 'ID!');
    expect(withId.map(({ name }) => name).sort()).toEqual(nodes.map(({ name }) => name).sort());
  });
});

describe('an argument or input field that takes a global id', () => {
  const GLOBAL = /^Global id of the [a-z]+(?<plain>, or its (?<field>[a-z]+Id))?\./;
  const taken = TEXTS.filter(
    ({ place, text, type }) =>
      type.startsWith('ID') && /\(|Input\.|Filter\./.test(place) && text.startsWith('Global id '),
  );

  it('takes the UUID too that a field of the object shows, and names this field', () => {
    expect(taken.length).toBeGreaterThan(20);
    const fields = new Set(nodes.flatMap((type) => Object.keys(type.getFields())));
    const wrong = taken.filter(({ text }) => !fields.has(GLOBAL.exec(text)?.groups?.field ?? ''));
    expect(wrong.map(({ place }) => place)).toEqual([]);
  });
});
