import type { MobileFacts, SessionResult } from '../domain/sessions/session-result.ts';
import type { DeviceCategory } from '../domain/signals/device/user-agent.ts';
import type { ConnectionType } from '../domain/signals/network/connection-type.ts';
import { builder } from './builder.ts';
import { known } from './known.ts';
import {
  ConnectionTypeEnum,
  type Continent,
  ContinentEnum,
  DeviceCategoryEnum,
  IntegrityProviderEnum,
} from './session-enums.ts';

type SessionNetwork = SessionResult['network'] & { privateRelay: boolean | null };

export const NetworkType = builder.objectRef<SessionNetwork>('SessionNetwork').implement({
  description: 'Network of a session.',
  fields: (t) => ({
    ipAddress: t.string({
      nullable: true,
      description: 'IPv4 or IPv6 address. Null if unknown.',
      resolve: (n) => known(n.ipAddress),
    }),
    serviceProvider: t.string({
      nullable: true,
      description: 'Name of the operator of the address. Null if unknown.',
      resolve: (n) => known(n.serviceProvider),
    }),
    connectionType: t.field({
      type: ConnectionTypeEnum,
      nullable: true,
      description:
        'Kind of network. Null if unknown. Values other than PRIVATE_RELAY exclude a privacy relay only ' +
        'if privateRelay is false.',
      resolve: (n) => known(n.connectionType as ConnectionType),
    }),
    privateRelay: t.boolean({
      nullable: true,
      description:
        'Whether the address belongs to a privacy relay, such as iCloud Private Relay. Null if unknown: ' +
        'no list of relays was available, or the session has no public address.',
      resolve: (n) => n.privateRelay,
    }),
  }),
});

export const LocationType = builder.objectRef<SessionResult['location']>('SessionLocation').implement({
  description: 'Location of the IP address of a session. IP geolocation by DB-IP (db-ip.com).',
  fields: (t) => ({
    continent: t.field({
      type: ContinentEnum,
      nullable: true,
      description: 'Continent. Null if unknown.',
      resolve: (l) => known(l.continent as Continent | ''),
    }),
    countryCode: t.field({
      type: 'CountryCode',
      nullable: true,
      description: 'Country. Null if unknown.',
      resolve: (l) => known(l.countryCode),
    }),
    state: t.string({
      nullable: true,
      description: 'Full name of the state or region. Null if unknown.',
      resolve: (l) => known(l.state),
    }),
    city: t.string({
      nullable: true,
      description: 'City. Null if unknown.',
      resolve: (l) => known(l.city),
    }),
    zipCode: t.string({
      nullable: true,
      description: 'Postal code. Null if unknown.',
      resolve: (l) => known(l.zipCode),
    }),
    timezone: t.string({
      nullable: true,
      description: 'IANA time zone of the coordinates. Null if unknown.',
      resolve: (l) => known(l.timezone),
    }),
    latitude: t.float({
      nullable: true,
      description: 'Degrees north, -90 to 90. Null if unknown.',
      resolve: (l) => l.latitude,
    }),
    longitude: t.float({
      nullable: true,
      description: 'Degrees east, -180 to 180. Null if unknown.',
      resolve: (l) => l.longitude,
    }),
  }),
});

export const BrowserType = builder.objectRef<SessionResult['browser']>('SessionBrowser').implement({
  description: 'Browser of a session.',
  fields: (t) => ({
    type: t.string({
      nullable: true,
      description: 'Name, such as Chrome. Null if unknown. The set is open, because new browsers appear.',
      resolve: (b) => known(b.type),
    }),
    version: t.string({
      nullable: true,
      description: 'Full version, such as 137.0.0.0. Null if unknown.',
      resolve: (b) => known(b.version),
    }),
    language: t.string({
      nullable: true,
      description: 'Preferred language as BCP 47. Null if unknown.',
      resolve: (b) => known(b.language),
    }),
    userAgent: t.string({
      nullable: true,
      description: 'User agent. Null if unknown.',
      resolve: (b) => known(b.userAgent),
    }),
    timezone: t.string({
      nullable: true,
      description: 'IANA time zone from the browser. Null if unknown.',
      resolve: (b) => known(b.timezone),
    }),
  }),
});

