import { expect, it } from 'vitest';
import { DueEndpoints } from './due-endpoints.ts';

it('due endpoints keep their order, and first attempts alternate with retries', () => {
  const due = new DueEndpoints();
  for (const endpointId of ['a', 'b', 'a']) due.add('first', { projectId: 'p', endpointId });
  due.add('retry', { projectId: 'q', endpointId: 'a' });
  expect([...due.of('first')].map(({ endpointId }) => endpointId)).toEqual(['a', 'b']);
  expect([...due.of('retry')]).toEqual([{ projectId: 'q', endpointId: 'a' }]);
  expect(due.size).toBe(3);
  expect(due.kinds()).toEqual(['first', 'retry']);
  due.noteClaim('first');
  expect(due.kinds()).toEqual(['retry', 'first']);
  due.delete('first', 'a');
  expect([...due.of('first')]).toEqual([{ projectId: 'p', endpointId: 'b' }]);
});
