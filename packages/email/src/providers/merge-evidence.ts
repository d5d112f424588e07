import type { Breach, OnlineProfile, ProviderEvidence } from '../email-evidence.ts';
import type { ProviderAnswer, ProviderKind } from './provider.ts';

/** The answer of one provider, with its requested kinds. */
export type ProviderResult = {
  readonly provider: string;
  readonly looked: readonly ProviderKind[];
  readonly answer: ProviderAnswer;
};

/**
 * Merges the answers of all providers. A kind is null if no provider of this kind answered. The order of the results does
 * not matter.
 */
export function mergeEvidence(results: readonly ProviderResult[]): ProviderEvidence {
  const sorted = results.toSorted((a, b) => compareText(a.provider, b.provider));
  const known = sorted.flatMap(({ provider, looked, answer }) =>
    answer.isKnown ? [{ provider, looked, answer }] : [],
  );
  const of = (kind: ProviderKind) => known.filter(({ looked }) => looked.includes(kind));
  const [breaches, profiles] = [of('breaches'), of('profiles')];
  return {
    breaches: breaches.length === 0 ? null : mergeBreaches(breaches.flatMap(({ answer }) => answer.breaches)),
    profiles: profiles.length === 0 ? null : mergeProfiles(profiles.flatMap(({ answer }) => answer.profiles)),
    answered: known.map(({ provider, looked }) => ({ provider, looked })),
    failed: sorted.filter(({ answer }) => !answer.isKnown).map(({ provider }) => provider),
  };
}

/**
 * Breaches, each once, the newest first and undated ones last. Two are the same when their names differ in case and
 * punctuation at most, and their dates are equal or one is unknown.
 */
export function mergeBreaches(breaches: readonly Breach[]): Breach[] {
  const bySource = groupBy(breaches, ({ source }) => nameKey(source));
  return [...bySource.values()].flatMap(mergeOfOneSource).sort(newestFirst);
}

function mergeOfOneSource(breaches: readonly Breach[]): Breach[] {
  const byDate = groupBy(breaches, ({ date }) => date ?? '');
  const undated = byDate.get('') ?? [];
  byDate.delete('');
  if (byDate.size === 0) return [mergeSame(undated)];
  const dates = [...byDate.keys()].sort();
  // An undated breach counts as the earliest: it must not remain as a separate undated breach.
  return dates.map((date, index) => mergeSame([...byDate.get(date)!, ...(index === 0 ? undated : [])]));
}

function mergeSame(breaches: readonly Breach[]): Breach {
  const sorted = breaches.toSorted(mostTrustedFirst);
  const first = <Key extends 'date' | 'country' | 'industry'>(key: Key) =>
    sorted.find((breach) => breach[key] !== null)?.[key] ?? null;
  return { ...sorted[0]!, date: first('date'), country: first('country'), industry: first('industry') };
}

/** By all fields, so that the order of the answers does not matter. */
function mostTrustedFirst(a: Breach, b: Breach): number {
  return (
    b.trustWeight - a.trustWeight ||
    compareText(a.source, b.source) ||
    compareText(a.country ?? '', b.country ?? '') ||
    compareText(a.industry ?? '', b.industry ?? '')
  );
}

function newestFirst(a: Breach, b: Breach): number {
  return (
    compareText(b.date ?? '', a.date ?? '') ||
    compareText(nameKey(a.source), nameKey(b.source)) ||
    compareText(a.source, b.source)
  );
}

/**
 * Distinct profiles, by service and address. Two of the same service are the same profile when their addresses are equal,
 * or one of them has none and the service has no other.
 */
export function mergeProfiles(profiles: readonly OnlineProfile[]): OnlineProfile[] {
  const byService = groupBy(profiles, ({ service }) => nameKey(service));
  return [...byService.values()]
    .flatMap(mergeOfOneService)
    .sort(
      (a, b) =>
        compareText(nameKey(a.service), nameKey(b.service)) ||
        compareText(a.service, b.service) ||
        compareText(a.url ?? '', b.url ?? ''),
    );
}

function mergeOfOneService(profiles: readonly OnlineProfile[]): OnlineProfile[] {
  const byUrl = groupBy(profiles, ({ url }) => urlKey(url));
  if (byUrl.size <= 2 && byUrl.has('')) return [mergeSameProfile(profiles)];
  return [...byUrl.values()].map(mergeSameProfile);
}

function mergeSameProfile(profiles: readonly OnlineProfile[]): OnlineProfile {
  const smallest = (values: readonly (string | null)[]) =>
    values.filter((value): value is string => value !== null && value !== '').sort()[0];
  return {
    service: smallest(profiles.map(({ service }) => service)) ?? '',
    url: smallest(profiles.map(({ url }) => url)) ?? null,
    name: smallest(profiles.map(({ name }) => name)) ?? '',
    phones: [...new Set(profiles.flatMap(({ phones }) => phones))].sort(),
    country: smallest(profiles.map(({ country }) => country)) ?? '',
    since: smallest(profiles.map(({ since }) => since)) ?? null,
  };
}

/** `LinkedIn`, `linked-in` and `Linked In` are one name. */
function nameKey(name: string): string {
  const plain = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return plain === '' ? name : plain;
}

function urlKey(url: string | null): string {
  if (url === null) return '';
  return url
    .replace(/^https?:\/\/(www\.)?/i, '')
    .replace(/\/+$/, '')
    .toLowerCase();
}

function groupBy<Value>(values: readonly Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  return Map.groupBy(values, keyOf);
}

/** By code units: the order must not depend on the machine's language. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
