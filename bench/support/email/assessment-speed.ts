import { assessEmail } from '@vouchgraph/email';
import { median } from '../statistics.ts';
import { errorIn, type MixedAddress } from './address-mix.ts';

export type Speed = {
  readonly addresses: number;
  /** By the clock, with one thread. */
  readonly perSecond: number;
  /** By the processor time of the process, so that other programs have no effect. */
  readonly perProcessorSecond: number;
  readonly mistakes: readonly string[];
};

const CLAIMS = { firstName: 'Jane', lastName: 'Doe', phone: '+4915112345678', country: 'DE' };

/**
 * Assesses the addresses repeatedly and returns the median of the rounds; all results of one round are checked.
 * With identity, each address has claims to compare.
 */
export function measureSpeed(
  addresses: readonly MixedAddress[],
  rounds: number,
  { identity = false } = {},
): Speed {
  const claims = identity ? CLAIMS : null;
  const assess = ({ email, evidence }: MixedAddress) =>
    assessEmail({ email, claims, identityIntelligence: identity }, evidence);
  const mistakes = addresses.flatMap((address) => errorIn(address, assess(address)) ?? []);
  const byClock: number[] = [];
  const byProcessor: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    const start = performance.now();
    for (const address of addresses) assess(address);
    const elapsedMs = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    byClock.push((addresses.length / elapsedMs) * 1000);
    byProcessor.push((addresses.length / (user + system)) * 1_000_000);
  }
  return {
    addresses: addresses.length,
    perSecond: median(byClock),
    perProcessorSecond: median(byProcessor),
    mistakes,
  };
}
