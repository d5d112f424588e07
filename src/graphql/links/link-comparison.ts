import { LINK_THRESHOLD, MAX_CONTRADICTED_SCORE, weighPair } from '@vouchgraph/linking';
import type { Account } from '../../domain/accounts/account.ts';
import { explainPair, type LinkEvidence, type SupportReason } from '../../domain/linking/explain-pair.ts';
import { assertMay } from '../../domain/projects/assert-may.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { findPair } from './link-accounts.ts';
import { LinkEvidenceType } from './link-evidence.ts';

type Comparison = {
  score: number;
  isLinked: boolean;
  isSameGroup: boolean;
  evidence: LinkEvidence[];
  reasons: string[];
};

const WhyNotLinked = builder.objectRef<Comparison>('WhyNotLinked').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Comparison of two accounts: their shared evidence, and whether it is sufficient for a link.',
  fields: (t) => ({
    linked: t.exposeBoolean('isLinked', { description: 'Whether the accounts are linked.' }),
    score: t.exposeFloat('score', { description: 'Certainty that both are the same person, 0 to 1.' }),
    threshold: t.float({
      description: 'Minimum score of a link.',
      resolve: () => LINK_THRESHOLD,
    }),
    sameGroup: t.exposeBoolean('isSameGroup', {
      description:
        'Whether the accounts are in the same group. Accounts of different groups are never linked.',
    }),
    evidence: t.expose('evidence', {
      type: [LinkEvidenceType],
      description:
        'Evidence that both accounts share, the largest weight first. Includes evidence with weight 0.',
    }),
    reasons: t.exposeStringList('reasons', {
      mask: 'sentence',
      description:
        'Reasons why the accounts are not linked, as English sentences for people. Their wording may ' +
        'change. Empty if the accounts are linked. Programs use evidence.',
    }),
  }),
});

builder.queryFields((t) => ({
  whyNotLinked: t.field({
    type: WhyNotLinked,
    nullable: true,
    description:
      'Evidence that two accounts share, and the reasons why they are not linked. Errors: ' +
      '`account.not_found`, `input.invalid`.',
    authScopes: { may: 'link.compare' },
    complexity: { field: 10 },
    args: {
      a: t.arg.id({ required: true, description: 'Id of one account, assigned by the client.' }),
      b: t.arg.id({ required: true, description: 'Id of the other account, assigned by the client.' }),
    },
    resolve: async (_root, args, context) => {
      assertMay(context.viewer, 'link.compare');
      const [a, b] = await findPair(context, [String(args.a), String(args.b)], ['a', 'b']);
      return compare(context, a, b);
    },
  }),
}));

async function compare(context: GraphQLContext, a: Account, b: Account): Promise<Comparison> {
  const isSameGroup = a.row.account_group === b.row.account_group;
  const comparison = isSameGroup
    ? await context.loaders.pairEvidence.load({ a: a.row.id, b: b.row.id })
    : { shared: [], compared: null };
  const evidence = explainPair(comparison, { ...a.personal, phone: a.phone });
  const { score } = weighPair(comparison.shared, comparison.compared);
  const isLinked = score >= LINK_THRESHOLD;
  const haveOtherBirths = comparison.compared?.likeness.births === 'contradict';
  return {
    score,
    isLinked,
    isSameGroup,
    evidence,
    reasons: isLinked ? [] : reasonsOf(isSameGroup, evidence, score, haveOtherBirths),
  };
}

function reasonsOf(
  isSameGroup: boolean,
  evidence: readonly LinkEvidence[],
  score: number,
  haveOtherBirths: boolean,
): string[] {
  if (!isSameGroup) return ['They are in different groups, and accounts are linked inside their group only.'];
  if (evidence.length === 0) return ['They share nothing.'];
  const capped = evidence.filter((each) => each.capped);
  const unsupported = evidence.filter(
    ({ kind, capped, weight }) => !capped && weight === 0 && (kind === 'name' || kind === 'document_name'),
  );
  const supporting = evidence.flatMap(({ kind, supportsBecause }) =>
    supportsBecause ? [SUPPORTS[supportsBecause](wordOf(kind))] : [],
  );
  return [
    ...supporting,
    ...(haveOtherBirths ? [CONTRADICTING_BIRTHS] : []),
    ...capped.map(
      ({ kind, sharedBy }) =>
        `${sharedBy} accounts share the ${wordOf(kind)}, too many for it to say anything.`,
    ),
    ...unsupported.map(
      ({ kind }) =>
        `The ${wordOf(kind)} only supports a device, a network, an email or a date of birth, of which they share none.`,
    ),
    ...(score > 0 ? [`What counts makes ${score}, less than the ${LINK_THRESHOLD} of a link.`] : []),
  ];
}

const SUPPORTS: Readonly<Record<SupportReason, (word: string) => string>> = {
  ROLE_MAILBOX: (word) =>
    `The ${word} is the mailbox of a role, which several people read: it only supports other evidence.`,
  DIFFERENT_FIRST_NAMES: (word) =>
    `Accounts of different first names have the ${word}: it only supports other evidence.`,
  DIFFERENT_EXTENSIONS: (word) => `The ${word} has different extensions: it only supports other evidence.`,
};

const CONTRADICTING_BIRTHS =
  'Their dates of birth are different: names and emails count 30 % less, and without an identifier that links alone the ' +
  `score is at most ${MAX_CONTRADICTED_SCORE}.`;

function wordOf(kind: string): string {
  if (kind === 'birth_date') return 'date of birth';
  return kind === 'email_block' ? 'near-equal email' : kind.replaceAll('_', ' ');
}
