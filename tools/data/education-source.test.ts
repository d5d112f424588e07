import { expect, test } from 'vitest';
import { flattenEducationSource } from './education-source.ts';

const NOTHING = { paths: [], suffixes: [], stopped: [], abused: [] };
const domainsOf = (paths: string[], stopped: string[] = []) =>
  flattenEducationSource({ ...NOTHING, paths, stopped }).domains;

test('the path of a file is its domain in reverse order', () => {
  expect(domainsOf(['edu/mit.txt', 'uk/ac/ox.txt', 'de/fh-Kempten.txt'])).toEqual([
    'fh-kempten.de',
    'mit.edu',
    'ox.ac.uk',
  ]);
});

test('lists, folders and misspelled file names are not domains', () => {
  expect(domainsOf(['abused.txt', 'uk/ac', 'de/zi-mannheim', 'edu/two words.txt', 'edu/monroe.edu'])).toEqual(
    [],
  );
});

test('a domain below a listed one is redundant', () => {
  expect(domainsOf(['edu/mit/cs.txt', 'edu/mit.txt', 'edu/mit/cs/lab.txt'])).toEqual(['mit.edu']);
});

test('a public suffix in the files is ignored, and does not hide the domains below it', () => {
  expect(domainsOf(['gy/edu.txt', 'gy/edu/school.txt'])).toEqual(['school.edu.gy']);
});

test('a stopped domain is omitted with its subdomains and reported as doubtful', () => {
  const body = flattenEducationSource({
    ...NOTHING,
    paths: ['ac/id/ut/ecampus.txt', 'edu/mit.txt'],
    stopped: ['id.ac'],
    abused: ['mit.edu'],
  });
  expect(body.domains).toEqual(['mit.edu']);
  expect(body.doubted).toEqual(['id.ac', 'mit.edu']);
});

test('an academic suffix is accepted only when a registry or a single owner controls it', () => {
  const body = flattenEducationSource({ ...NOTHING, suffixes: ['ort.org.il', 'ac.gg', 'edu.cn'] });
  expect(body.suffixes).toEqual(['edu.cn']);
  expect(body.domains).toEqual(['ort.org.il']);
});
