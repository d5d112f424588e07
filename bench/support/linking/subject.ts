import { contactValues, personOf } from '@vouchgraph/linking';
import type { LinkableAccount } from '@vouchgraph/linking/internals/link-all';
import type { LinkingKind, Period } from '@vouchgraph/linking/internals/link-weights';
import { networkPrefixes } from '@vouchgraph/platform/ip/ip-address';
import type { ModelAccount } from './model-account.ts';

/** A measured account: the facts that the service has, and the truth. */
export type Subject = ModelAccount & {
  linkable: LinkableAccount;
  devices: ReadonlySet<string>;
  browsers: ReadonlySet<string>;
  addresses: ReadonlySet<string>;
};

type Identifier = LinkableAccount['identifiers'][number];

export function toSubject(account: ModelAccount): Subject {
  const { id, sessions } = account;
  const identifiers = [...contactsOf(account), ...tracesOf(account)];
  return {
    ...account,
    linkable: { id, group: '', identifiers, person: personOf(account.fields) },
    devices: new Set(sessions.map(({ device }) => device)),
    browsers: new Set(sessions.map(({ browser }) => browser)),
    addresses: new Set(sessions.map(({ ip }) => networkPrefixes(ip).address)),
  };
}

function contactsOf({ fields, expectedCountries, registeredAt }: ModelAccount): Identifier[] {
  const period = { firstSeen: registeredAt, lastSeen: registeredAt };
  return [...contactValues(fields, expectedCountries)].flatMap(([kind, values]) =>
    values.map((value) => ({ kind, value, ...period })),
  );
}

/** Devices, browsers and networks, each with the period of its visits. */
function tracesOf({ sessions }: ModelAccount): Identifier[] {
  const periods = new Map<string, Period & { kind: LinkingKind; value: string }>();
  for (const { at, device, browser, ip } of sessions) {
    const { address, subnet } = networkPrefixes(ip);
    const seen = { device, browser, network: address, subnet };
    for (const [kind, value] of Object.entries(seen) as [LinkingKind, string][]) {
      const key = `${kind} ${value}`;
      const before = periods.get(key);
      periods.set(key, {
        kind,
        value,
        firstSeen: before && before.firstSeen < at ? before.firstSeen : at,
        lastSeen: before && before.lastSeen > at ? before.lastSeen : at,
      });
    }
  }
  return [...periods.values()];
}
