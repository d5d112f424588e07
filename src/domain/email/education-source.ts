import { getPublicSuffix } from 'tldts';
import type { EducationBody } from './education-domains-format.ts';

/** What swot keeps: a file for each domain (`uk/ac/ox.txt` is ox.ac.uk), and three lists. */
export type EducationSource = {
  /** Paths of the files, with `/` between their parts. */
  paths: readonly string[];
  /** Suffixes under which everything is academic. */
  suffixes: readonly string[];
  /** What is not academic, whatever the files say. */
  stopped: readonly string[];
  /** Academic, with mailboxes that came into the wrong hands. */
  abused: readonly string[];
};

const HOST_NAME = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]+$/;

/**
 * Makes the lists of the file. A domain that the stop list names, or one below such a name, is left out; a domain
 * below one that is listed says nothing new; a public suffix would take in everybody under it.
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

/** None for what is not a domain's file: a list beside the folders, a file name with a typing error. */
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
