import { createRandom, type Random } from '../signals/random.ts';

/*
 * Links by number. Each account draws some partners, four on average and by Zipf's law, half of them near
 * itself and half anywhere: about eight links each, for any number of accounts. The last accounts, 5,000 at
 * most, are linked only among themselves and to the hub, account 0: no other account is near the hub.
 */
const HUB_LINKS = 5000;
const MAX_DRAWN = 24;
const EXPONENT = 1.4;
const NEAR = 20;

/** Identifiers of a link: a browser, or a device with a network. */
export type Shape = 'browser' | 'household';
export type Edge = { readonly a: number; readonly b: number; readonly shape: Shape };

export type LinkNetwork = {
  readonly size: number;
  readonly hub: 0;
  /** Accounts from 1 to below this are not connected to the hub. */
  readonly firstHubPartner: number;
  readonly edges: readonly Edge[];
  /** The shape of the link between two accounts, if there is one. */
  shapeOf(a: number, b: number): Shape | undefined;
  /** An account that is exactly so many links away; null when there is none. */
  drawAtDistance(from: number, distance: number, random: Random): number | null;
};

export function drawLinkNetwork(size: number): LinkNetwork {
  const random = createRandom(size);
  const firstHubPartner = size - Math.min(HUB_LINKS, Math.floor(size / 2));
  const drawn = Array.from({ length: MAX_DRAWN }, (_, index): [number, number] => [
    index + 1,
    (index + 1) ** -EXPONENT,
  ]);
  const linked = Array.from({ length: size }, () => new Map<number, Shape>());
  const edges: Edge[] = [];
  const link = (a: number, b: number) => {
    if (a === b || linked[a]!.has(b)) return;
    const shape = random.chance(0.7) ? 'browser' : 'household';
    linked[a]!.set(b, shape);
    linked[b]!.set(a, shape);
    edges.push({ a, b, shape });
  };
  const drawWithin = (first: number, last: number) => {
    for (let n = first; n <= last; n += 1) {
      for (let left = random.weighted(drawn); left > 0; left -= 1) {
        const isNear = random.chance(0.5);
        link(
          n,
          random.whole(isNear ? Math.max(first, n - NEAR) : first, isNear ? Math.min(last, n + NEAR) : last),
        );
      }
    }
  };
  drawWithin(1, firstHubPartner - 1);
  drawWithin(firstHubPartner, size - 1);
  for (let partner = firstHubPartner; partner < size; partner += 1) link(0, partner);

  return {
    size,
    hub: 0,
    firstHubPartner,
    edges,
    shapeOf: (a, b) => linked[a]?.get(b),
    drawAtDistance(from, distance, chosen) {
      const seen = new Set([from]);
      let level = [from];
      for (let step = 0; step < distance; step += 1) {
        const next: number[] = [];
        for (const at of level) {
          for (const to of linked[at]!.keys()) {
            if (seen.has(to)) continue;
            seen.add(to);
            next.push(to);
          }
        }
        level = next;
      }
      return level.length > 0 ? chosen.pick(level) : null;
    },
  };
}
