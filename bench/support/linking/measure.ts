import { componentsOf, IDENTIFIER_KINDS, type IdentifierKind } from '@vouchgraph/linking';
import { type AccountPair, linkAll } from '@vouchgraph/linking/internals/link-all';
import { bitsOf, CAUSES, type Cause, causeOf, countExposed, pairsAmong } from './false-pairs.ts';
import type { Subject } from './subject.ts';
import { describeTruePair } from './true-pairs.ts';

/** Pairs of one person, and how many of them were linked, and made one identity. */
export type TrueRow = {
  kind: string;
  isLinkable: boolean;
  isOfRing: boolean;
  pairs: number;
  linked: number;
  joined: number;
};

/** Pairs of two people; `exposed` is null where any two people could be one of them. */
export type FalseRow = { cause: Cause; exposed: number | null; linked: number; bridged: number };

export type Cluster = {
  accounts: number;
  people: number;
  /** Causes of its wrong bridges, and their identifiers, the most frequent first. */
  causes: string[];
  evidence: string[];
  isByNetworkAlone: boolean;
};

export type Measured = {
  accounts: number;
  people: number;
  truePairs: TrueRow[];
  falsePairs: FalseRow[];
  /** Identifiers of wrong links, the most frequent first. */
  wrongEvidence: [evidence: string, links: number][];
  identities: { count: number; wrongPairs: number };
  wrongClusters: Cluster[];
};

type Judged = AccountPair & { one: Subject; two: Subject; isTrue: boolean };

/** Links all accounts from scratch and compares the links with the truth. */
export function measure(subjects: readonly Subject[]): Measured {
  const byId = new Map(subjects.map((subject) => [subject.id, subject]));
  const links = linkAll(subjects.map(({ linkable }) => linkable)).map((link): Judged => {
    const [one, two] = [byId.get(link.a)!, byId.get(link.b)!];
    return { ...link, one, two, isTrue: one.personId === two.personId };
  });
  const components = componentsOf(links.filter(({ bridges }) => bridges)).map((ids) =>
    ids.map((id) => byId.get(id)!),
  );
  const wrong = links.filter(({ isTrue }) => !isTrue);
  const people = [...Map.groupBy(subjects, ({ personId }) => personId).values()];
  return {
    accounts: subjects.length,
    people: people.length,
    truePairs: measureTruePairs(people, links, components),
    falsePairs: measureFalsePairs(wrong, countExposed(subjects)),
    wrongEvidence: countOf(wrong.map(({ kinds }) => evidenceOf(kinds))),
    identities: {
      count: components.length,
      wrongPairs: components.reduce((sum, members) => sum + wrongPairsIn(members), 0),
    },
    wrongClusters: findWrongClusters(components, wrong),
  };
}

function measureTruePairs(
  people: readonly Subject[][],
  links: readonly Judged[],
  components: readonly Subject[][],
): TrueRow[] {
  const linked = new Set(links.map(({ a, b }) => `${a}\n${b}`));
  const identityOf = new Map(
    components.flatMap((members, index) => members.map(({ id }) => [id, index] as const)),
  );
  const rows = new Map<string, TrueRow>();
  for (const own of people) {
    for (const [index, one] of own.entries()) {
      for (const two of own.slice(index + 1)) {
        const pair = describeTruePair(one, two);
        const row = rows.get(pair.kind) ?? { ...pair, pairs: 0, linked: 0, joined: 0 };
        rows.set(pair.kind, row);
        row.pairs++;
        const [a, b] = one.id < two.id ? [one.id, two.id] : [two.id, one.id];
        if (linked.has(`${a}\n${b}`)) row.linked++;
        const identity = identityOf.get(a);
        if (identity !== undefined && identity === identityOf.get(b)) row.joined++;
      }
    }
  }
  return [...rows.values()];
}

function measureFalsePairs(wrong: readonly Judged[], exposed: ReadonlyMap<Cause, number>): FalseRow[] {
  const byCause = Map.groupBy(wrong, ({ one, two, kinds }) => causeOf(one, two, kinds));
  return CAUSES.map((cause) => {
    const own = byCause.get(cause) ?? [];
    return {
      cause,
      exposed: cause === 'chance' ? null : (exposed.get(cause) ?? 0),
      linked: own.length,
      bridged: own.filter(({ bridges }) => bridges).length,
    };
  });
}

function findWrongClusters(components: readonly Subject[][], wrong: readonly Judged[]): Cluster[] {
  const bridges = wrong.filter((link) => link.bridges);
  return components
    .filter((members) => wrongPairsIn(members) > 0)
    .map((members) => {
      const ids = new Set(members.map(({ id }) => id));
      const own = bridges.filter(({ a }) => ids.has(a));
      return {
        accounts: members.length,
        people: new Set(members.map(({ personId }) => personId)).size,
        causes: countOf(own.map(({ one, two, kinds }) => causeOf(one, two, kinds))).map(([cause]) => cause),
        evidence: countOf(own.map(({ kinds }) => evidenceOf(kinds))).map(([evidence]) => evidence),
        isByNetworkAlone: own.every(({ kinds }) => (kinds & ~NETWORK_OR_NAME) === 0),
      };
    })
    .sort((a, b) => b.people - a.people || b.accounts - a.accounts);
}

/** A name beside a network is counted as a network only: in an office some people share a name. */
const NETWORK_OR_NAME = bitsOf('network', 'subnet', 'name');

function wrongPairsIn(members: readonly Subject[]): number {
  const own = [...Map.groupBy(members, ({ personId }) => personId).values()];
  return pairsAmong(members.length) - own.reduce((sum, { length }) => sum + pairsAmong(length), 0);
}

/** As `device + network`. */
function evidenceOf(kinds: number): string {
  const names = Object.keys(IDENTIFIER_KINDS) as IdentifierKind[];
  return names.filter((kind) => (kinds & bitsOf(kind)) !== 0).join(' + ');
}

function countOf(names: readonly string[]): [name: string, count: number][] {
  const counts = [...Map.groupBy(names, (name) => name)].map(([name, all]): [string, number] => [
    name,
    all.length,
  ]);
  return counts.sort(([, a], [, b]) => b - a);
}
