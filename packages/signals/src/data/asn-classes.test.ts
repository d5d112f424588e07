import { expect, test } from 'vitest';
import type { AsnClass } from './asn-class.ts';
import { CURATED_ASNS, classifyAsn } from './asn-classes.ts';
import { loadAsnTable } from './asn-table.ts';

const table = await loadAsnTable();
const NAMES = new Map(
  Array.from({ length: table.size }, (_, index) => [table.numberAt(index), table.nameAt(index)]),
);

test.each(CURATED_ASNS)('every number of $asnClass is in the table under its name', ({ systems }) => {
  for (const { name, numbers } of systems) {
    for (const number of numbers) {
      expect(NAMES.get(number)?.toLowerCase(), `AS${number}`).toContain(name.toLowerCase());
    }
  }
});

test('a number is on one list, except for hosts that VPN companies or Tor use', () => {
  const seen = new Map<number, string>();
  for (const { asnClass, systems } of CURATED_ASNS) {
    for (const number of systems.flatMap(({ numbers }) => numbers)) {
      expect(seen.get(number) ?? asnClass, `AS${number}`).toBe(asnClass);
      expect(seen.has(number), `AS${number} twice`).toBe(false);
      seen.set(number, asnClass);
    }
  }
});

test('VPN companies and operators of Tor exits are also hosting', () => {
  expect(classifyAsn(9009, 'M247 Europe SRL')).toEqual({ classes: ['vpn', 'hosting'], source: 'curated' });
  expect(classifyAsn(60729, 'Stiftung Erneuerbare Freiheit').classes).toEqual(['tor', 'hosting']);
});

test('a curated class overrides the name', () => {
  expect(classifyAsn(13335, 'Cloudflare, Inc.')).toEqual({ classes: ['cdn'], source: 'curated' });
  expect(classifyAsn(1766, 'Exxon Mobil Corporation').classes).toEqual(['business']);
});

test.each<[string, AsnClass[]]>([
  ['Example Hosting Ltd', ['hosting']],
  ['HostSailor', ['hosting']],
  ['FDCservers.net', ['hosting']],
  ['Shanghai Blue Cloud Technology Co.,Ltd', ['hosting']],
  ['Salt Mobile SA', ['mobile']],
  ['Telefonica Moviles Argentina S.A.', ['mobile']],
  ['Stanford University', ['education']],
  ['Clark County School District', ['education']],
  ['UK Ministry of Defence', ['government']],
  ['State of Tennessee', ['government']],
  ['Ford Motor Company', ['business']],
  ['Bank of America, National Association', ['business']],
])('%s is %j by its name', (name, classes) => {
  expect(classifyAsn(0, name)).toEqual({ classes, source: 'name' });
});

test.each([
  'Exxon Mobil Corporation',
  'China Mobile Communications Corporation',
  'T-Mobile Czech Republic a.s.',
  'America Movil Peru S.A.C.',
  'AFRIHOST SP (PTY) LTD',
  'FIBERHOST S.A.',
  'The Cloud Networks Limited',
  'Observer Media',
  'Sky UK Limited',
  'Orange S.A.',
  '',
])('the name "%s" has no class', (name) => {
  expect(classifyAsn(0, name)).toEqual({ classes: [], source: null });
});
