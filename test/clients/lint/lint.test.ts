import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ESLint } from 'eslint';
import { Kind, parse } from 'graphql';
import { beforeAll, expect, it, vi } from 'vitest';
import { FOLDER, GENERATED, ROOT } from '../support/folders.ts';

vi.setConfig({ testTimeout: 120_000 });

/**
 * Accepted findings in the schema, as rule, message and the line of the schema. The schema is generated: their
 * reason cannot be beside the field.
 */
const ACCEPTED = [
  // Ids of the client, and keys under which REST and webhooks show an object; `id` is the global id.
  /no-typename-prefix: Field "\w+Id" /,
  // The same fields, by name and type, as in Account.
  /no-typename-prefix: Field "decision(Trace)?" starts with the name of the parent type "Decision"/,
  // A field `state` of each type would have another type in each, and fragments on several types would need aliases.
  /no-typename-prefix: Field "(backtest|rule)State" starts with the name of the parent type "(Backtest|Rule)"/,
  // The cost of a query is the meaning of the field: the word is not a prefix.
  / (no-typename-prefix|naming-convention): Field "queryCost" /,
  // Names of the documented REST interface.
  /no-typename-prefix: Field "account(Score|sLinked)" starts with the name of the parent type "Account"/,
  // Rows of a history, a queue or a result: they have no identity, and are read only in their connection.
  /relay-edge-types: Edge type's field `node` must implement `Node` interface. type (IdentityGroupChange|BacktestMatch|EmailImportProblem|PendingListMember|WebhookAttempt)Edge/,
];

const eslint = new ESLint({ cwd: FOLDER });
async function lint(results: Promise<ESLint.LintResult[]>): Promise<string[]> {
  return (await results).flatMap(({ filePath, messages, source }) =>
    messages.map(({ line, ruleId, message }) =>
      [
        `${path.relative(FOLDER, filePath)}:${line}`,
        `${ruleId?.replace('@graphql-eslint/', '')}: ${message}`,
        source?.split('\n')[line - 1],
      ].join(' '),
    ),
  );
}

beforeAll(() => cp(path.join(ROOT, 'schema.graphql'), path.join(GENERATED, 'schema.graphql')));

it('reports only accepted problems in the schema', async () => {
  const findings = await lint(eslint.lintFiles('generated/schema.graphql'));
  expect(findings.filter((finding) => !ACCEPTED.some((accepted) => accepted.test(finding)))).toEqual([]);
  for (const accepted of ACCEPTED) expect(findings.join('\n')).toMatch(accepted);
});

it.each([
  ['the operations of Apollo Client and urql', 'operations/*.graphql'],
  ['the documents of Relay', 'relay/Documents.ts'],
])('reports no problem in %s', async (_, pattern) => {
  expect(await lint(eslint.lintFiles(pattern))).toEqual([]);
});

it('requires an id of nodes only', async () => {
  const { definitions } = parse(await readFile(path.join(ROOT, 'schema.graphql'), 'utf8'));
  const withId = definitions
    .filter((node) => node.kind === Kind.OBJECT_TYPE_DEFINITION)
    .filter(({ fields = [] }) => fields.some(({ name }) => name.value === 'id'));
  // A normalized cache keys an object by its type and id.
  const others = withId.filter(
    ({ interfaces = [] }) => !interfaces.some(({ name }) => name.value === 'Node'),
  );
  expect(others.map(({ name }) => name.value)).toEqual([]);
});

it('reads the documents that it lints', async () => {
  const filePath = path.join(FOLDER, 'operations/wrong.graphql');
  const found = await lint(eslint.lintText('query Wrong { nobody }', { filePath }));
  expect(found.join()).toContain('fields-on-correct-type');
  const relay = 'graphql`query DocumentsWrongQuery { nobody }`;';
  const inModule = await lint(eslint.lintText(relay, { filePath: path.join(FOLDER, 'relay/Documents.ts') }));
  expect(inModule.join()).toContain('fields-on-correct-type');
});
