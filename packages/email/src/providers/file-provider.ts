import type { ParsedEmail } from '../email-address.ts';
import type { DataFile } from './data/data-file.ts';
import { breachOf, type DataRecord, profileOf } from './data/data-record.ts';
import type { OfflineProvider, ProviderAnswer } from './provider.ts';
import { digestOf, type HashAlgorithm, listedSpellings } from './spelled-hashes.ts';

/** The digests of an address, each computed once for all files: the latest address is remembered. */
export type Digests = { of(email: ParsedEmail, algorithm: HashAlgorithm): readonly Buffer[] };

export function createDigests(): Digests {
  let address = '';
  let spellings: readonly string[] = [];
  let known: Partial<Record<HashAlgorithm, readonly Buffer[]>> = {};
  return {
    of(email, algorithm) {
      if (email.address !== address || spellings.length === 0) {
        address = email.address;
        spellings = listedSpellings(email);
        known = {};
      }
      known[algorithm] ??= spellings.map((spelling) => digestOf(algorithm, spelling));
      return known[algorithm];
    },
  };
}

/** The provider that an imported file is. */
export function createFileProvider(
  file: DataFile,
  digests: Digests,
): Pick<OfflineProvider, 'looksInto' | 'lookUpNow'> {
  const { description } = file.footer;
  return {
    looksInto: [description.kind],
    lookUpNow(email): ProviderAnswer {
      // Spellings and algorithms that are listed with the same record have found one thing.
      const found = new Set<DataRecord>();
      for (const algorithm of file.algorithms) {
        for (const digest of digests.of(email, algorithm)) {
          for (const record of file.find(algorithm, digest)) found.add(record);
        }
      }
      const records = [...found];
      const isBreaches = description.kind === 'breaches';
      return {
        isKnown: true,
        breaches: isBreaches ? records.map((record) => breachOf(record, description)) : [],
        profiles: isBreaches ? [] : records.map((record) => profileOf(record, description)),
      };
    },
  };
}
