import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { createVerification, enroll, playedVerification, verifyId } from '../../support/verification.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway({ followsLinks: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

/** The statements of a request, without those that find out who asks, nor of the look for jobs. */
async function statementsOf(request: () => Promise<{ status: number }>): Promise<string[]> {
  gateway.takeStatements();
  expect((await request()).status).toBe(200);
  return gateway.takeStatements().filter((name) => name !== 'set_project' && !name.startsWith('key.'));
}

describe('the statements behind a request', () => {
  it('are few for a session that is made', async () => {
    const referring_session_id = await project.session();
    const asked = { id: 'true', account_id: 'one' };
    expect(await statementsOf(() => createVerification(project, asked))).toEqual(['verification.insert']);
    expect(await statementsOf(() => createVerification(project, { ...asked, referring_session_id }))).toEqual(
      ['session.find_many', 'verification.insert'],
    );
  });

  it('are as many for the result of a bound session, however often it is asked for', async () => {
    const simulated = { id: 'true', simulate: 'success', simulate_decision: 'Real' };
    const session = await playedVerification(gateway, project, simulated);
    const unbound = (await statementsOf(() => verifyId(project, session))).sort();
    await enroll(project, session, 'one');
    const bound = (await statementsOf(() => verifyId(project, session))).sort();
    expect((await statementsOf(() => verifyId(project, session))).sort()).toEqual(bound);
    expect(unbound).toEqual([
      'identifier.read_matches',
      'media.of_sessions',
      'session.find_many',
      'verification.find',
    ]);
    expect(bound).toEqual([
      'account.find_many',
      'media.of_sessions',
      'rule.find_of_checks',
      'session.find_many',
      'verification.find',
      'verification.find_linked',
    ]);
  });
});
