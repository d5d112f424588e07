import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { openEventReads } from '../../support/event-reads.ts';
import { type Body, projectClient } from '../../support/gateway.ts';
import { createEventWriter, sampleData } from '../../support/outbox.ts';

const ERASURES = 5000;
/** Each of them has an entry in an index, and its write has another one. */
const MAX_READS = ERASURES / 5;

it('a page of the events of an account reads no events of erased accounts', async () => {
  const database = await createTestDatabase();
  const masterKey = generateMasterKey();
  const reads = await openEventReads(database, masterKey);
  try {
    const { projectId, key } = await reads.run(async (gateway) => {
      const project = await gateway.project();
      const write = await createEventWriter(gateway, masterKey, project.projectId);
      await project.authenticate({ id: 'a' });
      for (let erased = 0; erased < ERASURES; erased += 500)
        await write(
          Array.from({ length: 500 }, (_, index) => ({
            type: 'account.deleted' as const,
            data: { ...sampleData('account.deleted'), account_id: `erased-${erased + index}` },
          })),
        );
      await project.authenticate({ id: 'a' });
      await gateway.app.settleEvents();
      return project;
    });
    const pages = ['first: 2', 'last: 2', 'first: 2, types: [ACCOUNT_DELETED]'];
    for (const page of pages)
      expect(
        await reads.readsOf(async ({ baseUrl }) => {
          const query = `{ events(accountId: "a", ${page}) { totalCount { value isExact } } }`;
          const { events }: Body = await projectClient(baseUrl, projectId, key).graphql(query);
          expect(events.totalCount.isExact).toBe(true);
        }),
        page,
      ).toBeLessThan(MAX_READS);
  } finally {
    await reads.close();
    await database.drop();
  }
});
