import { isCountryCode } from '@vouchgraph/platform/countries';
import { countries } from 'countries-list';
import { z } from 'zod';
import type { OnlineProfile } from '../../email-evidence.ts';
import { digestOf } from '../spelled-hashes.ts';
import { readDate, readPhone, readText, readUrl } from '../value-readers.ts';
import type { OnlineProtocol, ProtocolOptions } from './online-provider-adapter.ts';

const MAX_NAME = 256;
const MAX_SERVICE = 128;
const MAX_ACCOUNTS = 100;
const text = z.string().nullish();

const answerShape = z.object({
  hash: z.string().min(1),
  display_name: text,
  profile_url: text,
  location: text,
  registration_date: text,
  verified_accounts: z
    .array(z.object({ service_type: text, service_label: text, url: text, is_hidden: z.boolean().nullish() }))
    .nullish(),
  contact_info: z.object({ home_phone: text, work_phone: text, cell_phone: text }).nullish(),
});

type GravatarProfile = z.infer<typeof answerShape>;

/** Gravatar, REST version 3: the profile of an address and the accounts it names. It receives the digest alone. */
export function gravatarProtocol({ url, key, agent }: ProtocolOptions): OnlineProtocol {
  const base = url.replace(/\/+$/, '');
  return {
    name: 'gravatar',
    looksInto: ['profiles'],
    request: (address) => ({
      url: `${base}/v3/profiles/${digestOf('sha256', address).toString('hex')}`,
      headers: { authorization: `Bearer ${key}`, 'user-agent': agent, accept: 'application/json' },
    }),
    read(body) {
      const parsed = answerShape.safeParse(body);
      return parsed.success ? { breaches: [], profiles: profilesOf(parsed.data) } : null;
    },
  };
}

function profilesOf(profile: GravatarProfile): OnlineProfile[] {
  const { home_phone, work_phone, cell_phone } = profile.contact_info ?? {};
  const phones = [home_phone, work_phone, cell_phone].flatMap((phone) => readPhone(phone ?? '') ?? []);
  const accounts = (profile.verified_accounts ?? []).filter(({ is_hidden }) => !is_hidden);
  return [
    {
      service: 'gravatar',
      url: readUrl(profile.profile_url ?? ''),
      name: readText(profile.display_name ?? '', MAX_NAME) ?? '',
      phones,
      country: countryOf(profile.location ?? ''),
      since: readDate(profile.registration_date ?? ''),
    },
    ...accounts.slice(0, MAX_ACCOUNTS).flatMap((account): OnlineProfile[] => {
      const service = readText(account.service_type || account.service_label || '', MAX_SERVICE);
      if (!service) return [];
      return [{ service, url: readUrl(account.url ?? ''), name: '', phones: [], country: '', since: null }];
    }),
  ];
}

/** Countries by their English name in lower case. Georgia is omitted: more people mean the US state. */
const BY_NAME = new Map(
  Object.entries(countries)
    .filter(([code]) => code !== 'GE' && isCountryCode(code))
    .map(([code, { name }]) => [name.toLowerCase(), code]),
);
for (const name of ['usa', 'u.s.a.', 'united states of america']) BY_NAME.set(name, 'US');
for (const name of ['uk', 'england', 'scotland', 'wales', 'great britain']) BY_NAME.set(name, 'GB');

/** The country at the end of a place, such as `Berlin, Germany`; '' without one. */
export function countryOf(location: string): string {
  const last = location.split(',').at(-1)!.trim().toLowerCase();
  return BY_NAME.get(last) ?? '';
}
