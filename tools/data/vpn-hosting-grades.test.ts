import { classifyAsn } from '@vouchgraph/signals/internals/data/asn-classes';
import { loadAsnTable } from '@vouchgraph/signals/internals/data/asn-table';
import { VPN_HOSTING } from '@vouchgraph/signals/internals/data/vpn-hosting';
import { expect, test } from 'vitest';
import { gradeSystem, NEVER_GRADED, type RentedSystem } from './vpn-hosting-grades.ts';

const HOST: RentedSystem = {
  asn: 64500,
  name: 'Example Hosting',
  isHosting: true,
  hasOwnClass: false,
  servers: 200,
  blocks: 50,
  announced: 1000,
  providers: 3,
};

test.each<[string, Partial<RentedSystem>, number | null]>([
  ['5 % of its blocks', {}, 0.5],
  ['10 % of its blocks', { blocks: 100 }, 0.6],
  ['all of its blocks', { blocks: 1000 }, 0.6],
  ['1 % of its blocks', { blocks: 10 }, 0.42],
  ['less than 1 % of its blocks', { blocks: 9 }, null],
  ['19 servers', { servers: 19 }, null],
  ['49 servers of one provider', { servers: 49, providers: 1 }, null],
  ['50 servers of one provider', { servers: 50, providers: 1 }, 0.5],
  ['three blocks of a small host', { blocks: 3, announced: 4 }, null],
  ['a network that is not a host', { isHosting: false }, null],
  ['the own network of a VPN company', { hasOwnClass: true }, null],
  ['Cogent, despite its name', { asn: 174 }, null],
])('a network with VPN servers: %s', (_what, changes, grade) => {
  expect(gradeSystem({ ...HOST, ...changes })?.grade ?? null).toBe(grade);
});

test('every graded network is a host with its name, a grade by the formula, and not a carrier', async () => {
  const table = await loadAsnTable();
  const names = new Map(
    Array.from({ length: table.size }, (_, at) => [table.numberAt(at), table.nameAt(at)]),
  );
  expect(VPN_HOSTING.asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  expect(VPN_HOSTING.systems.length).toBeGreaterThan(10);
  for (const system of VPN_HOSTING.systems) {
    expect(names.get(system.asn), `AS${system.asn}`).toBe(system.name);
    expect(classifyAsn(system.asn, system.name).classes, system.name).toContain('hosting');
    expect(NEVER_GRADED.has(system.asn), system.name).toBe(false);
    expect(gradeSystem({ ...system, isHosting: true, hasOwnClass: false })).toEqual(system);
  }
});
