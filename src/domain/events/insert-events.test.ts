import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const SRC = new URL('../../', import.meta.url);

it('only one source file contains the insert statement of outbox_events', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  const inserting = files.filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.endsWith('.test.ts') &&
      readFileSync(new URL(file, SRC), 'utf8').includes('into outbox_events'),
  );
  expect(inserting).toEqual(['domain/events/insert-events-store.ts']);
});
