import { ASSUMPTIONS } from './assumptions.ts';
import type { Country } from './countries.ts';
import { createDevice, type Device } from './devices.ts';
import type { Line } from './networks.ts';
import { drawSize, type World } from './world.ts';

/** An office or a university: many people with their own devices behind a few addresses. */
export type Workplace = { readonly name: string; readonly line: Line };

/** Public device. */
export type Kiosk = {
  readonly name: string;
  readonly line: Line;
  readonly device: Device;
  readonly keepsBrowser: boolean;
};

/** Shared places: each place is filled before the next one opens. */
export type Gatherings = {
  office(country: Country): Workplace;
  university(country: Country): Workplace;
  kiosk(): Kiosk;
};

export function createGatherings(world: World): Gatherings {
  const { random, networks } = world;
  const workplace = (kind: string, addresses: number) => ({
    name: world.newId(kind),
    line: networks.institution(addresses),
  });
  const offices = filled<Workplace>(
    () => workplace('office', random.whole(1, 2)),
    () => drawSize(random, 20, 300),
  );
  const universities = filled<Workplace>(
    () => workplace('university', 4),
    () => drawSize(random, 100, 400),
  );
  const kiosks = filled<Kiosk>(
    () => ({
      name: world.newId('kiosk'),
      line: networks.institution(1),
      device: createDevice(world, false),
      keepsBrowser: random.chance(ASSUMPTIONS.kioskKeepsBrowser),
    }),
    () => drawSize(random, 5, 80),
  );
  return {
    office: ({ code }) => offices(code),
    university: ({ code }) => universities(code),
    kiosk: () => kiosks(''),
  };
}

function filled<Place>(open: () => Place, size: () => number): (where: string) => Place {
  const current = new Map<string, { place: Place; left: number }>();
  return (where) => {
    const known = current.get(where);
    const entry = known && known.left > 0 ? known : { place: open(), left: size() };
    entry.left--;
    current.set(where, entry);
    return entry.place;
  };
}
