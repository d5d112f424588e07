// cspell:ignore hartwig vasseur noemie castel
import { FAMILY, PHONE_RING } from './people.ts';
import type { DemonstrationPlan, PlannedVerification } from './plan.ts';
import {
  deviceRing,
  family,
  ordinaryPeople,
  phoneRing,
  type Story,
  severalAccounts,
  unusualVisitors,
} from './stories.ts';

/** Group of the accounts: accounts of other groups are neither linked to them nor counted together with them. */
export const DEMONSTRATION_GROUP = 'demo';

const SUSPECTED = 'Demo: suspected rings';
const REGULARS = 'Demo: regular customers';
const PARTNERS = 'Demo: trusted partners';

const LISTS: DemonstrationPlan['lists'] = [
  {
    key: 'suspected',
    name: SUSPECTED,
    purpose: 'accounts that a rule suspects to be a ring',
    effect: 'none',
  },
  { key: 'regulars', name: REGULARS, purpose: 'customers with several orders', effect: 'none' },
  { key: 'partners', name: PARTNERS, purpose: 'accounts whose decision is always Real', effect: 'allow' },
];

/** Conditions begin with the group, so that rules match no other account. */
const IN_GROUP = `account.group = "${DEMONSTRATION_GROUP}"`;

const RULES: DemonstrationPlan['rules'] = [
  {
    key: 'ring',
    name: 'Demo: many accounts on one device',
    purpose: 'flags rings that share a device',
    trigger: 'ANY_SESSION',
    expression: `${IN_GROUP} AND velocity.accounts_per_device_7d >= 4 AND session.risk_signals.datacenter = true`,
    actions: [{ addToList: SUSPECTED }, { raiseFlag: 'demo_ring' }],
    state: 'enabled',
  },
  {
    key: 'vpn',
    name: 'Demo: hidden location',
    purpose: 'shadow rule, which records matches and does not act',
    trigger: 'ANY_SESSION',
    expression: `${IN_GROUP} AND (session.risk_signals.vpn = true OR session.risk_signals.tor = true)`,
    actions: [{ decide: 'Suspicious' }],
    state: 'shadow',
  },
  {
    key: 'rejected-document',
    name: 'Demo: rejected document',
    purpose: 'flags accounts whose document was rejected',
    trigger: 'ID_CHECK_COMPLETED',
    expression: `${IN_GROUP} AND verification.decision = "Fake"`,
    actions: [{ raiseFlag: 'demo_rejected_document' }],
    state: 'enabled',
  },
];

const check = (
  account: string,
  kind: PlannedVerification['kind'],
  decision: PlannedVerification['decision'],
  riskFlags: PlannedVerification['riskFlags'] = [],
): PlannedVerification => ({ key: account, account, kind, decision, riskFlags });

const VERIFICATIONS: readonly PlannedVerification[] = [
  check('greta-hartwig', 'id', 'Real'),
  check('camille-vasseur', 'face', 'Real'),
  check('imogen-thackeray', 'id', 'Real'),
  { ...check('noemie-castel', 'id', 'Suspicious', ['moderate_id_face_match_score']), review: 'approved' },
  check('alex-rivers', 'id', 'Fake', ['likely_fake_id']),
  { ...check('sam-stone', 'id', 'Suspicious', ['moderate_id_face_match_score']), review: 'rejected' },
  check('ring-quick-sale', 'face', 'Fake', ['repeat_face']),
];

/** What a set of demonstration data consists of. */
export function demonstrationPlan(): DemonstrationPlan {
  const [ordinary, ring] = [ordinaryPeople(), deviceRing()];
  const stories: Story[] = [ordinary, family(), severalAccounts(), phoneRing(), ring, unusualVisitors()];
  const ringKeys = ring.accounts.map(({ key }) => key);
  const ordinaryKeys = ordinary.accounts.map(({ key }) => key);
  const reported = PHONE_RING.slice(0, 3).map((names) => names.join('-').toLowerCase());
  return {
    lists: LISTS,
    rules: RULES,
    accounts: stories.flatMap(({ accounts }) => accounts),
    visits: stories.flatMap(({ visits }) => visits).toSorted((one, other) => other.hoursAgo - one.hoursAgo),
    memberships: [
      { list: 'block', accounts: ringKeys.slice(0, 4), reason: 'Demo: confirmed ring' },
      { list: REGULARS, accounts: ordinaryKeys.slice(0, 12), reason: 'Demo: several orders' },
      { list: PARTNERS, accounts: [familyKey(0), familyKey(1)], reason: 'Demo: known household' },
    ],
    outcomes: [
      ...ringKeys.slice(0, 5).map((account) => ({ account, outcome: 'fraud' as const, hoursAgo: 20 })),
      ...reported.map((account) => ({ account, outcome: 'chargeback' as const, hoursAgo: 12 })),
      ...ordinaryKeys
        .slice(0, 8)
        .map((account) => ({ account, outcome: 'legitimate' as const, hoursAgo: 6 })),
    ],
    verifications: VERIFICATIONS,
    emailChecks: [...ordinaryKeys.slice(0, 6), ...ringKeys.slice(0, 3)],
  };
}

function familyKey(index: number): string {
  const { firstName, lastName } = FAMILY[index]!;
  return `${firstName}-${lastName}`.toLowerCase();
}
