import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateMasterKey } from '../../../src/platform/crypto.ts';
import {
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';

let gateways: Gateway[];
let clients: TestProject[];

beforeAll(async () => {
  const masterKey = generateMasterKey();
  const first = await startGateway({ masterKey });
  const second = await startGateway({ masterKey, database: first.database });
  const project = await first.project();
  gateways = [second, first];
  clients = [project, projectClient(second.baseUrl, project.projectId, project.key)];
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
});

const AT_ONCE = 8;

async function linkedIds(client: TestProject, id: string): Promise<string[]> {
  const { body } = await client.rest('GET', `/account/${id}/accounts-linked`);
  return body.accounts_linked.map((linked: { account_id: string }) => linked.account_id).sort();
}

type Round = {
  account(index: number): Record<string, unknown>;
  facts(index: number): Record<string, unknown>;
};

/** One round: eight accounts authenticate at once through two gateways; afterwards each knows the seven others. */
async function playRound({ account, facts }: Round): Promise<void> {
  const ids = Array.from({ length: AT_ONCE }, (_, index) => `${unique('at-once')}-${index}`);
  const sessions = await Promise.all(ids.map((_, index) => clients[0]!.session(facts(index))));
  const answers = await Promise.all(
    ids.map((id, index) =>
      clients[index % 2]!.rest('POST', '/session/authenticate', {
        session_id: sessions[index],
        account: { id, ...account(index) },
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
  for (const id of ids) {
    expect(await linkedIds(clients[0]!, id)).toEqual(ids.filter((other) => other !== id).sort());
  }
}

describe('accounts that authenticate at the same moment', () => {
  it('find each other by a phone in different formats', async () => {
    for (let round = 0; round < 12; round += 1) {
      const number = `415555${String(1000 + round)}`;
      await playRound({
        account: (index) => ({
          phone: index % 2 ? `+1${number}` : `+1 (${number.slice(0, 3)}) ${number.slice(3)}`,
        }),
        facts: () => ({}),
      });
    }
  });

  it('find each other by email, username and browser', async () => {
    for (let round = 0; round < 6; round += 1) {
      const name = unique('same').replaceAll('-', '');
      await playRound({ account: () => ({ email: `${name}@example.com` }), facts: () => ({}) });
      await playRound({
        account: (index) => ({ username: index % 2 ? name : name.toUpperCase() }),
        facts: () => ({}),
      });
      await playRound({ account: () => ({}), facts: () => ({ browser_id: name }) });
    }
  });

  it('find each other by device and network together, as far as the crowd allows', async () => {
    for (let round = 0; round < 6; round += 1) {
      const device_id = unique('device');
      const ip_address = `9.${round}.77.7`;
      const ids = Array.from({ length: 3 }, () => unique('pair'));
      const answers = await Promise.all(
        ids.map((id, index) => clients[index % 2]!.authenticate({ id }, { device_id, ip_address })),
      );
      expect(answers).toHaveLength(3);
      for (const id of ids) {
        expect(await linkedIds(clients[1]!, id)).toEqual(ids.filter((other) => other !== id).sort());
      }
    }
  });

  it('are one account when they have one id, with every session counted once', async () => {
    const id = unique('one');
    const sessions = await Promise.all(Array.from({ length: AT_ONCE }, () => clients[0]!.session()));
    const twice = [...sessions, ...sessions];
    const answers = await Promise.all(
      twice.map((session_id, index) =>
        clients[index % 2]!.rest('POST', '/session/authenticate', { session_id, account: { id } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await clients[0]!.rest('GET', `/account/${id}`)).body.num_sessions).toBe(AT_ONCE);
  });

  it('stay consistent while others update and erase them', async () => {
    for (let round = 0; round < 6; round += 1) {
      const phone = `+1212555${String(1000 + round)}`;
      const ids = Array.from({ length: 6 }, () => unique('churn'));
      for (const id of ids) await clients[0]!.authenticate({ id });
      const answers = await Promise.all([
        ...ids.map((id, index) => clients[index % 2]!.rest('PUT', `/account/${id}`, { phone })),
        clients[1]!.rest('DELETE', `/account/${ids[0]}`),
      ]);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      const alive = ids.slice(1).sort();
      for (const id of alive) {
        expect(await linkedIds(clients[0]!, id)).toEqual(alive.filter((other) => other !== id));
      }
    }
  });
});
