import { type Breach, type ProviderEvidence, SENSITIVE_SOURCE } from './email-evidence.ts';
import type { EmailSignal } from './email-weights.ts';

/** Minimum `trustWeight` of a trusted breach. */
export const MIN_TRUSTED_BREACH = 0.5;
/** Tiers with their minimum number of services, largest first. */
export const PRESENCE_TIERS = [
  [5, 'strong_online_presence'],
  [2, 'moderate_online_presence'],
  [1, 'sparse_online_presence'],
  [0, 'no_online_presence'],
] as const satisfies readonly (readonly [services: number, signal: EmailSignal])[];
/** Age in days up to which a breach is recent: leaked passwords are tried elsewhere for months. */
export const RECENT_BREACH_DAYS = 365;

const DAY_MS = 86_400_000;

export type Presence = {
  readonly signal: (typeof PRESENCE_TIERS)[number][1];
  readonly services: number;
  /** Number of services, and the providers with their kinds of evidence. */
  readonly evidence: string;
};

export function isTrusted({ trustWeight }: Breach): boolean {
  return trustWeight >= MIN_TRUSTED_BREACH;
}

/**
 * Tier of online presence; null if no provider looked for profiles. Each service counts once, by a profile or a trusted
 * breach. The risk tiers also need a provider that looked for breaches: an incomplete search does not prove absence. Nor is
 * an address absent that untrusted breaches alone contain.
 */
export function presenceOf(providers: ProviderEvidence): Presence | null {
  const { breaches, profiles, answered } = providers;
  if (profiles === null) return null;
  const services = new Set([
    ...profiles.map(({ service }) => service.toLowerCase()),
    ...(breaches ?? []).filter(isTrusted).map(serviceOf),
  ]).size;
  const [least, signal] = PRESENCE_TIERS.find(([count]) => services >= count)!;
  if (least < 2 && breaches === null) return null;
  // Listed only in breaches without credibility: known to a provider, without a proven presence.
  if (services === 0 && breaches!.length > 0) return null;
  const looked = answered.map((each) => `${each.provider} (${each.looked.join(' and ')})`).join(', ');
  return { signal, services, evidence: `${services} services; answered: ${looked}` };
}

/** Service of a breach. Sensitive ones have no names: those of different days are those of different services. */
function serviceOf({ source, date }: Breach): string {
  return source === SENSITIVE_SOURCE ? `${source} ${date}` : source.toLowerCase();
}

/** Names of the providers that looked for breaches, profiles or either, separated by commas. */
export function providersOf(
  { answered }: ProviderEvidence,
  kinds: readonly ('breaches' | 'profiles')[] = ['breaches', 'profiles'],
): string {
  const names = answered.filter(({ looked }) => looked.some((kind) => kinds.includes(kind)));
  return names.map(({ provider }) => provider).join(', ') || 'providers';
}

/** Latest trusted breach of the last 365 days; null without one. */
export function recentBreach(breaches: readonly Breach[], at: Date): Breach | null {
  const dated = breaches.filter((breach) => isTrusted(breach) && isRecent(breach.date, at));
  return dated.toSorted((one, other) => (one.date! < other.date! ? 1 : -1))[0] ?? null;
}

function isRecent(date: string | null, at: Date): boolean {
  const time = timeOf(date);
  if (time === null) return false;
  const ageMs = at.getTime() - time;
  return ageMs >= 0 && ageMs <= RECENT_BREACH_DAYS * DAY_MS;
}

/** First sighting of an address, with its source. */
export type Trace = { readonly at: Date; readonly source: string; readonly evidence: string };

/** Oldest trusted breach or profile with a date up to `at`; null without one. */
export function oldestTrace(providers: ProviderEvidence, at: Date): Trace | null {
  const { breaches, profiles } = providers;
  const dated = [
    ...(breaches ?? [])
      .filter(isTrusted)
      .map(({ date, source }) => ({ date, name: `breach ${source}`, kind: 'breaches' as const })),
    ...(profiles ?? []).map(({ since, service }) => ({
      date: since,
      name: `profile at ${service}`,
      kind: 'profiles' as const,
    })),
  ];
  let oldest: Trace | null = null;
  for (const { date, name, kind } of dated) {
    const time = timeOf(date);
    if (time === null || time > at.getTime() || (oldest && oldest.at.getTime() <= time)) continue;
    oldest = { at: new Date(time), source: providersOf(providers, [kind]), evidence: `${name} of ${date}` };
  }
  return oldest;
}

/** Time of a date (YYYY-MM-DD) at midnight UTC; null if it is missing or malformed. */
function timeOf(date: string | null): number | null {
  const time = date === null ? Number.NaN : Date.parse(`${date.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(time) ? null : time;
}
