import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decodeEducationDomains } from './education-domains-format.ts';
import { NEVER_EDUCATION } from './own-domains.ts';

/** The file that `npm run build:education` writes and the service loads. */
export const EDUCATION_FILE = fileURLToPath(new URL('../data/education-domains.bin', import.meta.url));

export type EducationDomains = {
  /** Version of the package behind the lists; null if the file is missing or damaged. */
  sourceVersion: string | null;
  domains: ReadonlySet<string>;
  suffixes: ReadonlySet<string>;
  doubted: ReadonlySet<string>;
};

/** Without lists, public suffixes still identify most of education. */
const NO_LISTS: EducationDomains = {
  sourceVersion: null,
  domains: new Set(),
  suffixes: new Set(),
  doubted: new Set(),
};

/** Reads the lists of a file. A damaged or missing file must not stop the gateway: the lists are empty then. */
export function readEducationDomains(file: string): EducationDomains {
  try {
    const { header, body } = decodeEducationDomains(readFileSync(file));
    const never: ReadonlySet<string> = new Set(NEVER_EDUCATION);
    return {
      sourceVersion: header.sourceVersion,
      domains: new Set(body.domains.filter((domain) => !never.has(domain))),
      suffixes: new Set(body.suffixes),
      doubted: new Set(body.doubted),
    };
  } catch {
    return NO_LISTS;
  }
}
