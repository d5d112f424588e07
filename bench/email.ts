import { parseArgs } from 'node:util';
import { describeEmail } from '@vouchgraph/email';
import { allDifferent, realisticMix } from './support/email/address-mix.ts';
import { measureSpeed, type Speed } from './support/email/assessment-speed.ts';
import {
  agreementRecall,
  falselyDisposableDomains,
  type Recall,
  tier1Recall,
} from './support/email/disposable-recall.ts';
import { honestLocalParts, internationalLocalParts } from './support/email/honest-addresses.ts';
import { LEGITIMATE_DOMAINS } from './support/email/legitimate-domains.ts';
import { describeMachine, printTable } from './support/report.ts';

/*
 * Quality and speed of email assessments without a database and without the network: recall on lists of
 * disposable domains, legitimate domains that are classified as disposable, legitimate local parts that raise a
 * signal, and addresses per second of one core. The last lines compare each figure with its bar; the exit code
 * is 1 when one is missed.
 */
const { values } = parseArgs({
  options: {
    addresses: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
  },
});
const [addresses, rounds] = [Number(values.addresses), Number(values.rounds)];
// With fewer domains, cached facts of one round would serve the next one.
if (!Number.isInteger(addresses) || addresses < 25_000)
  throw new Error('--addresses must be an integer of at least 25,000');
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a positive integer');

const tier1 = tier1Recall();
const agreement = agreementRecall();
const falselyDisposable = falselyDisposableDomains();
const locals = [...honestLocalParts(addresses), ...internationalLocalParts(Math.floor(addresses / 10))];
const fired = firedOnHonest(locals);
const mix = measureSpeed(realisticMix(addresses), rounds);
const identity = measureSpeed(realisticMix(addresses), rounds, { identity: true });
const different = measureSpeed(allDifferent(addresses), rounds);

const mistakes = [...mix.mistakes, ...identity.mistakes, ...different.mistakes];

printTable(
  ['disposable domains', 'listed', 'exceptions', 'counted', 'found', 'recall %'],
  [recallRow('disposable-email-domains-js', tier1), recallRow('mailchecker and @dahoom agree', agreement)],
);
printExceptions('disposable-email-domains-js', tier1);
printExceptions('agreement', agreement);
if (agreement.missed.length > 0) console.log(`missed of the agreement: ${agreement.missed.join(' ')}`);
console.log(
  `\n${LEGITIMATE_DOMAINS.length} legitimate domains, ${falselyDisposable.length} called disposable ${falselyDisposable.join(' ')}`,
);
printTable(
  ['signal on honest local parts', 'of', 'raised', '%'],
  Object.entries(fired).map(([signal, count]) => [
    signal,
    String(locals.length),
    String(count),
    ((count / locals.length) * 100).toFixed(3),
  ]),
);
printTable(
  ['addresses', 'assessed', '/s by clock', '/s of a core', 'wrong'],
  [
    speedRow('realistic mix', mix),
    speedRow('the same with claims and identity', identity),
    speedRow('all domains different', different),
  ],
);
for (const mistake of mistakes.slice(0, 10)) console.error(`WRONG  ${mistake}`);
console.log(`\n${describeMachine()}; ${rounds} rounds\n`);

const MIN_PER_SECOND = 50_000;
const MAX_HONEST_SHARE = 0.001;
const bars: readonly (readonly [name: string, isReached: boolean, figure: string])[] = [
  ['recall of disposable-email-domains-js = 100 %', tier1.missed.length === 0, percent(tier1.share)],
  ['recall of what two lists agree on ≥ 99 %', agreement.share >= 0.99, percent(agreement.share)],
  ['exceptions that excuse nothing = 0', idle(tier1, agreement) === 0, String(idle(tier1, agreement))],
  ['legitimate domains ≥ 500', LEGITIMATE_DOMAINS.length >= 500, String(LEGITIMATE_DOMAINS.length)],
  [
    'legitimate domains called disposable = 0',
    falselyDisposable.length === 0,
    String(falselyDisposable.length),
  ],
  ...Object.entries(fired).map(
    ([signal, count]) =>
      [
        `${signal} on honest local parts ≤ 0.1 %`,
        count / locals.length <= MAX_HONEST_SHARE,
        percent(count / locals.length),
      ] as const,
  ),
  speedBar('realistic mix', mix),
  speedBar('all domains different', different),
  ['wrong answers = 0', mistakes.length === 0, String(mistakes.length)],
];
for (const [name, isReached, figure] of bars)
  console.log(`${isReached ? 'pass' : 'FAIL'}  ${name}: ${figure}`);
if (bars.some(([, isReached]) => !isReached)) process.exitCode = 1;

/** Signals of the local part that no legitimate address should raise. */
function firedOnHonest(locals: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {
    random_local_part: 0,
    keyboard_run_local_part: 0,
    mixed_script_address: 0,
  };
  for (const local of locals)
    for (const signal of describeEmail(`${local}@gmx.de`).riskSignals)
      if (signal in counts) counts[signal]! += 1;
  return counts;
}

function recallRow(name: string, { listed, exceptions, counted, found, share }: Recall): string[] {
  return [
    name,
    String(listed),
    String(exceptions.length),
    String(counted),
    String(found),
    (share * 100).toFixed(3),
  ];
}

function printExceptions(name: string, { exceptions }: Recall): void {
  const byReason = Map.groupBy(exceptions, ({ reason }) => reason);
  console.log(`\nexceptions of ${name}`);
  for (const [reason, all] of byReason)
    console.log(`  ${reason}: ${all.map(({ domain }) => domain).join(' ')}`);
}

function idle(...recalls: readonly Recall[]): number {
  return recalls.reduce((sum, { idleExceptions }) => sum + idleExceptions.length, 0);
}

function speedRow(
  name: string,
  { addresses: count, perSecond, perProcessorSecond, mistakes }: Speed,
): string[] {
  return [name, String(count), perSecond.toFixed(0), perProcessorSecond.toFixed(0), String(mistakes.length)];
}

function speedBar(name: string, { perProcessorSecond }: Speed): readonly [string, boolean, string] {
  return [
    `${name} ≥ 50,000 addresses a second of a core`,
    perProcessorSecond >= MIN_PER_SECOND,
    perProcessorSecond.toFixed(0),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)} %`;
}
