import type { Random } from '../signals/random.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import type { Country } from './countries.ts';
import { createDevice, type Device } from './devices.ts';
import { aliasOf } from './emails.ts';
import type { Fields, ModelAccount, Origin, Session } from './model-account.ts';
import { drawName, latinOf, type Name, writeName } from './names.ts';
import { drawPhone, writePhone } from './phones.ts';
import { afterDays, drawCountry, drawInstant, drawSize, drawWait, isInModel, type World } from './world.ts';

type Ring = {
  kind: Origin;
  country: Country;
  personId: string;
  begins: Date;
  /** Period in which all accounts are opened. */
  days: number;
  phones: string[];
  mailboxes: string[];
  devices: Device[];
  names: Name[];
  numbered: string;
  addresses: string[];
};

/** Accounts that one machine of a ring opens. */
const MIN_ON_DEVICE = 5;
const MAX_ON_DEVICE = 40;

/** All accounts of a person who opens them in large numbers. */
export function createRing(world: World, size: number): ModelAccount[] {
  const ring = createPlan(world, size);
  return Array.from({ length: size }, () => createMember(world, ring));
}

function createPlan(world: World, size: number): Ring {
  const { random, networks, mailboxes, phones } = world;
  const kind = random.weighted<Origin>([
    ['ring by phone', ASSUMPTIONS.ringByPhone],
    ['ring by browser', ASSUMPTIONS.ringByBrowser],
    ['ring by mailbox', ASSUMPTIONS.ringByMailbox],
    ['ring by devices', ASSUMPTIONS.ringByDevices],
  ]);
  const country = drawCountry(random);
  const draw = <T>(count: number, make: () => T) => Array.from({ length: count }, make);
  const few = random.weighted([
    [1, 60],
    [2, 25],
    [3, 15],
  ]);
  const names = draw(3, () => drawName(country, random));
  const machines = kind === 'ring by browser' ? 1 : countDevices(random, size);
  const isNumbered = kind !== 'ring by mailbox' && random.chance(ASSUMPTIONS.ringNumbersMailboxes);
  const usesProxies = random.chance(ASSUMPTIONS.ringUsesProxies);
  return {
    kind,
    country,
    personId: world.newId('ring'),
    begins: drawInstant(random),
    days: random.between(1, 45),
    phones: kind === 'ring by phone' ? draw(few, () => drawPhone(country, phones, random)) : [],
    mailboxes: kind === 'ring by mailbox' ? draw(few, () => mailboxes.open(names[0]!, country, random)) : [],
    devices: draw(machines, () => createDevice(world, false)),
    names,
    numbered: isNumbered ? `${latinOf(names[0]!).first}${latinOf(names[1]!).last}` : '',
    addresses: usesProxies ? [] : draw(random.whole(1, 2), () => networks.proxy(country)),
  };
}

function countDevices(random: Random, size: number): number {
  return Math.max(1, Math.round(size / drawSize(random, MIN_ON_DEVICE, MAX_ON_DEVICE)));
}

function createMember(world: World, ring: Ring): ModelAccount {
  const { random } = world;
  const name = random.chance(0.5) ? random.pick(ring.names) : drawName(ring.country, random);
  const { mailbox, email } = drawMailbox(world, ring, name);
  const phone = drawPhoneOf(world, ring);
  const isExpected = random.chance(ASSUMPTIONS.countryExpected);
  const registeredAt = afterDays(ring.begins, random.between(0, ring.days));
  const fields: Fields = {
    email,
    phone: phone && writePhone(phone, ring.country, isExpected, random),
    ...writeName(name),
    username: '',
  };
  return {
    id: world.newId('account'),
    personId: ring.personId,
    origin: ring.kind,
    country: ring.country.code,
    registeredAt,
    fields,
    expectedCountries: isExpected ? [ring.country.code] : [],
    sessions: drawSessions(world, ring, registeredAt),
    mailbox,
    phone,
    circumstances: [],
  };
}

function drawMailbox({ random, mailboxes }: World, ring: Ring, name: Name) {
  if (ring.mailboxes.length > 0) {
    const mailbox = random.pick(ring.mailboxes);
    return { mailbox, email: aliasOf(mailbox, random) };
  }
  const own = ring.numbered
    ? mailboxes.openNumbered(ring.numbered, 'outlook.com')
    : mailboxes.open(name, ring.country, random);
  return { mailbox: own, email: own };
}

/** Rings without a shared phone buy a number for each third account. */
function drawPhoneOf({ random, phones }: World, ring: Ring): string {
  if (ring.phones.length > 0) return random.pick(ring.phones);
  return random.chance(1 / 3) ? drawPhone(ring.country, phones, random) : '';
}

/** Each account has its own browser unless the ring reuses one. */
function drawSessions(world: World, ring: Ring, registeredAt: Date): Session[] {
  const { random, networks } = world;
  const device = random.pick(ring.devices);
  const browser = ring.kind === 'ring by browser' ? device.browser : world.newId('browser');
  const ip = ring.addresses.length > 0 ? random.pick(ring.addresses) : networks.proxy(ring.country);
  const sessions: Session[] = [];
  let at = registeredAt;
  for (let left = random.whole(1, 3); left > 0 && (isInModel(at) || sessions.length === 0); left--) {
    sessions.push({ at, device: device.id, browser, ip });
    at = afterDays(at, drawWait(random, 3));
  }
  return sessions;
}
