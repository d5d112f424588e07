import { z } from 'zod';
import { type Breach, SENSITIVE_SOURCE } from '../../email-evidence.ts';
import { readDate, readText } from '../value-readers.ts';
import type { OnlineProtocol, ProtocolOptions } from './online-provider-adapter.ts';

/** Trust in a breach, by the flags of Have I Been Pwned. Priors. */
const HIBP_TRUST = { fabricated: 0, spamList: 0.3, unverified: 0.4, verified: 1 } as const;

const MAX_NAME = 128;
const flag = z.boolean().nullish();

const answerShape = z.array(
  z.object({
    Name: z.string().min(1),
    BreachDate: z.string().nullish(),
    IsVerified: flag,
    IsFabricated: flag,
    IsSensitive: flag,
    IsSpamList: flag,
  }),
);

type HibpBreach = z.infer<typeof answerShape>[number];

/** Have I Been Pwned, version 3: the breaches of an address. It receives the address itself. */
export function hibpProtocol({ url, key, agent }: ProtocolOptions): OnlineProtocol {
  const base = url.replace(/\/+$/, '');
  return {
    name: 'hibp',
    looksInto: ['breaches'],
    request: (address) => ({
      url: `${base}/api/v3/breachedaccount/${encodeURIComponent(address)}?truncateResponse=false`,
      headers: { 'hibp-api-key': key, 'user-agent': agent, accept: 'application/json' },
    }),
    read(body) {
      const parsed = answerShape.safeParse(body);
      return parsed.success ? { breaches: parsed.data.map(breachOf), profiles: [] } : null;
    },
  };
}

function breachOf(breach: HibpBreach): Breach {
  return {
    source: breach.IsSensitive ? SENSITIVE_SOURCE : (readText(breach.Name, MAX_NAME) ?? 'unnamed breach'),
    date: readDate(breach.BreachDate ?? ''),
    trustWeight: trustOf(breach),
    country: null,
    industry: null,
  };
}

function trustOf({ IsVerified, IsFabricated, IsSpamList }: HibpBreach): number {
  if (IsFabricated) return HIBP_TRUST.fabricated;
  if (IsSpamList) return HIBP_TRUST.spamList;
  return IsVerified ? HIBP_TRUST.verified : HIBP_TRUST.unverified;
}
