import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, send, startGateway } from '../../support/gateway.ts';
import { createRecorder, RowClock, type World } from './rest-bytes/recorder.ts';
import { recordRefusals } from './rest-bytes/refusals.ts';
import { BYTES_ROWS } from './rest-bytes/rows.ts';

/*
 * Responses of the REST interface, byte for byte: status, content type, keys and their order, the format of
 * numbers and the texts of errors are those recorded in rest-bytes/recordings. Existing clients keep working.
 * `npx vitest run --project integration test/integration/rest/rest-bytes.test.ts -u` records them again: the
 * difference is a change of the public interface.
 */
let world: World;
let close: () => Promise<void>;
beforeAll(async () => {
  const clock = new RowClock();
  const options = { clock, masterKey: generateMasterKey(), recalculatesLinks: false };
  const gateway = await startGateway(options);
  // On a separate database: gateways complete the checks of each other.
  const held = await startGateway({ ...options, completesEmailChecks: false });
  const limited = await startGateway({
    ...options,
    database: held.database,
    completesEmailChecks: false,
    settings: { RATE_LIMIT_PER_MINUTE: '1' },
  });
  world = { gateway, held, limited, clock };
  close = async () => {
    await limited.close();
    await held.close();
    await gateway.close();
  };
});
afterAll(() => close?.());

describe('the recordings', () => {
  it('contain every route of the OpenAPI document once', async () => {
    const { body } = await send(`${world.gateway.baseUrl}/openapi.json`, 'GET');
    const documented = Object.entries<Body>(body.paths).flatMap(([route, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
    );
    expect(BYTES_ROWS.map(({ route }) => route).toSorted()).toEqual(documented.toSorted());
  });
});

// Some checks read images.
describe('the bytes of', { timeout: 240_000 }, () => {
  for (const [index, row] of BYTES_ROWS.entries())
    it(row.route, async () => {
      world.clock.startRow(index);
      const recorder = await createRecorder(world, row);
      await row.cases(recorder);
      await recordRefusals(recorder, row, await row.sample(recorder));
      const file = row.route
        .replace(/[/{} ]+/g, '-')
        .replace(/-$/, '')
        .toLowerCase();
      await expect(recorder.text()).toMatchFileSnapshot(`rest-bytes/recordings/${file}.txt`);
    });
});
