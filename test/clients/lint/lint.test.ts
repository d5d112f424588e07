import path from 'node:path';
import { ESLint } from 'eslint';
import { expect, it, vi } from 'vitest';
import { FOLDER } from '../support/folders.ts';

vi.setConfig({ testTimeout: 120_000 });

const eslint = new ESLint({ cwd: FOLDER });
async function lint(results: Promise<ESLint.LintResult[]>): Promise<string[]> {
  return (await results).flatMap(({ filePath, messages }) =>
    messages.map(
      ({ line, ruleId, message }) => `${path.relative(FOLDER, filePath)}:${line} ${ruleId}: ${message}`,
    ),
  );
}

it.each([
  ['the operations of Apollo Client and urql', 'operations/*.graphql'],
  ['the documents of Relay', 'relay/Documents.ts'],
])('finds nothing in %s', async (_, pattern) => {
  expect(await lint(eslint.lintFiles(pattern))).toEqual([]);
});

it('reads what it lints', async () => {
  const filePath = path.join(FOLDER, 'operations/wrong.graphql');
  const found = await lint(eslint.lintText('query Wrong { nobody }', { filePath }));
  expect(found.join()).toContain('@graphql-eslint/fields-on-correct-type');
  const relay = 'graphql`query DocumentsWrongQuery { nobody }`;';
  const inModule = await lint(eslint.lintText(relay, { filePath: path.join(FOLDER, 'relay/Documents.ts') }));
  expect(inModule.join()).toContain('@graphql-eslint/fields-on-correct-type');
});
