import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import { type Answer, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { mutationOf, OPERATIONS, routeCasesOf } from '../../support/operations/index.ts';
import type { Scene, StoredResponse } from '../../support/operations/operation.ts';
import { createVerification, playedVerification } from '../../support/verification.ts';

/*
 * For every operation that accepts an Idempotency-Key: erasing its account erases its stored response. The cases
 * are those of test/support/operations.
 */
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

async function newScene(): Promise<Scene> {
  project = await gateway.project();
  const [id, list, otherList] = [unique('erased'), unique('list'), unique('other')];
  const { session_id: session } = await project.authenticate({ id, lists: [list] });
  await project.rest('POST', `/list/${otherList}`, {});
  const later = await project.session({ open: true });
  const played: Scene['played'] = (kind, account_id) =>
    playedVerification(gateway, project, { simulate: 'success', account_id, ...kind });
  return {
    ...{ project, id, session, later, list, otherList, played },
    alone: (kind = {}) => playedVerification(gateway, project, { simulate: 'success', ...kind }),
    upload: async (account_id) => (await createVerification(project, { account_id })).body.session_id,
    reviewed: async (account_id) => globalIdOf('Verification', await played({}, account_id)),
    async outcomeOf(accountId) {
      const report = `mutation ($id: ID!) {
        reportOutcome(input: { accountId: $id, outcome: FRAUD, at: "2020-01-01T00:00:00Z" }) { outcome { id } } }`;
      return (await project.graphql(report, { id: accountId })).reportOutcome.outcome.id;
    },
  };
}

/** Sends the request, binds the scene's session, erases the scene's account, and sends the request again. */
async function expectErased(
  { isKept, isRefused }: StoredResponse<unknown>,
  scene: Scene,
  ask: () => Promise<Answer>,
): Promise<void> {
  const first = await ask();
  expect(first.status !== 200 || first.body.errors !== undefined, first.text).toBe(isRefused ?? false);
  expect((await ask()).text).toBe(first.text);
  const { id, later } = scene;
  await project.rest('POST', '/session/authenticate', { session_id: later, account: { id } });
  expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
  const after = await ask();
  if (isKept) expect(after.text).toBe(first.text);
  else expect(after.status, after.text).toBe(409);
}

const key = () => ({ 'idempotency-key': unique('key') });

describe('erasing an account erases the stored response of', () => {
  const rows = ROUTES.filter(({ method }) => method === 'POST').map(({ path }) => `POST ${path}`);
  it.each(rows)('%s', async (row) => {
    const scene = await newScene();
    const { stored: asked } = routeCasesOf(row);
    const { path, body } = await asked!.call(scene);
    const headers = key();
    await expectErased(asked!, scene, () => project.rest('POST', path, body, headers));
  });

  const stored = Object.keys(schema.getMutationType()!.getFields()).filter(
    (name) => typeof OPERATIONS[`mutation ${name}`]?.stored !== 'string',
  );
  it.each(stored)('%s', async (name) => {
    const scene = await newScene();
    const asked = mutationOf(name).stored;
    if (typeof asked === 'string') throw new Error(`${name}: ${asked}`);
    const query = `mutation { ${name}${await asked.call(scene)} }`;
    const headers = key();
    await expectErased(asked, scene, () => project.rawGraphql(query, undefined, headers));
  });

  it('POST /session, with a session that was bound to it afterwards', async () => {
    const scene = await newScene();
    const headers = key();
    const open = () => project.rest('POST', '/session', {}, headers);
    const { session_id } = (await open()).body;
    await project.rest('POST', '/session/authenticate', { session_id, account: { id: scene.id } });
    await project.rest('DELETE', `/account/${scene.id}`);
    expect((await open()).status).toBe(409);
  });
});
