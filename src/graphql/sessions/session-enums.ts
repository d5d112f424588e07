import {
  CONNECTION_TYPES,
  type DeviceCategory,
  INTEGRITY_PROVIDERS,
  integrityProviderShape,
  SESSION_SOURCES,
  sessionSourceShape,
} from '@vouchgraph/signals';
import { builder } from '../kernel/builder.ts';
import { valuesOf } from '../kernel/enum-values.ts';
import { setFieldType } from '../kernel/input-from.ts';

export const SessionSourceEnum = builder.enumType('SessionSource', {
  description: 'Kind of client of a session.',
  values: valuesOf(SESSION_SOURCES, {
    web: 'Browser.',
    ios: 'App with the iOS SDK.',
    android: 'App with the Android SDK.',
  }),
});
setFieldType(sessionSourceShape, SessionSourceEnum);

export const ConnectionTypeEnum = builder.enumType('ConnectionType', {
  description:
    'Kind of network of an IP address. If several apply, the first of these is used: SATELLITE, ' +
    'PRIVATE_RELAY, HOSTING, MOBILE, EDUCATION, GOVERNMENT, BUSINESS, ISP.',
  values: valuesOf(CONNECTION_TYPES, {
    satellite: 'Satellite internet.',
    private_relay: 'Privacy relay, such as iCloud Private Relay.',
    hosting: 'Data center, hosting provider, VPN, Tor or content delivery network.',
    mobile: 'Mobile carrier.',
    education: 'School or university.',
    government: 'Government.',
    business: 'Company.',
    isp: 'Internet service provider, or network of no other kind.',
  }),
});

export const DeviceCategoryEnum = builder.enumType('DeviceCategory', {
  description: 'Kind of device, according to its user agent.',
  values: {
    DESKTOP: { value: 'desktop', description: 'Desktop or laptop computer.' },
    MOBILE: { value: 'mobile', description: 'Mobile phone.' },
    TABLET: { value: 'tablet', description: 'Tablet.' },
    CONSOLE: { value: 'console', description: 'Game console.' },
    SMART_TV: { value: 'smarttv', description: 'Television.' },
    WEARABLE: { value: 'wearable', description: 'Watch or other wearable device.' },
    EMBEDDED: { value: 'embedded', description: 'Device with a built-in browser, such as a smart display.' },
    OTHER: { value: 'other', description: 'Other or unknown device.' },
  } as const satisfies Record<string, { value: DeviceCategory; description: string }>,
});

export const ContinentEnum = builder.enumType('Continent', {
  description: 'Continent.',
  values: {
    AF: { description: 'Africa.' },
    AN: { description: 'Antarctica.' },
    AS: { description: 'Asia.' },
    EU: { description: 'Europe.' },
    NA: { description: 'North America.' },
    OC: { description: 'Oceania.' },
    SA: { description: 'South America.' },
  },
});

export const IntegrityProviderEnum = builder.enumType('IntegrityProvider', {
  description: 'Service that attests the integrity of an app and its device.',
  values: valuesOf(INTEGRITY_PROVIDERS, {
    play_integrity: 'Play Integrity API of Google.',
    app_attest: 'App Attest of Apple.',
    device_check: 'DeviceCheck of Apple.',
  }),
});
setFieldType(integrityProviderShape, IntegrityProviderEnum);
