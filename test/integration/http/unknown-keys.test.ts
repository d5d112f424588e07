import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateApiKey } from '../../../src/domain/projects/api-key.ts';
import { type Gateway, send, startGateway, type TestProject } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

it('unknown and malformed keys cause the same work, so that the response time does not distinguish them', async () => {
  const unknown = () => generateApiKey(project.projectId, 'sandbox');
  const malformed: (() => string)[] = [
    () => `nonsense-${randomUUID()}`,
    () => `${unknown()}0`,
    () => unknown().slice(0, -1),
    () => unknown().replace('vg_test_', 'vg_none_'),
  ];
  for (const make of [
    unknown,
    () => generateApiKey('01975a8e-3b18-7c11-9d0e-5f2a8c4b7e61', 'sandbox'),
    ...malformed,
  ]) {
    gateway.takeStatements();
    const { status } = await send(`${gateway.baseUrl}/list`, 'GET', undefined, { 'x-api-key': make() });
    const statements = gateway.takeStatements().filter((name) => name !== 'set_project');
    expect([make(), status, statements]).toEqual([expect.any(String), 401, ['key.find']]);
  }
});
