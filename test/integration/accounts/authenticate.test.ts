import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { costOf, locksBeforeReads, tripsOf } from '../../support/trips.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

describe('authenticating an account', () => {
  it('counts a repeated pair of session and account once', async () => {
    const session_id = await project.session({ ip_address: '8.8.8.8', device_id: unique('device') });
    const account = { id: unique('twice') };
    const first = await project.rest('POST', '/session/authenticate', { session_id, account });
    const second = await project.rest('POST', '/session/authenticate', { session_id, account });
    expect(second.body.account.num_sessions).toBe(1);
    expect(second.body.account.risk_signal_average).toEqual(first.body.account.risk_signal_average);
    expect(second.body.account_score).toBe(first.body.account_score);
  });

  it('binds one session to two accounts', async () => {
    const session_id = await project.session();
    const [one, two] = [unique('one'), unique('two')];
    for (const id of [one, two])
      await project.rest('POST', '/session/authenticate', { session_id, account: { id } });
    expect((await project.rest('GET', `/session/${session_id}`)).body.account_ids).toEqual([one, two]);
  });

  it('needs two round trips of prepared statements', async () => {
    const session_id = await project.session({ ip_address: '90.54.1.1', device_id: unique('device') });
    const account = { id: unique('counted'), email: 'a@example.com', phone: '+14155552671' };
    const trips = await tripsOf(gateway, () =>
      project.rest('POST', '/session/authenticate', { session_id, account }),
    );
    expect(costOf(trips)).toEqual({ trips: 2, statements: 6 });
    expect(locksBeforeReads(trips[0])).toBe(true);
  });
});
