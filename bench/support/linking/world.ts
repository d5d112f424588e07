import type { Random } from '../signals/random.ts';
import { COUNTRIES, type Country } from './countries.ts';
import { createMailboxes, type Mailboxes } from './emails.ts';
import { createNetworks, type Networks } from './networks.ts';

/** State that all people of a model share. */
export type World = {
  readonly random: Random;
  readonly networks: Networks;
  readonly mailboxes: Mailboxes;
  readonly phones: Set<string>;
  newId(of: string): string;
};

const DAY_MS = 86_400_000;
const BEGINS = Date.UTC(2026, 0, 1);
const DAYS = 320;

export function createWorld(random: Random, networkScale: number): World {
  const counts = new Map<string, number>();
  return {
    random,
    networks: createNetworks(COUNTRIES, random, networkScale),
    mailboxes: createMailboxes(),
    phones: new Set(),
    newId(of) {
      const count = (counts.get(of) ?? 0) + 1;
      counts.set(of, count);
      return `${of} ${count}`;
    },
  };
}

export function drawCountry(random: Random): Country {
  return random.weighted(COUNTRIES.map((country) => [country, country.weight] as const));
}

/** A point in time of the model's months. */
export function drawInstant(random: Random): Date {
  return new Date(BEGINS + Math.floor(random.share() * DAYS * DAY_MS));
}

/** End of the model's months. */
export const MODEL_ENDS = new Date(BEGINS + DAYS * DAY_MS);

export function isInModel(at: Date): boolean {
  return at < MODEL_ENDS;
}

export function afterDays(at: Date, days: number): Date {
  return new Date(at.getTime() + Math.floor(days * DAY_MS));
}

/** Days until the next of random events with this average interval. */
export function drawWait(random: Random, meanDays: number): number {
  return -Math.log(1 - random.share()) * meanDays;
}

/** A size between two bounds, small ones proportionally more frequent. */
export function drawSize(random: Random, least: number, most: number): number {
  return Math.round(least * (most / least) ** random.share());
}
