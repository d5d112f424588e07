import { wholeBetween } from '@vouchgraph/platform/wording';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bodyFrom } from './body-from.ts';

const part = z
  .object({ screenWidth: wholeBetween(0, 100).nullish().describe('Width.') })
  .meta({ id: 'DeviceFactsInput', description: 'Facts of a device.' });
const input = z.object({
  accountId: z.string().describe('Id.'),
  startTime: z.date().nullish().describe('Start.'),
  kind: z.enum(['web', 'ios']).nullish().describe('Kind; WEB by default.'),
  clientHints: z.record(z.string(), z.unknown()).nullish().describe('Hints.'),
  facts: z.object({ device: part.nullish().describe('Device.') }).describe('Facts.'),
  parts: z.array(part).max(2).nullish().describe('Parts.'),
});
const body = bodyFrom(input, {
  names: { accountId: 'id' },
  component: (id) => id.replace(/FactsInput$/, 'Facts'),
  groups: { facts: 'Sandbox only. ' },
  extra: { project_id: z.string().nullish().describe('Project.') },
});

const schema = z.toJSONSchema(z.object({ root: body }), { io: 'input' });
const properties = (schema.properties!.root as { properties: Record<string, { description: string }> })
  .properties;

describe('a body created from an input', () => {
  it('is converted back to the input', () => {
    const sent = {
      id: 'ada',
      start_time: '2026-01-05T10:00:00Z',
      client_hints: [],
      device: { screen_width: 4, colour: 'red' },
      parts: [{ screen_width: null }],
      project_id: 'p',
      startTime: 'unknown key',
    };
    expect(body.parse(sent)).toEqual({
      accountId: 'ada',
      startTime: '2026-01-05T10:00:00Z',
      clientHints: {},
      facts: { device: { screenWidth: 4 } },
      parts: [{ screenWidth: null }],
      project_id: 'p',
    });
  });

  it('omits absent fields and keeps null', () => {
    expect(body.parse({ id: 'ada', kind: null })).toEqual({ accountId: 'ada', kind: null, facts: {} });
  });

  it.each([
    [{ id: 5 }, ['id'], 'must be text'],
    [
      { id: 'ada', start_time: 'noon' },
      ['start_time'],
      'must be an ISO 8601 timestamp such as 2025-06-10T16:35:22.184Z',
    ],
    [{ id: 'ada', device: { screen_width: -1 } }, ['device', 'screen_width'], 'must be at least 0'],
    [{ id: 'ada', parts: [{}, { screen_width: 'x' }] }, ['parts', 1, 'screen_width'], 'must be a number'],
    [{ id: 'ada', parts: [{}, {}, {}] }, ['parts'], 'must have at most 2 entries'],
    [{ id: 'ada', client_hints: [1] }, ['client_hints'], 'must be an object'],
  ])('rejects %j under the key of the body', (sent, path, message) => {
    expect(body.safeParse(sent).error?.issues[0]).toMatchObject({ path, message });
  });

  it('is described by the shape of the input', () => {
    expect(Object.entries(properties).map(([key, { description }]) => [key, description])).toEqual([
      ['project_id', 'Project.'],
      ['id', 'Id.'],
      ['start_time', 'Start.'],
      ['kind', 'Kind; web by default.'],
      ['client_hints', 'Hints.'],
      ['device', 'Sandbox only. Device.'],
      ['parts', 'Parts.'],
    ]);
    expect(schema.$defs).toMatchObject({
      DeviceFacts: {
        description: 'Facts of a device.',
        properties: { screen_width: { anyOf: [{ minimum: 0, maximum: 100 }, {}] } },
      },
    });
  });
});
