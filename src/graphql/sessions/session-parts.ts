import type { DeviceCategory, MobileFacts, SessionResult } from '@vouchgraph/signals';
import { DEVICE_FACTS } from '@vouchgraph/signals';
import { builder } from '../kernel/builder.ts';
import {
  alwaysKnown,
  boolean,
  country,
  factFields,
  facts,
  factType,
  int,
  number,
  text,
  texts,
  word,
} from '../kernel/fact-fields.ts';
import { known } from '../kernel/known.ts';
import type { StoredFacts } from '../kernel/stored-facts.ts';
import {
  ConnectionTypeEnum,
  ContinentEnum,
  DeviceCategoryEnum,
  IntegrityProviderEnum,
} from './session-enums.ts';

type SessionNetwork = SessionResult['network'] & { privateRelay: boolean | null };

export const NetworkType = factType<SessionNetwork>(
  'SessionNetwork',
  'Network of a session.',
  { tokenScopes: 'any', revealedBy: 'parent', subjects: 'none' },
  {
    ipAddress: text('IPv4 or IPv6 address.', { mask: 'ip' }),
    serviceProvider: text('Name of the operator of the address.', { mask: 'none' }),
    connectionType: word(ConnectionTypeEnum, 'Kind of network.', {
      rest: { description: 'Kind of network. Empty if unknown.' },
      nulls:
        'Null if unknown. Values other than PRIVATE_RELAY exclude a privacy relay only if privateRelay is ' +
        'false.',
    }),
    privateRelay: boolean('Whether the address belongs to a privacy relay, such as iCloud Private Relay.', {
      nulls: 'Null if unknown: no list of relays was available, or the session has no public address.',
    }),
  },
);

export const LocationType = factType<SessionResult['location']>(
  'SessionLocation',
  'Location of the IP address of a session. IP geolocation by DB-IP (db-ip.com).',
  { tokenScopes: 'any', revealedBy: 'parent', subjects: 'none' },
  {
    continent: word(ContinentEnum, 'Continent.'),
    countryCode: country('Country.'),
    state: text('Full name of the state or region.', { mask: 'none' }),
    city: text('City.', { mask: 'none' }),
    zipCode: text('Postal code.', { mask: 'text' }),
    timezone: text('IANA time zone of the coordinates.', { mask: 'none' }),
    latitude: number('Degrees north, -90 to 90.', { mask: 'absent' }),
    longitude: number('Degrees east, -180 to 180.', { mask: 'absent' }),
  },
);

export const BrowserType = factType<SessionResult['browser']>(
  'SessionBrowser',
  'Browser of a session.',
  { tokenScopes: 'any', subjects: 'none', mask: 'none' },
  {
    type: text('Name, such as Chrome.', {
      nulls: 'Null if unknown. The set is open, because new browsers appear.',
    }),
    version: text('Full version, such as 137.0.0.0.'),
    language: text('Preferred language as BCP 47.'),
    userAgent: text('User agent.'),
    timezone: text('IANA time zone from the browser.'),
  },
);

export const DeviceType = builder.objectRef<SessionResult['device']>('SessionDevice').implement({
  tokenScopes: 'any',
  subjects: 'none',
  mask: 'none',
  description: 'Device of a session.',
  fields: (t) => ({
    category: t.field({
      type: DeviceCategoryEnum,
      description: 'Kind of device. OTHER if unknown.',
      resolve: (d) => (known(d.category) ?? 'other') as DeviceCategory,
    }),
    ...factFields(
      t,
      {
        type: text('Model or kind, such as Mac, iPhone or Windows PC.', {
          nulls: 'Null if unknown. The set is open, because new models appear.',
        }),
        os: text('Operating system with version, such as macOS 10.15.7.'),
        ...Object.fromEntries(
          Object.entries(DEVICE_FACTS).map(([name, { type, description }]) => [
            name,
            type === 'text' ? text(description) : int(description),
          ]),
        ),
      },
      (device: StoredFacts) => device,
    ),
  }),
});

export const BotType = factType<SessionResult['bot']>(
  'SessionBot',
  'Counts of interactions in a session.',
  { tokenScopes: 'any', subjects: 'none' },
  {
    mouseNumEvents: alwaysKnown(int('Number of mouse movements.')),
    clickNumEvents: alwaysKnown(int('Number of clicks.')),
    keyboardNumEvents: alwaysKnown(int('Number of key presses.')),
    touchNumEvents: alwaysKnown(int('Number of touches.')),
    clipboardNumEvents: alwaysKnown(int('Number of copies and pastes.')),
  },
);

const Battery = factType<MobileFacts['battery']>(
  'SessionBattery',
  'Battery of a phone.',
  { tokenScopes: 'any', subjects: 'none' },
  {
    level: number('Charge, 0 to 1.'),
    charging: boolean('Whether the battery is charging.'),
  },
);

const Integrity = factType<MobileFacts['integrity']>(
  'SessionIntegrity',
  'Integrity verdict on the app and the device, by Google or Apple.',
  { tokenScopes: 'any', subjects: 'none', mask: 'none' },
  {
    provider: word(IntegrityProviderEnum, 'Service that issued the verdict.', {
      nulls: 'Null if none was reported.',
    }),
    verdict: text('Verdict as the service returned it.', { nulls: 'Null if none was reported.' }),
    verdicts: alwaysKnown(texts('All verdicts as the service returned them. Empty if none was reported.')),
  },
);

export const MobileType = factType<MobileFacts>(
  'SessionMobile',
  'Facts of a phone, from the iOS or Android SDK.',
  { tokenScopes: 'any', subjects: 'none', mask: 'none' },
  {
    brand: text('Brand.'),
    model: text('Model.'),
    ramMb: int('Memory in MB.'),
    bootCount: int('Number of boots since the last reset.'),
    uptimeSeconds: number('Time since boot in seconds.'),
    battery: alwaysKnown(facts(Battery, 'Battery.')),
    languages: alwaysKnown(texts('Languages of the phone as BCP 47.')),
    integrity: alwaysKnown(facts(Integrity, 'Verdict on app and device.')),
  },
);

export const CarrierType = factType<NonNullable<SessionResult['carrier']>>(
  'SessionCarrier',
  'Operator of the SIM card.',
  { tokenScopes: 'any', subjects: 'none', mask: 'none' },
  {
    name: text('Name.'),
    countryCode: text('Country of the operator as ISO 3166-1 alpha-2, reported by the app.'),
    mcc: text('Mobile country code.'),
    mnc: text('Mobile network code.'),
  },
);
