import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseEmail } from '../../email-address.ts';
import { openEmailProviders } from '../open-email-providers.ts';
import type { ProviderKind } from '../provider.ts';
import { addEmailData } from './data-commands.ts';
import { DATA_FORMATS, type DataFormat } from './data-formats.ts';

const PAGE = new URL('../../../../../docs/email-providers.md', import.meta.url);
const folder = mkdtempSync(path.join(tmpdir(), 'vouchgraph-documented-examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

const examples = [...readFileSync(PAGE, 'utf8').matchAll(/^```(\w+) (breaches|profiles)\n(.*?)^```$/gms)].map(
  ([, format, kind, content]) => [format as DataFormat, kind as ProviderKind, content!] as const,
);

test('the page has an example of each format', () => {
  expect(new Set(examples.map(([format]) => format))).toEqual(new Set(DATA_FORMATS));
});

test.each(examples)(
  'the example of %s with %s is imported without errors and contains alice',
  async (format, kind, content) => {
    const file = path.join(folder, 'example');
    writeFileSync(file, content);
    const dataDir = path.join(folder, 'data');
    const report = addEmailData(dataDir, { name: 'example', kind, format, file, replace: true });
    expect(report).toMatchObject({ bad_lines: 0, bad_values: 0 });
    const providers = await openEmailProviders({ dataDir, everyMs: null });
    const found = (address: string) => providers.lookUpOffline(parseEmail(address))[kind];
    expect(found('Alice@Example.com')).toHaveLength(1);
    expect(found('carol@example.com')).toEqual([]);
    await providers.close();
  },
);
