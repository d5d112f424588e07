import type { EducationBody } from '@vouchgraph/email/internals/education-domains-format';
import { getPublicSuffix } from 'tldts';

/** Contents of the package swot: a file for each domain (`uk/ac/ox.txt` is ox.ac.uk), and three lists. */
export type EducationSource = {
  /** Paths of the files, with `/` between their parts. */
  paths: readonly string[];
  /** Suffixes under which all domains are academic. */
  suffixes: readonly string[];
  /** Domains that are not academic, even if a file lists them. */
  stopped: readonly string[];
  /** Academic domains with mailboxes of outsiders. */
  abused: readonly string[];
};

const HOST_NAME = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]+$/;

/**
 * Builds the lists of the file. It omits domains of the stop list with their subdomains, subdomains of a listed domain,
 * which are redundant, and public suffixes, which would cover all registrants below them.
 */
export function flattenEducationSource(source: EducationSource): EducationBody {
  const stopped = new Set(source.stopped);
  const suffixes = source.suffixes.filter(isSuffix);
  const files = source.paths.flatMap(domainsOfPath).filter((domain) => !isSuffix(domain));
  const named = new Set([...files, ...source.suffixes.filter(isOneOwners)]);
  const kept = [...named].filter(
    (domain) => !isWithin(stopped, domain) && !isWithin(named, parentOf(domain)),
  );
  return {
    domains: kept.sort(),
    suffixes: suffixes.toSorted(),
    doubted: [...new Set([...stopped, ...source.abused])].sort(),
  };
}

/** Empty for a file that is not a domain: a list next to the folders, or a file name with a typing error. */
function domainsOfPath(path: string): string[] {
  if (!path.endsWith('.txt')) return [];
  const domain = path.slice(0, -'.txt'.length).toLowerCase().split('/').reverse().join('.');
  return HOST_NAME.test(domain) ? [domain] : [];
}

function isSuffix(domain: string): boolean {
  return getPublicSuffix(domain, { extractHostname: false, validateHostname: false }) === domain;
}

/**
 * Some academic suffixes are not public suffixes: a domain of one owner, with schools below it (ort.org.il,
 * k12.hi.us). A suffix of two labels (ac.gg) may belong to any registrant.
 */
function isOneOwners(suffix: string): boolean {
  return !isSuffix(suffix) && suffix.split('.').length > 2;
}

function parentOf(domain: string): string {
  return domain.slice(domain.indexOf('.') + 1);
}

function isWithin(names: ReadonlySet<string>, domain: string): boolean {
  if (names.has(domain)) return true;
  return domain.includes('.') && isWithin(names, parentOf(domain));
}
