import { buildSchema, type OperationDefinitionNode, parse, print, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../acceptance/gateway-process.ts';
import {
  DOCUMENTS,
  differencesOf,
  isRunElsewhere,
  readDocument,
  type Snippet,
  snippetsOf,
} from '../../support/documents.ts';
import type { Answer, TestProject } from '../../support/gateway.ts';
import { type DocumentGateway, openDocumentGateway, seedProject } from './world.ts';

/*
 * The GraphQL operations of the documents, executed with an operator key in a project that has the objects that they name. A
 * note `refused: CODE` before a snippet names the error that it shows; a note `answer` before a JSON snippet compares it
 * with the answer of the operation before it.
 */

const schema = buildSchema(readDocument('schema.graphql'));

let opened: DocumentGateway;
let project: TestProject;
let ids: Record<string, string>;

beforeAll(async () => {
  opened = await openDocumentGateway();
  project = await seedProject(opened.gateway);
  ids = await makeObjects();
});
afterAll(() => opened.close());

/** Objects that operations take by id, under the field that takes them. */
async function makeObjects(): Promise<Record<string, string>> {
  const { createRule } = await project.graphql(
    `mutation { createRule(input: { name: "seeded", trigger: ANY_SESSION, expression: "session.bot >= 0", state: SHADOW,
      actions: [{ raiseFlag: "seen" }] }) { rule { id } } }`,
  );
  const { account } = await project.graphql(
    '{ account(accountId: "alice") { lastSession { sessionId } decisions(first: 1) { edges { node { id } } } } }',
  );
  const { createVerificationSession } = await project.graphql(
    'mutation { createVerificationSession(input: { kind: ID_CHECK }) { verification { sessionId } } }',
  );
  return {
    account: 'alice',
    rule: createRule.rule.id,
    updateRule: createRule.rule.id,
    session: account.lastSession.sessionId,
    replayDecision: account.decisions.edges[0].node.id,
    backtest: await makeBacktest(),
    rejectVerification: await makeCompletedCheck(),
    createVerificationUpload: createVerificationSession.verification.sessionId,
  };
}

async function makeBacktest(): Promise<string> {
  const { backtestRule } = await project.graphql(
    'mutation { backtestRule(input: { expression: "session.bot >= 0", trigger: ANY_SESSION, since: "2026-01-01T00:00:00.000Z" }) { backtest { id } } }',
  );
  const { id } = backtestRule.backtest;
  await until('the backtest', async () => {
    const { backtest } = await project.graphql('query ($id: ID!) { backtest(id: $id) { backtestState } }', {
      id,
    });
    return backtest.backtestState === 'DONE';
  });
  return id;
}

async function makeCompletedCheck(): Promise<string> {
  const route = '/liveness/session?id=true&simulate=success&simulate_decision=Real';
  const { body } = await project.rest('GET', route);
  await fetch(body.session_url);
  const read = (sessionId: string) =>
    project.graphql('query ($sessionId: ID!) { verification(sessionId: $sessionId) { id state } }', {
      sessionId,
    });
  const { verification } = await until('the check', async () => {
    const found = await read(body.session_id);
    return found.verification.state === 'COMPLETED' && found;
  });
  return verification.id;
}

/** The operations of a snippet, each as a document of its own. */
function operationsOf({ text }: Snippet): OperationDefinitionNode[] {
  return parse(
    text
      .replaceAll(/backtestId: "…"/g, `backtestId: "${ids.backtest}"`)
      .replaceAll(/sessionId: "…"/g, `sessionId: "${ids.createVerificationUpload}"`),
  ).definitions.filter((node) => node.kind === 'OperationDefinition');
}

function rootFieldOf({ selectionSet }: OperationDefinitionNode): string {
  const [field] = selectionSet.selections;
  return field?.kind === 'Field' ? field.name.value : '';
}

async function execute(operation: OperationDefinitionNode): Promise<Answer['body']> {
  // Unmodified, so that errors have the documented positions.
  const { start, end, source } = operation.loc!;
  const query = source.body.slice(start, end);
  if (operation.operation === 'subscription') return subscribe(query);
  const variables = { id: ids[rootFieldOf(operation)], sessionId: ids.session };
  return (await project.rawGraphql(query, variables)).body;
}

/** Opens the stream of a subscription and closes it. */
async function subscribe(query: string): Promise<Answer['body']> {
  const closing = new AbortController();
  const response = await fetch(`${opened.gateway.baseUrl}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': project.key, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
    signal: closing.signal,
  });
  closing.abort();
  return { isOpen: response.ok && response.headers.get('content-type')?.startsWith('text/event-stream') };
}

const isOperation = (snippet: Snippet) => snippet.language === 'graphql' && !isRunElsewhere(snippet);
const WITH_OPERATIONS = DOCUMENTS.filter((file) => snippetsOf(file).some(isOperation));

describe('the GraphQL operations', () => {
  it.each(WITH_OPERATIONS)('of %s do what the document describes', async (file) => {
    const snippets = snippetsOf(file);
    for (const [index, snippet] of snippets.entries()) {
      if (!isOperation(snippet)) continue;
      const where = `${file}:${snippet.line}`;
      const [, code] = /^refused: (\S+)$/.exec(snippet.note) ?? [];
      const following = snippets[index + 1];
      for (const operation of operationsOf(snippet)) {
        if (!code) expect(validate(schema, parse(print(operation))), where).toEqual([]);
        const answer = await execute(operation);
        expect([where, answer.errors?.[0]?.extensions.code, answer.errors?.[0]?.message]).toEqual(
          code ? [where, code, expect.any(String)] : [where, undefined, undefined],
        );
        if (operation.operation === 'subscription') expect([where, answer.isOpen]).toEqual([where, true]);
        if (following?.note !== 'answer') continue;
        const documented = JSON.parse(following.text);
        if (code) expect(answer.errors[0], where).toEqual(documented);
        else expect(differencesOf(documented, answer.data), where).toEqual([]);
      }
    }
  });
});