export const DeviceType = builder.objectRef<SessionResult['device']>('SessionDevice').implement({
  description: 'Device of a session.',
  fields: (t) => ({
    category: t.field({
      type: DeviceCategoryEnum,
      description: 'Kind of device. OTHER if unknown.',
      resolve: (d) => (known(d.category) ?? 'other') as DeviceCategory,
    }),
    type: t.string({
      nullable: true,
      description:
        'Model or kind, such as Mac, iPhone or Windows PC. Null if unknown. The set is open, because ' +
        'new models appear.',
      resolve: (d) => known(d.type),
    }),
    os: t.string({
      nullable: true,
      description: 'Operating system with version, such as macOS 10.15.7. Null if unknown.',
      resolve: (d) => known(d.os),
    }),
    gpu: t.string({
      nullable: true,
      description: 'Graphics renderer from the browser. Null if unknown.',
      resolve: (d) => known(d.gpu),
    }),
    cpuCores: t.int({
      nullable: true,
      description: 'Number of logical processors. Null if unknown.',
      resolve: (d) => d.cpuCores,
    }),
    memory: t.int({
      nullable: true,
      description: 'Memory in GB, rounded by the browser. Null if unknown.',
      resolve: (d) => d.memory,
    }),
    screenHeight: t.int({
      nullable: true,
      description: 'Height of the screen in CSS pixels. Null if unknown.',
      resolve: (d) => d.screenHeight,
    }),
    screenWidth: t.int({
      nullable: true,
      description: 'Width of the screen in CSS pixels. Null if unknown.',
      resolve: (d) => d.screenWidth,
    }),
  }),
});

export const BotType = builder.objectRef<SessionResult['bot']>('SessionBot').implement({
  description: 'Counts of interactions in a session.',
  fields: (t) => ({
    mouseNumEvents: t.exposeInt('mouseNumEvents', { description: 'Number of mouse movements.' }),
    clickNumEvents: t.exposeInt('clickNumEvents', { description: 'Number of clicks.' }),
    keyboardNumEvents: t.exposeInt('keyboardNumEvents', { description: 'Number of key presses.' }),
    touchNumEvents: t.exposeInt('touchNumEvents', { description: 'Number of touches.' }),
    clipboardNumEvents: t.exposeInt('clipboardNumEvents', { description: 'Number of copies and pastes.' }),
  }),
});

const Battery = builder.objectRef<MobileFacts['battery']>('SessionBattery').implement({
  description: 'Battery of a phone.',
  fields: (t) => ({
    level: t.float({
      nullable: true,
      description: 'Charge, 0 to 1. Null if unknown.',
      resolve: (b) => b.level,
    }),
    charging: t.boolean({
      nullable: true,
      description: 'Whether the battery is charging. Null if unknown.',
      resolve: (b) => b.charging,
    }),
  }),
});

const Integrity = builder.objectRef<MobileFacts['integrity']>('SessionIntegrity').implement({
  description: 'Integrity verdict on the app and the device, by Google or Apple.',
  fields: (t) => ({
    provider: t.field({
      type: IntegrityProviderEnum,
      nullable: true,
      description: 'Service that issued the verdict. Null if none was reported.',
      resolve: (i) => known(i.provider as (typeof IntegrityProviderEnum)['$inferType'] | ''),
    }),
    verdict: t.string({
      nullable: true,
      description: 'Verdict as the service returned it. Null if none was reported.',
      resolve: (i) => known(i.verdict),
    }),
    verdicts: t.exposeStringList('verdicts', {
      description: 'All verdicts as the service returned them. Empty if none was reported.',
    }),
  }),
});

export const MobileType = builder.objectRef<MobileFacts>('SessionMobile').implement({
  description: 'Facts of a phone, from the iOS or Android SDK.',
  fields: (t) => ({
    brand: t.string({
      nullable: true,
      description: 'Brand. Null if unknown.',
      resolve: (m) => known(m.brand),
    }),
    model: t.string({
      nullable: true,
      description: 'Model. Null if unknown.',
      resolve: (m) => known(m.model),
    }),
    ramMb: t.int({
      nullable: true,
      description: 'Memory in MB. Null if unknown.',
      resolve: (m) => m.ramMb,
    }),
    bootCount: t.int({
      nullable: true,
      description: 'Number of boots since the last reset. Null if unknown.',
      resolve: (m) => m.bootCount,
    }),
    uptimeSeconds: t.float({
      nullable: true,
      description: 'Time since boot in seconds. Null if unknown.',
      resolve: (m) => m.uptimeSeconds,
    }),
    battery: t.field({ type: Battery, description: 'Battery.', resolve: (m) => m.battery }),
    languages: t.exposeStringList('languages', { description: 'Languages of the phone as BCP 47.' }),
    integrity: t.field({
      type: Integrity,
      description: 'Verdict on app and device.',
      resolve: (m) => m.integrity,
    }),
  }),
});

export const CarrierType = builder
  .objectRef<NonNullable<SessionResult['carrier']>>('SessionCarrier')
  .implement({
    description: 'Operator of the SIM card.',
    fields: (t) => ({
      name: t.string({
        nullable: true,
        description: 'Name. Null if unknown.',
        resolve: (c) => known(c.name),
      }),
      countryCode: t.string({
        nullable: true,
        description: 'Country of the operator as ISO 3166-1 alpha-2, reported by the app. Null if unknown.',
        resolve: (c) => known(c.countryCode),
      }),
      mcc: t.string({
        nullable: true,
        description: 'Mobile country code. Null if unknown.',
        resolve: (c) => known(c.mcc),
      }),
      mnc: t.string({
        nullable: true,
        description: 'Mobile network code. Null if unknown.',
        resolve: (c) => known(c.mnc),
      }),
    }),
  });
