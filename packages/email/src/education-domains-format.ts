import { zstdDecompressSync } from 'node:zlib';

/*
 * The file of education domains: one line of JSON that a person can read, then three compressed lists of lines, with
 * an empty line between them.
 */

export const FORMAT_VERSION = 1;

export type EducationHeader = {
  format: 'vouchgraph-education-domains';
  formatVersion: number;
  source: string;
  sourceVersion: string;
  licence: string;
  attribution: string;
  domains: number;
  suffixes: number;
  doubted: number;
};

/** Lists in lower case and alphabetical order, without repetition. */
export type EducationBody = {
  /** Domains of schools and universities; each covers its subdomains. */
  domains: readonly string[];
  /** Public suffixes reserved for them. */
  suffixes: readonly string[];
  /** Domains with mailboxes of non-students, or that imitate the name of a school. */
  doubted: readonly string[];
};

/** Reads the file, which tools/data/encode-education-domains.ts writes; throws when the bytes are not of this format and version. */
export function decodeEducationDomains(file: Uint8Array): { header: EducationHeader; body: EducationBody } {
  const end = file.indexOf(0x0a);
  const header = JSON.parse(Buffer.from(file.subarray(0, end)).toString()) as EducationHeader;
  if (header.formatVersion !== FORMAT_VERSION) {
    throw new Error(
      `format version ${header.formatVersion}, expected ${FORMAT_VERSION}; run npm run build:education`,
    );
  }
  const text = zstdDecompressSync(file.subarray(end + 1)).toString();
  const [domains = [], suffixes = [], doubted = []] = text
    .split('\n\n')
    .map((list) => (list === '' ? [] : list.split('\n')));
  return { header, body: { domains, suffixes, doubted } };
}
