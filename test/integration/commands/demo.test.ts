import { afterAll, beforeAll, expect, it } from 'vitest';
import { countAccounts, DEMONSTRATION_ACCOUNTS } from '../../support/demonstrations.ts';
import { type CommandWorld, openCommandWorld } from './support.ts';

const TIMEOUT_MS = 600_000;
const HINT = 'A running gateway does the work. "vouchgraph demo status" shows the progress.';
const NOTHING = { code: 0, output: 'No demonstration data.\n', errors: '' };

let world: CommandWorld;
beforeAll(async () => {
  world = await openCommandWorld();
});
afterAll(() => world.close());

it('demo fill and demo clear start work of a gateway, whose progress demo status shows', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { local, remote, project, gateway } = world;
  expect(await local.call('demo', 'status')).toEqual(NOTHING);
  const filling = await local.call('demo', 'fill');
  expect(filling).toEqual({ code: 0, output: `filling  0 %\n${HINT}\n`, errors: '' });
  await gateway.app.settleDemonstration(project.projectId);
  expect(await remote.call('demo', 'status')).toEqual({ code: 0, output: 'filled  100 %\n', errors: '' });
  expect(await countAccounts(project)).toBe(DEMONSTRATION_ACCOUNTS);
  const again = await remote.call('demo', 'fill');
  expect(again).toMatchObject({ code: 1, output: '' });
  expect(again.errors).toContain('The project already has demonstration data, in the state filled');

  expect(await remote.json('demo', 'clear')).toMatchObject({ state: 'removing', problem: null });
  await gateway.app.settleDemonstration(project.projectId);
  expect(await remote.json('demo', 'status')).toBeNull();
  expect(await countAccounts(project)).toBe(0);
  const nothing = await local.call('demo', 'clear');
  expect(nothing).toMatchObject({ code: 1, output: '' });
  expect(nothing.errors).toContain('The project has no demonstration data');
});
