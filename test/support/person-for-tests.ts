import { type DocumentNode, parse } from 'graphql';
import { expect, vi } from 'vitest';
import type { Viewer } from '../../src/domain/projects/access-service.ts';
import type { PersonRole } from '../../src/domain/projects/person-role.ts';
import { createContext, type GraphQLContext } from '../../src/graphql/kernel/context.ts';
import type { Sink } from '../../src/http/events/subscriber.ts';
import { runDocument } from '../../src/http/graphql/execute.ts';
import { restSchema } from '../../src/http/rest/rest-schema.ts';
import { answerRoute, matchRoute } from '../../src/http/rest/router.ts';
import type { Body, Gateway, TestProject } from './gateway.ts';

/*
 * A person of the console, without a sign-in: its viewer is made here and passed to the parts of a real gateway. To be replaced by
 * requests with the cookie of a person.
 */

const CONNECTION = { ip: '127.0.0.1', headers: {}, edge: {}, browserId: '' };
const REQUEST_ID = '00000000-0000-7000-8000-000000000001';

export type PersonForTests = {
  readonly viewer: Viewer;
  /** A GraphQL document, without limits of cost; its whole response. */
  raw(document: string | DocumentNode, variables?: Record<string, unknown>): Promise<Body>;
  /** The same without errors; its data. */
  graphql(document: string | DocumentNode, variables?: Record<string, unknown>): Promise<Body>;
  /** A route of REST; the body of its answer. */
  rest(method: string, path: string, body?: unknown): Promise<Body>;
  /** Results of a subscription, as they arrive. */
  subscribe(document: string): Promise<{ readonly results: Body[]; stop(): void }>;
};

/** A person with a role in a project; several with the same id are the same person. */
export async function personForTests(
  { app }: Gateway,
  { projectId }: TestProject,
  personRole: PersonRole = 'admin',
  personId: string = crypto.randomUUID(),
): Promise<PersonForTests> {
  const project = (await app.parts.storage.access.findProjectById(projectId))!;
  const actor = `person:${personId}`;
  const viewer: Viewer = {
    project,
    kind: 'person',
    role: null,
    personRole,
    personId,
    actor,
    limitKey: actor,
  };
  return callerFor(app, viewer);
}

/** The same for the key of a project, to compare what both read. */
export async function keyForTests({ app }: Gateway, { key }: TestProject): Promise<PersonForTests> {
  return callerFor(app, await app.parts.storage.access.viewerOfKey(key));
}

function callerFor(app: Gateway['app'], viewer: Viewer): PersonForTests {
  const { services } = app.parts.domain;
  const { log } = app.parts.start;
  const context = (): GraphQLContext =>
    createContext(services, {
      viewer,
      requestId: REQUEST_ID,
      connection: CONNECTION,
      isTrustedDocument: true,
    });
  const documentOf = (document: string | DocumentNode) =>
    typeof document === 'string' ? parse(document) : document;
  const caller: PersonForTests = {
    viewer,
    raw: async (document, variables) => {
      const result = await runDocument(documentOf(document), variables, undefined, context(), log);
      return JSON.parse(JSON.stringify(result));
    },
    async graphql(document, variables) {
      const { data, errors } = await caller.raw(document, variables);
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    },
    async rest(method, path, body) {
      const url = new URL(path, 'http://localhost');
      const matched = matchRoute(method, url.pathname)!;
      const { projectId, settings } = viewer.project;
      const { twoValuedDecision } = settings;
      const meta = { requestId: REQUEST_ID, projectId, at: new Date(), twoValuedDecision };
      const answer = await answerRoute(matched, url.searchParams, body, meta, (document, variables) =>
        runDocument(document, variables as Body, undefined, context(), log, undefined, restSchema),
      );
      return JSON.parse(String(answer.body));
    },
    async subscribe(source) {
      const document = parse(source);
      const request = {
        source,
        document,
        operationName: undefined,
        variables: undefined,
        context: context(),
      };
      const opened = await app.parts.http.subscriptions.open(request);
      if ('errors' in opened) throw new Error(JSON.stringify(opened.errors));
      const results: Body[] = [];
      const subscriber = opened.start(sinkInto(results));
      // Events after this moment are received.
      await vi.waitFor(() => expect(subscriber.position).not.toBeNull(), { timeout: 50_000, interval: 5 });
      return { results, stop: () => subscriber.stop() };
    },
  };
  return caller;
}

function sinkInto(results: Body[]): Sink {
  return {
    send: (result) => results.push(JSON.parse(result.event().toString().split('data: ')[1]!)),
    waitingBytes: 0,
    flushed: async () => {},
    inTurn: (work) => work(),
    fail: (error) => results.push({ error: String(error) }),
    disconnectSlow: () => {},
  };
}
