import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, send, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

it('a device collected during an authenticate is either rejected or links the account', async () => {
  for (let round = 0; round < 25; round += 1) {
    const components = { fingerprint: unique('device') };
    const ip_address = `9.9.${round}.9`;
    const peer = unique('peer');
    await project.authenticate({ id: peer }, { ip_address, device: { components } });
    const opened = (await project.rest('POST', '/session', { ip_address, open: true })).body;
    const id = unique('bound');
    const [patched, bound] = await Promise.all([
      send(
        `${gateway.baseUrl}/session/${opened.session_id}`,
        'PATCH',
        { device: { components } },
        { authorization: `Bearer ${opened.token}` },
      ),
      project.rest('POST', '/session/authenticate', { session_id: opened.session_id, account: { id } }),
    ]);
    expect(bound.status).toBe(200);
    expect([200, 409]).toContain(patched.status);
    const { body } = await project.rest('GET', `/account/${id}/accounts-linked`);
    const linked = body.accounts_linked.map((one: { account_id: string }) => one.account_id);
    expect(linked).toEqual(patched.status === 200 ? [peer] : []);
  }
});
