// cspell:ignore whitlock whitlok dwhitlock noemie castel
import { type BrowserKind, USUAL_BROWSERS } from './devices.ts';
import { DEVICE_RING, FAMILY, ORDINARY_PEOPLE, type Person, PHONE_RING } from './people.ts';
import { DATACENTER_IPS, homeIp, PLACES, TOR_IP, VPN_IPS } from './places.ts';
import type { PlannedAccount, PlannedVisit } from './plan.ts';

/** Accounts that belong together, and their visits. */
export type Story = {
  readonly accounts: readonly PlannedAccount[];
  readonly visits: readonly PlannedVisit[];
};

/** Phone of all accounts of a ring. A phone of fewer accounts with different first names counts as that of a family. */
const RING_PHONE = '+14155550172';
const DAY = 24;

const slug = (...parts: readonly string[]) => parts.join('-').toLowerCase();

const accountOf = ({ firstName, lastName, phone }: Person, story: string): PlannedAccount => ({
  key: slug(firstName, lastName),
  mailbox: `${firstName}.${lastName}`.toLowerCase(),
  ...{ firstName, lastName, phone, story },
});

/** One to three visits from home, with one device. */
export function ordinaryPeople(): Story {
  const visits = ORDINARY_PEOPLE.flatMap((person, index) => {
    const place = PLACES[person.place];
    const account = slug(person.firstName, person.lastName);
    return Array.from({ length: 1 + (index % 3) }, (_, visit) => ({
      account,
      hoursAgo: 29 * DAY - ((index * 17 + visit * 173) % (28 * DAY)),
      ip: homeIp(place, 10 + index),
      device: account,
      browser: USUAL_BROWSERS[index % USUAL_BROWSERS.length]!,
      place,
    }));
  });
  return { accounts: ORDINARY_PEOPLE.map((each) => accountOf(each, 'ordinary')), visits };
}

/** A household with one address. The parents share a laptop and the children a tablet; the parents also have phones. */
export function family(): Story {
  const place = PLACES.gb;
  const ip = homeIp(place, 120);
  const visits = FAMILY.flatMap(({ firstName, lastName }, index): PlannedVisit[] => {
    const account = slug(firstName, lastName);
    const isParent = index < 2;
    const at = { account, hoursAgo: 5 * DAY - index * 6, ip, place };
    const shared = isParent
      ? { ...at, device: 'family-laptop', browser: 'windows' as const }
      : { ...at, device: 'family-tablet', browser: 'android' as const };
    const own = { ...at, hoursAgo: at.hoursAgo - 30, device: account, browser: 'iphone' as const };
    return isParent ? [shared, own] : [shared];
  });
  return { accounts: FAMILY.map((each) => accountOf(each, 'family')), visits };
}

/** One person with three accounts: an email with a typing error, another phone, and the same laptop twice. */
export function severalAccounts(): Story {
  const place = PLACES.us;
  const common = { firstName: 'Dorian', lastName: 'Whitlock', story: 'several_accounts' };
  const at = (account: string, hoursAgo: number, device: string, browser: BrowserKind): PlannedVisit => ({
    ...{ account, hoursAgo, device, browser, place },
    ip: homeIp(place, 130),
  });
  return {
    accounts: [
      { key: 'dorian-1', mailbox: 'dorian.whitlock', phone: '+14155550161', ...common },
      { key: 'dorian-2', mailbox: 'dorian.whitlok', phone: '+14155550162', ...common },
      { key: 'dorian-3', mailbox: 'd.whitlock84', phone: '+14155550161', username: 'dwhitlock84', ...common },
    ],
    visits: [
      at('dorian-1', 20 * DAY, 'dorian-laptop', 'windows'),
      at('dorian-1', 9 * DAY, 'dorian-laptop', 'windows'),
      at('dorian-2', 6 * DAY, 'dorian-laptop', 'windows'),
      at('dorian-3', 3 * DAY, 'dorian-phone', 'android'),
    ],
  };
}

/** Eight accounts on different devices, with one phone number and mailboxes of one pattern. */
export function phoneRing(): Story {
  const place = PLACES.us;
  return {
    accounts: PHONE_RING.map(([firstName, lastName], index) => ({
      key: slug(firstName, lastName),
      mailbox: `promo.${firstName}${lastName}0${index + 1}`.toLowerCase(),
      ...{ phone: RING_PHONE, firstName, lastName, story: 'phone_ring' },
    })),
    visits: PHONE_RING.map(([firstName, lastName], index) => ({
      account: slug(firstName, lastName),
      hoursAgo: 5 * DAY - index * 7,
      ip: homeIp(place, 150 + index),
      device: slug(firstName, lastName),
      browser: USUAL_BROWSERS[index % USUAL_BROWSERS.length]!,
      place,
    })),
  };
}

/** Ten accounts that a script opens in one browser through servers in data centers. */
export function deviceRing(): Story {
  // The timezone of the device is on another continent than the servers.
  const place = PLACES.jp;
  const keys = DEVICE_RING.map((name) => `ring-${name.replace('.', '-')}`);
  return {
    accounts: DEVICE_RING.map((name, index) => ({
      key: keys[index]!,
      mailbox: `${name}.${index + 1}`,
      username: `${name.replace('.', '_')}_${index + 1}`,
      story: 'device_ring',
    })),
    visits: keys.map((account, index) => ({
      account,
      hoursAgo: 3 * DAY - index * 2,
      ip: DATACENTER_IPS[index % DATACENTER_IPS.length]!,
      device: 'ring-server',
      browser: 'headless',
      isSameBrowser: true,
      place,
    })),
  };
}

/** A traveler with a VPN, a person with Tor, and a crawler. */
export function unusualVisitors(): Story {
  const { fr, de } = PLACES;
  const traveler = { account: 'noemie-castel', device: 'noemie-laptop', browser: 'mac' as const, place: fr };
  return {
    accounts: [
      {
        ...{ key: 'noemie-castel', mailbox: 'noemie.castel', phone: '+33639980587' },
        ...{ firstName: 'Noemie', lastName: 'Castel', story: 'vpn_traveler' },
      },
      { key: 'quiet-visitor', mailbox: 'quiet.visitor', story: 'tor_user' },
      { key: 'crawler', mailbox: null, story: 'crawler' },
    ],
    visits: [
      { ...traveler, hoursAgo: 15 * DAY, ip: homeIp(fr, 140) },
      { ...traveler, hoursAgo: 3 * DAY, ip: VPN_IPS[0] },
      { ...traveler, hoursAgo: 3 * DAY - 2, ip: VPN_IPS[1] },
      { ...traveler, hoursAgo: DAY, ip: homeIp(fr, 140) },
      {
        ...{ account: 'quiet-visitor', device: 'quiet-laptop', browser: 'windows' as const, place: de },
        ...{ hoursAgo: 4 * DAY, ip: TOR_IP },
      },
      {
        ...{ account: 'crawler', device: 'crawler', browser: 'crawler' as const },
        ...{ place: { timezone: '', language: '' }, hoursAgo: 30, ip: TOR_IP },
      },
    ],
  };
}
