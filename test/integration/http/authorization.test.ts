import { ALL_TOKEN_SCOPES } from '@vouchgraph/events/internals/catalogue/token-scope';
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERSON_ROLES } from '../../../src/domain/projects/person-role.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import {
  type EndpointActions,
  endpoints,
  type FieldActions,
  permissionOf,
  type RootKind,
  rootFields,
  VIEWERS,
  type ViewerKind,
} from '../../../tools/docs/authorization.ts';
import { type Answer, type Gateway, send, startGateway, type TestProject } from '../../support/gateway.ts';
import { routeCasesOf } from '../../support/operations/index.ts';
import { signedIn } from '../../support/people.ts';
import { MISSING_IDS } from '../../support/two-projects.ts';
import { verificationLink } from '../../support/verification.ts';

/*
 * Every root field of the schema and every endpoint, requested by every kind of viewer: the table of actions
 * determines the rejected ones. A new operation without an action fails here, and so does one whose interface
 * or service has another rule.
 */
let gateway: Gateway;
let project: TestProject;
/** Headers of each kind of viewer; a page has the token of its session. */
let credentials: Record<ViewerKind, Record<string, string>>;
let pageSession: string;

/** Headers of a person with each role. */
async function peopleOf(projectId: string): Promise<Record<string, Record<string, string>>> {
  const roles = await Promise.all(
    PERSON_ROLES.map(
      async (role) => [role, (await signedIn(gateway, projectId, role)).headers(projectId)] as const,
    ),
  );
  return Object.fromEntries(roles);
}

const NOBODY = '00000000-0000-7000-8000-000000000000';
const ACCOUNT = 'limited';

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project({ role: 'operator' });
  const { projectId } = project;
  await project.authenticate({ id: ACCOUNT });
  const keyOf = async (role: 'read' | 'server' | 'operator') => ({
    'x-api-key': (await gateway.app.projects.createKey(projectId, role)).key,
  });
  const tokenOf = async (input: Record<string, unknown>) => {
    const { createBrowserToken } = await project.graphql(
      'mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token } }',
      { input },
    );
    return { authorization: `Bearer ${createBrowserToken.token}` };
  };
  const tokensWith = async (kind: string, limit: Record<string, unknown>) =>
    Object.fromEntries(
      await Promise.all(
        ALL_TOKEN_SCOPES.map(async (scope) => [
          `${kind} ${scope}`,
          await tokenOf({ ...limit, scopes: [scope] }),
        ]),
      ),
    );
  const opened = await send(`${gateway.baseUrl}/session`, 'POST', { project_id: projectId });
  pageSession = opened.body.session_id;
  const { secret } = await verificationLink(project);
  credentials = {
    'key read': await keyOf('read'),
    'key server': await keyOf('server'),
    'key operator': await keyOf('operator'),
    ...(await tokensWith('token', { accountId: ACCOUNT })),
    ...(await tokensWith('project token', { project: true })),
    ...(await peopleOf(projectId)),
    page: { authorization: `Bearer ${opened.body.token}` },
    app: { authorization: `Bearer ${secret}` },
  } as typeof credentials;
});
afterAll(() => gateway.close());

/** A valid value that no object has: texts are the names of their fields. */
function sampleOf(type: GraphQLInputType, field: string): unknown {
  if (isNonNullType(type)) return sampleOf(type.ofType, field);
  if (isListType(type)) return [sampleOf(type.ofType, field)];
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type))
    return Object.fromEntries(
      Object.values(type.getFields())
        .filter(isRequiredInputField)
        .map(({ name, type: inner }) => [name, sampleOf(inner, name)]),
    );
  const made: Record<string, unknown> = { DateTime: '2020-01-01T00:00:00Z', Boolean: true, Int: 1, Float: 1 };
  const named = type as GraphQLNamedType;
  return made[named.name] ?? (named.name === 'String' ? field : NOBODY);
}

/** The smallest operation with a root field. */
function operationOf(kind: RootKind, field: GraphQLField<unknown, unknown>) {
  const args = field.args.filter(isRequiredArgument);
  const declared = args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const given = args.map(({ name }) => `${name}: $${name}`).join(', ');
  const parts = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : '';
  return {
    query: `${kind} ${declared && `(${declared})`} { ${field.name}${given && `(${given})`}${parts} }`,
    variables: Object.fromEntries(args.map(({ name, type }) => [name, sampleOf(type, name)])),
  };
}

const rootTypes = () => ({
  query: schema.getQueryType()!,
  mutation: schema.getMutationType()!,
  subscription: schema.getSubscriptionType()!,
});

/** Whether a viewer may perform one of the actions, on a target that is not its own. */
function isAllowed({ actions }: Pick<FieldActions, 'actions'>, viewer: ViewerKind): boolean {
  return actions.some((action) => ['yes', 'narrowed'].includes(permissionOf(action, viewer)));
}

/** `unauthenticated`, `forbidden` or `allowed`, for any other error. */
function outcomeOf({ status, body }: Pick<Answer, 'status' | 'body'>): string {
  const codes: string[] = (body?.errors ?? []).map(
    (error: { extensions?: { code?: string } }) => error.extensions?.code ?? 'none',
  );
  if (status === 401 || codes.includes('auth.unauthenticated')) return 'unauthenticated';
  if (status === 403 || codes.includes('auth.forbidden')) return 'forbidden';
  // An invalid document is no result about permissions.
  if (codes.includes('graphql.invalid') || codes.includes('none')) return `invalid ${JSON.stringify(body)}`;
  return 'allowed';
}

