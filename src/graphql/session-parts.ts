import type { MobileFacts, SessionResult } from '../domain/sessions/session-result.ts';
import { builder } from './builder.ts';

export const text = (description: string) => ({ description: `${description} Empty when unknown.` });

type SessionNetwork = SessionResult['network'] & { privateRelay: boolean | null };

export const NetworkType = builder.objectRef<SessionNetwork>('SessionNetwork').implement({
  description: 'The network that a session came through.',
  fields: (t) => ({
    ipAddress: t.exposeString('ipAddress', text('IPv4 or IPv6 address.')),
    serviceProvider: t.exposeString('serviceProvider', text('Name of the operator of the address.')),
    connectionType: t.exposeString(
      'connectionType',
      text(
        'satellite, private_relay, hosting, mobile, education, government, business or isp. Another value than ' +
          'private_relay excludes a privacy relay only when privateRelay is false.',
      ),
    ),
    privateRelay: t.boolean({
      nullable: true,
      description:
        'Whether the address belongs to a privacy relay, such as iCloud Private Relay. Null: unknown, since no list of ' +
        'relays was available or the session has no public address.',
      resolve: (network) => network.privateRelay,
    }),
  }),
});

export const LocationType = builder.objectRef<SessionResult['location']>('SessionLocation').implement({
  description: 'Where the address of a session is, by IP geolocation by DB-IP (db-ip.com).',
  fields: (t) => ({
    continent: t.exposeString('continent', text('Two letters: AF, AN, AS, EU, NA, OC, SA.')),
    countryCode: t.exposeString('countryCode', text('ISO 3166-1 alpha-2.')),
    state: t.exposeString('state', text('Full name of the state or region.')),
    city: t.exposeString('city', text('City.')),
    zipCode: t.exposeString('zipCode', text('Postal code.')),
    timezone: t.exposeString('timezone', text('IANA timezone of the coordinates.')),
    latitude: t.float({
      nullable: true,
      description: 'Degrees north, -90 to 90.',
      resolve: (l) => l.latitude,
    }),
    longitude: t.float({
      nullable: true,
      description: 'Degrees east, -180 to 180.',
      resolve: (l) => l.longitude,
    }),
  }),
});

export const BrowserType = builder.objectRef<SessionResult['browser']>('SessionBrowser').implement({
  description: 'The browser of a session.',
  fields: (t) => ({
    type: t.exposeString('type', text('Name, such as Chrome.')),
    version: t.exposeString('version', text('Full version, such as 137.0.0.0.')),
    language: t.exposeString('language', text('First language as BCP 47.')),
    userAgent: t.exposeString('userAgent', text('User agent.')),
    timezone: t.exposeString('timezone', text('IANA timezone that the browser states.')),
  }),
});

export const DeviceType = builder.objectRef<SessionResult['device']>('SessionDevice').implement({
  description: 'The device of a session.',
  fields: (t) => ({
    category: t.exposeString('category', {
      description: 'desktop, mobile, tablet, console, smarttv, wearable, embedded or other.',
    }),
    type: t.exposeString('type', text('Kind, such as Mac, iPhone or Windows PC.')),
    os: t.exposeString('os', text('Operating system with version, such as macOS 10.15.7.')),
    gpu: t.exposeString('gpu', text('Graphics renderer as the browser states it.')),
    cpuCores: t.int({ nullable: true, description: 'Logical processors.', resolve: (d) => d.cpuCores }),
    memory: t.int({
      nullable: true,
      description: 'Memory in GB, as the browser rounds it.',
      resolve: (d) => d.memory,
    }),
    screenHeight: t.int({ nullable: true, description: 'CSS pixels.', resolve: (d) => d.screenHeight }),
    screenWidth: t.int({ nullable: true, description: 'CSS pixels.', resolve: (d) => d.screenWidth }),
  }),
});

export const BotType = builder.objectRef<SessionResult['bot']>('SessionBot').implement({
  description: 'How often a person, or something like one, did what.',
  fields: (t) => ({
    mouseNumEvents: t.exposeInt('mouseNumEvents', { description: 'Mouse movements.' }),
    clickNumEvents: t.exposeInt('clickNumEvents', { description: 'Clicks.' }),
    keyboardNumEvents: t.exposeInt('keyboardNumEvents', { description: 'Key presses.' }),
    touchNumEvents: t.exposeInt('touchNumEvents', { description: 'Touches.' }),
    clipboardNumEvents: t.exposeInt('clipboardNumEvents', { description: 'Copies and pastes.' }),
  }),
});

const Battery = builder.objectRef<MobileFacts['battery']>('SessionBattery').implement({
  description: 'The battery of a phone.',
  fields: (t) => ({
    level: t.float({ nullable: true, description: 'Charge, 0 to 1.', resolve: (b) => b.level }),
    charging: t.boolean({
      nullable: true,
      description: 'Whether it is charging.',
      resolve: (b) => b.charging,
    }),
  }),
});

const Integrity = builder.objectRef<MobileFacts['integrity']>('SessionIntegrity').implement({
  description: "The manufacturer's verdict on app and device.",
  fields: (t) => ({
    provider: t.exposeString('provider', text('play_integrity, app_attest or device_check.')),
    verdict: t.exposeString('verdict', text('The verdict.')),
    verdicts: t.exposeStringList('verdicts', { description: 'All verdicts.' }),
  }),
});

export const MobileType = builder.objectRef<MobileFacts>('SessionMobile').implement({
  description: 'What the iOS and Android SDKs tell of the phone.',
  fields: (t) => ({
    brand: t.exposeString('brand', text('Brand.')),
    model: t.exposeString('model', text('Model.')),
    ramMb: t.int({ nullable: true, description: 'Memory in MB.', resolve: (m) => m.ramMb }),
    bootCount: t.int({
      nullable: true,
      description: 'Boots since the last reset.',
      resolve: (m) => m.bootCount,
    }),
    uptimeSeconds: t.float({
      nullable: true,
      description: 'Seconds since boot.',
      resolve: (m) => m.uptimeSeconds,
    }),
    battery: t.field({ type: Battery, description: 'Battery.', resolve: (m) => m.battery }),
    languages: t.exposeStringList('languages', { description: 'Languages of the phone as BCP 47.' }),
    integrity: t.field({ type: Integrity, description: 'Integrity verdicts.', resolve: (m) => m.integrity }),
  }),
});

export const CarrierType = builder
  .objectRef<NonNullable<SessionResult['carrier']>>('SessionCarrier')
  .implement({
    description: 'The operator of the SIM card.',
    fields: (t) => ({
      name: t.exposeString('name', text('Name.')),
      countryCode: t.exposeString('countryCode', text('Country that it operates in, ISO 3166-1 alpha-2.')),
      mcc: t.exposeString('mcc', text('Mobile country code.')),
      mnc: t.exposeString('mnc', text('Mobile network code.')),
    }),
  });
