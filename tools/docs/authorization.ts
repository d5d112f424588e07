import { ALL_TOKEN_SCOPES } from '@vouchgraph/events/internals/catalogue/token-scope';
import {
  type DocumentNode,
  type GraphQLField,
  getOperationAST,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { ACTIONS, type Action, accessOf } from '../../src/domain/projects/actions.ts';
import { includesPersonRole } from '../../src/domain/projects/person-role.ts';
import { schema } from '../../src/graphql/schema.ts';
import { openApiDocument } from '../../src/http/rest/openapi/openapi.ts';
import { ROUTES } from '../../src/http/rest/routes/routes.ts';

const KEYS = ['key read', 'key server', 'key operator'] as const;
const PEOPLE = ['viewer', 'analyst', 'admin'] as const;

/** Kinds of viewers, in the order of the matrix. A token has one scope; `token` is one of an account or a session. */
export const VIEWERS = [
  ...KEYS,
  ...PEOPLE,
  ...ALL_TOKEN_SCOPES.map((scope) => `token ${scope}` as const),
  ...ALL_TOKEN_SCOPES.map((scope) => `project token ${scope}` as const),
  'page',
  'app',
] as const;
export type ViewerKind = (typeof VIEWERS)[number];

/** `own`: for the account or session that the token is limited to, else auth.forbidden; `narrowed`: else not found. */
export type Permission = 'yes' | 'own' | 'narrowed' | 'no';

const KEY_RANKS = { read: 0, server: 1, operator: 2 } as const;
const TOKEN = /^(?<project>project )?token (?<scope>\w+)$/;

/** What the table of actions says of a kind of viewer. */
export function permissionOf(action: Action, viewer: ViewerKind): Permission {
  const { role, people, tokens, collector, secret } = accessOf(action);
  const person = PEOPLE.find((each) => each === viewer);
  if (person) return people !== null && includesPersonRole(person, people) ? 'yes' : 'no';
  if (viewer === 'page') return collector ? 'yes' : 'no';
  if (viewer === 'app') return secret ? 'yes' : 'no';
  const token = TOKEN.exec(viewer)?.groups;
  if (token) {
    const isOneOf = (scopes: readonly string[]) => scopes.includes(token.scope!);
    if (!tokens || !isOneOf(tokens.scopes) || (tokens.also && !isOneOf(tokens.also))) return 'no';
    if (token.project) return 'yes';
    return tokens.reach === 'project' ? 'no' : tokens.reach;
  }
  const held = viewer.slice('key '.length) as keyof typeof KEY_RANKS;
  return role !== null && KEY_RANKS[held] >= KEY_RANKS[role] ? 'yes' : 'no';
}

/** A field of the schema with the actions of which a viewer needs one. */
export type FieldActions = { readonly name: string; readonly actions: readonly Action[] };
export type RootKind = 'query' | 'mutation' | 'subscription';

/** All root fields. Throws for one without an action. */
export function rootFields(kind: RootKind): FieldActions[] {
  const types = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  };
  return Object.values(types[kind]!.getFields())
    .map((field) => ({ name: field.name, actions: actionsOf(field, false) }))
    .map((field) => {
      if (field.actions.length === 0)
        throw new Error(`${field.name}: has no action: give it authScopes: { may: … } (actions.ts)`);
      return field;
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Fields of other types that need an action of their own. */
export function guardedFields(): FieldActions[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !roots.includes(type))
    .flatMap((type) =>
      Object.values(isObjectType(type) ? type.getFields() : {}).map((field) => ({
        name: `${type.name}.${field.name}`,
        actions: actionsOf(field, false),
      })),
    )
    .filter(({ actions }) => actions.length > 0);
}

type Scopes = { readonly may?: Action; readonly $any?: Scopes; readonly $all?: Scopes };

/** The actions that a field asks for; `isTrusted` for a document of REST. */
function actionsOf(field: GraphQLField<unknown, unknown>, isTrusted: boolean): Action[] {
  const { authScopes } = (field.extensions.pothosOptions ?? {}) as {
    authScopes?: Scopes | ((root: unknown, args: unknown, context: unknown) => Scopes);
  };
  if (authScopes === undefined) return [];
  const scopes =
    typeof authScopes === 'function' ? authScopes({}, {}, { isTrustedDocument: isTrusted }) : authScopes;
  return namedActions(scopes);
}

function namedActions({ may, $any, $all }: Scopes): Action[] {
  return [...(may ? [may] : []), ...($any ? namedActions($any) : []), ...($all ? namedActions($all) : [])];
}

/** A documented endpoint with the actions of which a viewer needs one. */
export type EndpointActions = {
  readonly method: string;
  readonly path: string;
  readonly operation: string;
  readonly actions: readonly Action[];
};

/** Endpoints that stream files instead of running a document. */
const STREAMED: Readonly<Record<string, Action>> = {
  'email.list_imports': 'email_import.read',
  'email.import': 'email_import.write',
  'email.find_import': 'email_import.read',
  'email.resume_import': 'email_import.write',
  'email.erase_import': 'email_import.erase',
  'email.import_problems': 'email_import.read',
  'email.import_result': 'email_import.read_result',
};

/** All endpoints of the REST interface. Throws for one without an action. */
export function endpoints(): EndpointActions[] {
  const { paths } = openApiDocument('');
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { operationId: string }>).map(
      ([method, { operationId: operation }]) => ({
        method: method.toUpperCase(),
        path,
        operation,
        actions: actionsOfEndpoint(operation),
      }),
    ),
  );
}

function actionsOfEndpoint(operation: string): readonly Action[] {
  const streamed = STREAMED[operation];
  if (streamed) return [streamed];
  const route = ROUTES.find((each) => each.operation === operation);
  const actions = route ? actionsOfDocument(route.document as DocumentNode) : [];
  if (actions.length === 0) throw new Error(`${operation}: has no action`);
  return actions;
}

/** The actions of the one root field of a document. */
function actionsOfDocument(document: DocumentNode): Action[] {
  const { operation, selectionSet } = getOperationAST(document) as OperationDefinitionNode;
  const [selection] = selectionSet.selections;
  const type = operation === 'query' ? schema.getQueryType()! : schema.getMutationType()!;
  if (selection?.kind !== Kind.FIELD) return [];
  const field = type.getFields()[selection.name.value];
  return field ? actionsOf(field, true) : [];
}

/** All actions in the order of the table. */
export const ALL_ACTIONS = Object.keys(ACTIONS) as Action[];
