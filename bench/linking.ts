import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { LINK_WEIGHTS_VERSION } from '@vouchgraph/linking';
import { ASSUMPTIONS, describeAssumptions } from './support/linking/assumptions.ts';
import { addUp, type Figures, figuresOfIdentities, figuresOfLinks } from './support/linking/figures.ts';
import { type Cluster, type Measured, measure } from './support/linking/measure.ts';
import { makeAccounts } from './support/linking/population.ts';
import { readRecords } from './support/linking/record-file.ts';
import { toSubject } from './support/linking/subject.ts';
import { RESULTS } from './support/options.ts';
import { printTable } from './support/report.ts';

/*
 * Precision and recall of links, in a synthetic model (support/linking) or in a file of records with their
 * clusters. It compares the rules with the assumptions of the model, not with real data. Recall is of the pairs
 * that share a browser, a device, or an equal or nearly equal contact; the others cannot be found, and the
 * recall of all pairs is printed beside it.
 */
const MIN_PRECISION = 0.995;
const MIN_RECALL = 0.95;

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '10000' },
    seeds: { type: 'string', default: '1,2,3,4,5' },
    file: { type: 'string' },
    country: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const accounts = Number(values.accounts);
if (!(accounts >= 1000)) throw new Error('--accounts is at least 1000');
const seeds = values.seeds.split(',').map(Number);
if (!seeds.every(Number.isInteger)) throw new Error('--seeds are whole numbers, separated by commas');

const runs = values.file === undefined ? seeds.map(runModel) : [runFile(values.file)];
const all = addUp(runs.map(({ measured }) => measured));
const report = {
  source: values.file ?? 'model',
  weightsVersion: LINK_WEIGHTS_VERSION,
  assumptions: values.file === undefined ? ASSUMPTIONS : null,
  ...all,
  links: figuresOfLinks(all),
  linksWithoutRings: figuresOfLinks(all, 'rings'),
  linksWithoutKiosks: figuresOfLinks(all, 'kiosks'),
  identities: { ...all.identities, ...figuresOfIdentities(all) },
  runs: runs.map(({ name, measured }) => ({
    name,
    links: figuresOfLinks(measured),
    linksWithoutRings: figuresOfLinks(measured, 'rings'),
    linksWithoutKiosks: figuresOfLinks(measured, 'kiosks'),
    identities: figuresOfIdentities(measured),
  })),
};
const byNetwork = all.wrongClusters.filter(({ isByNetworkAlone }) => isByNetworkAlone);
const failures = [
  ...(report.links.precision >= MIN_PRECISION
    ? []
    : [`precision of links is ${report.links.precision.toFixed(4)}`]),
  ...(report.links.recall >= MIN_RECALL ? [] : [`recall of links is ${report.links.recall.toFixed(4)}`]),
  ...(byNetwork.length === 0 ? [] : [`${byNetwork.length} identities are joined by a network alone`]),
];
mkdirSync(RESULTS, { recursive: true });
const result = JSON.stringify({ ...report, failures }, null, 2);
// Figures of a file do not replace those measured with the model.
if (values.file === undefined) writeFileSync(new URL('linking.json', RESULTS), `${result}\n`);
if (values.json) console.log(result);
else print();
for (const failure of failures) console.error(`BELOW THE GOAL  ${failure}`);
if (failures.length > 0) process.exitCode = 1;

type Run = { name: string; measured: Measured };

function runModel(seed: number): Run {
  return { name: `seed ${seed}`, measured: measure(makeAccounts(accounts, seed).map(toSubject)) };
}

function runFile(file: string): Run {
  return { name: file, measured: measure(readRecords(file, values.country ?? null).map(toSubject)) };
}

function print(): void {
  console.log(`${all.accounts} accounts of ${all.people} people, weights of links ${LINK_WEIGHTS_VERSION}`);
  if (values.file === undefined) {
    console.log('\nassumed shares');
    for (const line of describeAssumptions()) console.log(`  ${line}`);
  }
  printFigures();
  printPairs();
  printClusters();
}

function printFigures(): void {
  const row = (name: string, { precision, recall, f1, recallOfAll }: Figures) => [
    name,
    ...[precision, recall, f1, recallOfAll].map(share),
  ];
  printTable(
    ['', 'precision', 'recall', 'F1', 'recall of all'],
    [
      ...report.runs.map(({ name, links }) => row(`links, ${name}`, links)),
      row('links (the goal)', report.links),
      row('links, without rings', report.linksWithoutRings),
      row('links, without kiosks', report.linksWithoutKiosks),
      row('identities', report.identities),
    ],
  );
}

function printPairs(): void {
  printTable(
    ['pairs of one person', 'pairs', 'linked', 'recall', 'one identity'],
    all.truePairs.map(({ kind, pairs, linked, joined }) => [
      kind,
      String(pairs),
      String(linked),
      share(linked / pairs),
      share(joined / pairs),
    ]),
  );
  // A file of records has no households or offices.
  const exposedRows = all.falsePairs.filter(({ exposed, linked }) => exposed !== 0 || linked > 0);
  printTable(
    ['pairs of two people', 'pairs', 'linked', 'bridging'],
    exposedRows.map(({ cause, exposed, linked, bridged }) => [
      cause,
      exposed === null ? '' : String(exposed),
      String(linked),
      String(bridged),
    ]),
  );
  if (all.wrongEvidence.length === 0) return;
  printTable(
    ['wrong links rest on', 'links'],
    all.wrongEvidence.slice(0, 10).map(([evidence, links]) => [evidence, String(links)]),
  );
}

function printClusters(): void {
  const people = all.wrongClusters.reduce((sum, cluster) => sum + cluster.people, 0);
  console.log(
    `\n${all.wrongClusters.length} of ${all.identities.count} identities mix people, ${people} in all; ` +
      `by a network alone: ${byNetwork.length}`,
  );
  if (all.wrongClusters.length === 0) return;
  printTable(
    ['largest of them', 'people', 'accounts', 'rest on'],
    all.wrongClusters
      .slice(0, 5)
      .map((cluster: Cluster) => [
        cluster.causes.join(', '),
        String(cluster.people),
        String(cluster.accounts),
        cluster.evidence.slice(0, 3).join(', '),
      ]),
  );
}

function share(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(4);
}
