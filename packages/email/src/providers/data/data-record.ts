import type { Breach, OnlineProfile } from '../../email-evidence.ts';
import { type DataDescription, DEFAULT_TRUST_WEIGHT } from './data-manifest.ts';

/** Values of a row besides its hash. The description of the file replaces absent values. */
export type DataRecord = {
  /** Of a breach. */
  readonly breach?: string;
  readonly date?: string;
  readonly trust?: number;
  readonly industry?: string;
  /** Of a profile. */
  readonly service?: string;
  readonly url?: string;
  readonly name?: string;
  readonly phone?: string;
  readonly since?: string;
  /** Of both. */
  readonly country?: string;
};

export function breachOf(record: DataRecord, description: DataDescription): Breach {
  return {
    source: record.breach ?? description.breach ?? description.name,
    date: record.date ?? description.breach_date ?? null,
    trustWeight: record.trust ?? description.trust_weight ?? DEFAULT_TRUST_WEIGHT,
    country: record.country ?? description.country ?? null,
    industry: record.industry ?? description.industry ?? null,
  };
}

export function profileOf(record: DataRecord, description: DataDescription): OnlineProfile {
  return {
    service: record.service ?? description.service ?? description.name,
    url: record.url ?? null,
    name: record.name ?? '',
    phones: record.phone === undefined ? [] : [record.phone],
    // The country of the file is that of the service, not of its people.
    country: record.country ?? '',
    since: record.since ?? null,
  };
}
