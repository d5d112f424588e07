import type { Feed } from './feed.ts';
import type { FeedKind } from './feed-match.ts';

/** Kinds that list one service: any newer feed of the operator replaces the built-in list. */
const SINGLE_SERVICE: ReadonlySet<FeedKind> = new Set(['tor', 'relay']);

/**
 * The built-in lists that the operator's feeds do not replace. A feed with the same date or a newer one, or without a date,
 * replaces the entries that it covers: the whole list for Tor and relays, the entries of its `provider` for VPNs. A VPN
 * feed without a provider is used together with the built-in list, since a list of one service would suppress all others;
 * the stronger entry counts.
 */
export function onboardBeside(onboard: readonly Feed[], mounted: readonly Feed[]): Feed[] {
  return onboard.flatMap((list) => {
    const newer = mounted.filter(
      ({ manifest, asOf }) => manifest.kind === list.manifest.kind && isAsNew(asOf, list.asOf),
    );
    const providers = new Set(newer.flatMap(({ manifest }) => manifest.provider ?? []));
    const isReplaced =
      SINGLE_SERVICE.has(list.manifest.kind) && newer.some(({ manifest }) => !manifest.provider);
    if (isReplaced) return [];
    return providers.size === 0 ? [list] : [without(list, providers)];
  });
}

function isAsNew(asOf: string | null, onboard: string | null): boolean {
  return asOf === null || onboard === null || asOf >= onboard;
}

function without(list: Feed, providers: ReadonlySet<string>): Feed {
  return {
    ...list,
    match(ip, text, asn) {
      const match = list.match(ip, text, asn);
      return match && providers.has(match.provider) ? null : match;
    },
  };
}
