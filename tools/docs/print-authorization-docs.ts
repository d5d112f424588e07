/*
 * Writes the tables of docs/authorization.md from the code: `npm run generate:docs`. What stands between the markers is
 * replaced; the rest of the page is written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { ALL_TOKEN_SCOPES, TOKEN_SCOPES } from '@vouchgraph/events/internals/catalogue/token-scope';
import type { GraphQLInterfaceType, GraphQLObjectType } from 'graphql';
import { type Action, accessOf } from '../../src/domain/projects/actions.ts';
import {
  declaredOf,
  declaredOfType,
  objectTypes,
  type TokenRule,
} from '../../src/graphql/kernel/declared-facts.ts';
import { schema } from '../../src/graphql/schema.ts';
import {
  ALL_ACTIONS,
  endpoints,
  guardedFields,
  permissionOf,
  type RootKind,
  rootFields,
  type ViewerKind,
} from './authorization.ts';
import { replaceBetweenMarkers } from './page-markers.ts';

const FILE = new URL('../../docs/authorization.md', import.meta.url);

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' or ');
const SHOWN = [
  'key read',
  'key server',
  'key operator',
  'viewer',
  'analyst',
  'admin',
  'page',
  'app',
] as const satisfies readonly ViewerKind[];

/** What tokens with one of the scopes of an action may do: the same for each scope. */
function tokenCells(action: Action): string[] {
  const { tokens } = accessOf(action);
  if (!tokens) return ['', 'no', 'no'];
  const { scopes, also, reach } = tokens;
  const text = (of: readonly string[]) => of.map((scope) => `\`${scope}\``).join(', ');
  return [
    scopes.length === ALL_TOKEN_SCOPES.length
      ? 'any'
      : `${text(scopes)}${also ? ` and one of ${text(also)}` : ''}`,
    reach === 'project' ? 'no' : reach,
    'yes',
  ];
}

const matrix = table(
  ['action', ...SHOWN, 'scopes', 'token', 'project token', 'meaning'],
  ALL_ACTIONS.map((action) => [
    `\`${action}\``,
    ...SHOWN.map((viewer) => permissionOf(action, viewer)),
    ...tokenCells(action),
    accessOf(action).description,
  ]),
);

const scopes = table(
  ['scope', 'readable'],
  ALL_TOKEN_SCOPES.map((scope) => [`\`${scope}\``, TOKEN_SCOPES[scope]]),
);

const ruleText = (rule: TokenRule) => {
  if (rule === 'never') return 'key only';
  return rule === 'any' ? 'any' : code(rule);
};

type TypeRules = { name: string; rule: TokenRule; fields: ReadonlyMap<string, TokenRule> };

/** The fields of a type or an interface with a rule of their own. */
function ownRules(type: GraphQLObjectType | GraphQLInterfaceType): Map<string, TokenRule> {
  return new Map(
    Object.values(type.getFields()).flatMap((field) => {
      const { tokenScopes } = declaredOf(field);
      return tokenScopes === undefined ? [] : [[field.name, tokenScopes] as const];
    }),
  );
}

/** Rules of the types by name. Types of events are one row, apart from those that change a rule of their interface. */
function tokenRules(): TypeRules[] {
  const event = schema.getType('Event') as GraphQLInterfaceType;
  const ofEvent = [...ownRules(event)];
  const types = objectTypes(schema).map((type) => {
    const fields = ownRules(type);
    const isEvent = type.getInterfaces().includes(event);
    const isShared = isEvent && ofEvent.every(([name, rule]) => String(fields.get(name)) === String(rule));
    return { name: type.name, rule: declaredOfType(type).tokenScopes!, fields, isShared };
  });
  const shared = types.filter(({ isShared }) => isShared);
  const events: TypeRules = {
    name: event.name,
    rule: shared[0]!.rule,
    fields: new Map(shared.flatMap(({ fields }) => [...fields])),
  };
  return [...types.filter(({ isShared }) => !isShared), events].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Types that need a scope of their own; the fields of the others are those of their parents. */
const tokenFields = table(
  ['type', 'fields', 'scope'],
  tokenRules().flatMap(({ name, rule, fields }) => {
    const isReadable = rule !== 'never' || [...fields.values()].some((own) => own !== 'never');
    if (!isReadable) return [];
    const byRule = Map.groupBy(fields, ([, own]) => ruleText(own));
    const named = [...byRule].map(([text, own]) => [
      `\`${name}\``,
      own.map(([field]) => `\`${field}\``).join(', '),
      text,
    ]);
    const all =
      rule === 'any' ? [] : [[`\`${name}\``, fields.size === 0 ? 'all' : 'all others', ruleText(rule)]];
    return [...named, ...all];
  }),
);

const fieldRows = (kind: RootKind) =>
  rootFields(kind).map(({ name, actions }) => [kind, `\`${name}\``, code(actions)]);
const fields = table(
  ['type', 'field', 'action'],
  [
    ...fieldRows('query'),
    ...fieldRows('mutation'),
    ...fieldRows('subscription'),
    ...guardedFields().map(({ name, actions }) => ['object', `\`${name}\``, code(actions)]),
  ],
);

const rest = table(
  ['endpoint', 'action'],
  endpoints().map(({ method, path, actions }) => [`\`${method} ${path}\``, code(actions)]),
);

let page = readFileSync(FILE, 'utf8');
page = replaceBetweenMarkers(page, 'scopes', scopes);
page = replaceBetweenMarkers(page, 'tokens', tokenFields);
page = replaceBetweenMarkers(page, 'actions', matrix);
page = replaceBetweenMarkers(page, 'fields', fields);
page = replaceBetweenMarkers(page, 'endpoints', rest);
writeFileSync(FILE, page);
