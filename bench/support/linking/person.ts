import { ASSUMPTIONS } from './assumptions.ts';
import type { Country } from './countries.ts';
import { createDevice, type Device } from './devices.ts';
import type { Gatherings, Kiosk, Workplace } from './gatherings.ts';
import { drawName, type Name } from './names.ts';
import type { Carrier, Line } from './networks.ts';
import { drawPhone } from './phones.ts';
import { drawInstant, type World } from './world.ts';

/** Homes of people, and their shared facilities. */
export type Home = { country: Country; line: Line; name: string; isShared: boolean; tablet: Device | null };

export type Person = {
  id: string;
  country: Country;
  name: Name;
  /** In its international form. */
  phone: string;
  mailbox: string;
  home: Home;
  carrier: Carrier;
  mobileIpv4: boolean;
  /** The later phone exists from the time of its purchase. */
  mobiles: readonly { device: Device; since: Date }[];
  computer: Device | null;
  tablet: Device | null;
  work: Workplace | null;
  kiosk: Kiosk | null;
  usesVpn: boolean;
  circumstances: string[];
};

export function createPerson(world: World, home: Home, gatherings: Gatherings): Person {
  const { random, networks } = world;
  const { country } = home;
  const name = drawName(country, random);
  const carrier = networks.carrier(country);
  const mobileIpv4 = random.chance(ASSUMPTIONS.mobileIpv4);
  const work = drawWork(world, country, gatherings);
  const kiosk = random.chance(ASSUMPTIONS.kioskPeople) ? gatherings.kiosk() : null;
  return {
    id: world.newId('person'),
    country,
    name,
    phone: drawPhone(country, world.phones, random),
    mailbox: world.mailboxes.open(name, country, random),
    home,
    carrier,
    mobileIpv4,
    mobiles: drawMobiles(world),
    computer: random.chance(ASSUMPTIONS.ownsComputer) ? createDevice(world, false) : null,
    tablet: home.tablet,
    work,
    kiosk,
    usesVpn: random.chance(ASSUMPTIONS.vpnUsers),
    circumstances: [
      ...(home.isShared ? [home.name] : []),
      ...(work ? [work.name] : []),
      ...(kiosk ? [kiosk.name] : []),
      ...(mobileIpv4 ? [`carrier ${carrier.name}`] : []),
    ],
  };
}

export function mobileAt({ mobiles }: Person, at: Date): Device {
  return mobiles.findLast(({ since }) => since <= at)!.device;
}

function drawMobiles(world: World) {
  const first = { device: createDevice(world, true), since: new Date(0) };
  if (!world.random.chance(ASSUMPTIONS.mobileReplaced)) return [first];
  return [first, { device: createDevice(world, true), since: drawInstant(world.random) }];
}

function drawWork({ random }: World, country: Country, gatherings: Gatherings): Workplace | null {
  if (random.chance(ASSUMPTIONS.worksInOffice)) return gatherings.office(country);
  return random.chance(ASSUMPTIONS.studies) ? gatherings.university(country) : null;
}
