import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
/** 120 accounts that an operator blocked and 120 that were allowed; a datacenter address is common to both. */
let labeled: TestProject;

const HOME = (index: number) => `90.54.${index % 200}.${(index % 7) + 1}`;
const DATACENTER = (index: number) => `52.95.${index % 200}.${(index % 7) + 1}`;

beforeAll(async () => {
  gateway = await startGateway();
  labeled = await gateway.project();
  const group = unique('labeled');
  for (let index = 0; index < 240; index++) {
    const isFraud = index % 2 === 0;
    const fromDatacenter = isFraud ? index % 3 !== 0 : index % 6 === 1;
    await labeled.authenticate(
      { id: `${group}-${index}`, lists: [isFraud ? 'block' : 'allow'] },
      { ip_address: fromDatacenter ? DATACENTER(index) : HOME(index) },
    );
  }
});
afterAll(() => gateway.close());

const reading =
  'query ($id: ID!) { session(sessionId: $id) { calibrationVersion riskSignalScores { datacenter } } }';

async function scored(project: TestProject, ip_address: string): Promise<Body> {
  const id = await project.session({ ip_address });
  return (await project.graphql(reading, { id })).session;
}

describe('calibration', () => {
  it('needs 200 labeled accounts and reports their number', async () => {
    const empty = await gateway.project();
    await empty.authenticate({ id: unique('only'), lists: ['block'] }, { ip_address: DATACENTER(1) });
    await expect(gateway.app.calibrations.fit(empty.projectId, false)).rejects.toMatchObject({
      code: 'calibration.too_few_labels',
      message: expect.stringMatching(/200/),
    });
    expect(await gateway.app.calibrations.list(empty.projectId)).toEqual([]);
  });

  it('labels accounts by the outcome reported last, which takes precedence over lists', async () => {
    const project = await gateway.project();
    const report = (accountId: string, outcome: string, day: number) =>
      project.graphql('mutation ($input: ReportOutcomeInput!) { reportOutcome(input: $input) { isNew } }', {
        input: { accountId, outcome, at: `2026-01-0${day}T00:00:00Z` },
      });
    // 101 by lists alone, and 99 by outcomes, most of them against their list or on none: 199 are one too few.
    for (let index = 0; index < 200; index++) {
      const id = `labeled-${index}`;
      const lists = index < 101 ? [index % 2 === 0 ? 'block' : 'allow'] : index % 3 === 0 ? ['allow'] : [];
      await project.authenticate({ id, lists }, { ip_address: index % 2 ? HOME(index) : DATACENTER(index) });
      if (index < 101 || index === 199) continue;
      await report(id, 'LEGITIMATE', 2);
      if (index % 2 === 0) await report(id, index % 4 === 0 ? 'CHARGEBACK' : 'FRAUD', 1);
    }
    await expect(gateway.app.calibrations.fit(project.projectId, true)).rejects.toMatchObject({
      code: 'calibration.too_few_labels',
      message: expect.stringContaining('199'),
    });
    await report('labeled-199', 'FRAUD', 1);
    // On lists 51 blocked and 50 allowed; of the others 49 of even number are fraud, 49 of odd number not, and the last one is.
    const { calibration } = await gateway.app.calibrations.fit(project.projectId, true);
    expect(calibration.labels).toEqual({ positive: 101, negative: 99 });
  });

  it('is tested without being stored', async () => {
    const { calibration } = await gateway.app.calibrations.fit(labeled.projectId, true);
    expect(calibration.labels).toEqual({ positive: 120, negative: 120 });
    expect(await gateway.app.calibrations.list(labeled.projectId)).toEqual([]);
    expect((await scored(labeled, DATACENTER(500))).calibrationVersion).toBeNull();
  });

  it('is stored with a version, shown in the response, applied by every gateway, and removed again', async () => {
    const before = await scored(labeled, DATACENTER(501));
    const { calibration } = await gateway.app.calibrations.fit(labeled.projectId, false);
    expect(calibration.version).toBe(1);
    const [row] = await gateway.app.calibrations.list(labeled.projectId);
    expect(row).toMatchObject({ version: 1, retiredAt: null });

    await expect.poll(async () => (await scored(labeled, DATACENTER(502))).calibrationVersion).toBe(1);
    const after = await scored(labeled, DATACENTER(503));
    // Two thirds of the blocked and one third of the allowed sessions came from there, in contrast to the
    // certainty of the prior.
    expect(after.riskSignalScores.datacenter).toBeLessThan(before.riskSignalScores.datacenter);
    expect(after.riskSignalScores.datacenter).toBeGreaterThan(0.4);
    expect((await scored(labeled, HOME(504))).riskSignalScores.datacenter).toBe(0);

    const other = await gateway.project();
    expect((await scored(other, DATACENTER(505))).calibrationVersion).toBeNull();

    expect(await gateway.app.calibrations.undo(labeled.projectId)).toBe(1);
    await expect.poll(async () => (await scored(labeled, DATACENTER(506))).calibrationVersion).toBeNull();
    await expect(gateway.app.calibrations.undo(labeled.projectId)).rejects.toMatchObject({
      code: 'calibration.none',
    });
    const again = await gateway.app.calibrations.fit(labeled.projectId, false);
    expect(again.calibration.version).toBe(2);
    await gateway.app.calibrations.undo(labeled.projectId);
  });

  it('rescales a session that was stored before when it is bound', async () => {
    const session_id = await labeled.session({ ip_address: DATACENTER(507) });
    await gateway.app.calibrations.fit(labeled.projectId, false);
    await expect.poll(async () => (await scored(labeled, DATACENTER(508))).calibrationVersion).not.toBeNull();
    const raw = (await labeled.graphql(reading, { id: session_id })).session;
    expect(raw.calibrationVersion).toBeNull();
    await labeled.rest('POST', '/session/authenticate', { session_id, account: { id: unique('bound') } });
    const bound = (await labeled.graphql(reading, { id: session_id })).session;
    expect(bound.calibrationVersion).not.toBeNull();
    expect(bound.riskSignalScores.datacenter).toBeLessThan(raw.riskSignalScores.datacenter);
    await gateway.app.calibrations.undo(labeled.projectId);
  });

  it('of an unknown project is rejected', async () => {
    await expect(gateway.app.calibrations.fit('no-project', false)).rejects.toMatchObject({
      code: 'project.not_found',
    });
  });
});
