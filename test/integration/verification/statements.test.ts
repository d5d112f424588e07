import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { type Cost, costOf, tripsOf } from '../../support/trips.ts';
import { createVerification, enroll, playedVerification, verifyId } from '../../support/verification.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

async function cost(request: () => Promise<{ status: number }>): Promise<Cost> {
  return costOf(await tripsOf(gateway, async () => expect((await request()).status).toBe(200)));
}

describe('the statements of a request', () => {
  it('are few for the creation of a session', async () => {
    const referring_session_id = await project.session();
    const asked = { id: 'true', account_id: 'one' };
    expect(await cost(() => createVerification(project, asked))).toEqual({ trips: 1, statements: 1 });
    const referring = { ...asked, referring_session_id };
    expect(await cost(() => createVerification(project, referring))).toEqual({ trips: 2, statements: 2 });
  });

  it('are constant for the result of a bound session, for any number of reads', async () => {
    const simulated = { id: 'true', simulate: 'success', simulate_decision: 'Real' };
    const session = await playedVerification(gateway, project, simulated);
    expect(await cost(() => verifyId(project, session))).toEqual({ trips: 4, statements: 4 });
    await enroll(project, session, 'one');
    expect(await cost(() => verifyId(project, session))).toEqual({ trips: 6, statements: 6 });
    expect(await cost(() => verifyId(project, session))).toEqual({ trips: 6, statements: 6 });
  });
});