async function subscribe(payload: object, headers: Record<string, string>): Promise<string> {
  const stopped = new AbortController();
  const response = await fetch(`${gateway.baseUrl}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify(payload),
    signal: stopped.signal,
  });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await response.text();
    return outcomeOf({ status: response.status, body: text === '' ? null : JSON.parse(text) });
  }
  // A stream begins with a comment, or with the error that ends it.
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('\n\n')) break;
  }
  stopped.abort();
  return text.includes('auth.forbidden') ? 'forbidden' : 'allowed';
}

async function askFor(kind: RootKind, name: string, headers: Record<string, string>): Promise<string> {
  const payload = operationOf(kind, rootTypes()[kind].getFields()[name]!);
  if (kind === 'subscription') return subscribe(payload, headers);
  return outcomeOf(await send(`${gateway.baseUrl}/graphql`, 'POST', payload, headers));
}

/** Pages use only REST: GraphQL accepts no credential of theirs. */
function expectedOf(field: FieldActions, viewer: ViewerKind): string {
  if (viewer === 'page') return 'unauthenticated';
  return isAllowed(field, viewer) ? 'allowed' : 'forbidden';
}

const fieldCases = (['query', 'mutation', 'subscription'] as const).flatMap((kind) =>
  rootFields(kind).map((field) => ({ kind, field, title: `${kind} ${field.name}` })),
);

describe('a root field', () => {
  it.each(fieldCases)('$title is rejected according to the table', async ({ kind, field }) => {
    const found: Record<string, string> = {};
    const expected: Record<string, string> = {};
    for (const viewer of VIEWERS) {
      found[viewer] = await askFor(kind, field.name, credentials[viewer]);
      expected[viewer] = expectedOf(field, viewer);
    }
    found.nobody = await askFor(kind, field.name, {});
    expect(found).toEqual({ ...expected, nobody: 'unauthenticated' });
  });
});

/** Body that an endpoint accepts; undefined where it has none, or an optional one. */
function bodyOf({ method, path }: Pick<EndpointActions, 'method' | 'path'>): unknown {
  const { body, foreign } = routeCasesOf(`${method} ${path}`);
  return body ?? (typeof foreign === 'object' ? foreign.body?.(MISSING_IDS) : undefined);
}

async function askEndpoint(
  { method, path, operation }: EndpointActions,
  viewer: ViewerKind | 'nobody',
): Promise<string> {
  const session = viewer === 'page' ? pageSession : NOBODY;
  const place = path.replace('{session_id}', session).replaceAll(/\{\w+\}/g, NOBODY);
  const credential: Record<string, string> = viewer === 'nobody' ? {} : credentials[viewer];
  const known = bodyOf({ method, path });
  const headers = { ...credential, ...(typeof known === 'string' ? { 'content-type': 'text/csv' } : {}) };
  // A page opens a session with only the project's id.
  const isOpening = viewer === 'page' && operation === 'session.create';
  const body = isOpening ? { project_id: project.projectId } : known;
  const answer = await send(gateway.baseUrl + place, method, body, headers);
  expect(`${operation} ${answer.status}`).not.toMatch(/ 5\d\d$/);
  return outcomeOf(answer);
}

/** An endpoint for pages handles other credentials as missing ones. */
function expectedOfEndpoint(endpoint: EndpointActions, viewer: ViewerKind): string {
  const access = ROUTES.find(({ operation }) => operation === endpoint.operation)?.access ?? 'key';
  const isKey = viewer.startsWith('key');
  if (viewer === 'page') return access === 'key' ? 'unauthenticated' : 'allowed';
  if (access === 'collector_token' && !isKey) return 'unauthenticated';
  // Without a key the request is a page's, whose body names no project.
  if (access === 'collector' && !isKey) return 'allowed';
  return isAllowed(endpoint, viewer) ? 'allowed' : 'forbidden';
}

describe('an endpoint', () => {
  it.each(endpoints())('$method $path is rejected according to the table', async (endpoint) => {
    const found: Record<string, string> = {};
    const expected: Record<string, string> = {};
    for (const viewer of VIEWERS) {
      found[viewer] = await askEndpoint(endpoint, viewer);
      expected[viewer] = expectedOfEndpoint(endpoint, viewer);
    }
    expect(found).toEqual(expected);
    const isOpening = endpoint.operation === 'session.create';
    expect(await askEndpoint(endpoint, 'nobody')).toBe(isOpening ? 'allowed' : 'unauthenticated');
  });
});

describe('an app with the secret of a verification', () => {
  it('reads no object by its global id', async () => {
    const { account } = await project.graphql('query ($id: ID!) { account(accountId: $id) { id } }', {
      id: ACCOUNT,
    });
    const query = 'query ($id: ID!) { node(id: $id) { id } nodes(ids: [$id]) { id } }';
    const payload = { query, variables: { id: account.id } };
    const { body } = await send(`${gateway.baseUrl}/graphql`, 'POST', payload, credentials.app);
    expect(body.data?.node ?? null).toBeNull();
    expect(body.errors[0].extensions.code).toBe('auth.forbidden');
  });
});
