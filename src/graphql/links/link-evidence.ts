import { MATCH_TYPES, type MatchType } from '@vouchgraph/linking';
import type { Account } from '../../domain/accounts/account.ts';
import {
  type EvidenceKind,
  explainPair,
  type ReductionReason,
  type SupportReason,
} from '../../domain/linking/explain-pair.ts';
import type { PairKey } from '../../domain/linking/link-read-service.ts';
import { type LinkView, type ShownEvidence, shownEvidence } from '../../domain/linking/link-view.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { GROWING, valuesOf } from '../kernel/enum-values.ts';

const MEANING: Readonly<Record<MatchType, string>> = {
  network: 'Same IP address or same subnet.',
  email:
    'Email address that is equal after normalizing, or near-equal. The address of a role mailbox or shared mailbox only supports other evidence.',
  browser: 'Same browser, by its first-party id.',
  device: 'Same device, or a device with all components but one equal.',
  phone:
    'Equal phone number after normalizing. Only supports other evidence if the first names of the two accounts contradict and at ' +
    'most 7 accounts have the number, or if its extensions differ and at most 100 accounts have it.',
  username: 'Equal username after normalizing.',
  name:
    'Equal first and last name, in any order, case and accents. With a near-equal email address or a date ' +
    'of birth also similar names, short forms, and one of the two names. Only supports other evidence.',
  face: 'Same face.',
  document_number: 'Same number of an ID document.',
  document_name: 'Equal name on ID documents. Only supports other evidence.',
  date_of_birth:
    'Equal date of birth, or a date that differs in one digit or by exchanged day and month. Only ' +
    'supports other evidence.',
  id_number: 'Same government or other id number.',
};

export const MatchTypeEnum = builder.enumType('MatchType', {
  ...GROWING,
  description: 'Type of evidence that two accounts share. New types can be added.',
  values: valuesOf(MATCH_TYPES, MEANING),
});

/** The kinds of evidence by their names on the interface. */
const EVIDENCE_KINDS: Readonly<Record<EvidenceKind, readonly [name: string, description: string]>> = {
  browser: ['browser', MEANING.browser],
  device: ['device', MEANING.device],
  device_part: ['near_device', 'Device with all components but one equal.'],
  network: ['network', 'Same IPv4 address, or same /64 of IPv6.'],
  subnet: ['neighbourhood', 'Same subnet: /24 of IPv4, /56 of IPv6.'],
  email: ['email', 'Equal email after normalizing.'],
  email_block: [
    'near_email',
    'Email address with the same domain, or near spellings of one large provider, whose local part differs only in digits or ' +
      'by few edits: 1 in 10 letters of the address, at most 4 in 30 or more.',
  ],
  phone: ['phone', MEANING.phone],
  username: ['username', MEANING.username],
  name: ['name', MEANING.name],
  face: ['face', MEANING.face],
  document_number: ['document_number', MEANING.document_number],
  document_name: ['document_name', MEANING.document_name],
  birth_date: ['date_of_birth', MEANING.date_of_birth],
  id_number: ['id_number', MEANING.id_number],
};

const LinkEvidenceKind = builder.enumType('LinkEvidenceKind', {
  description: 'Kind of evidence that two accounts can share.',
  values: Object.fromEntries(
    Object.entries(EVIDENCE_KINDS).map(([kind, [name, description]]) => [
      name.toUpperCase(),
      { value: kind, description },
    ]),
  ) as Record<string, { value: EvidenceKind; description: string }>,
});

const SupportReasonEnum = builder.enumType('LinkSupportReason', {
  description: 'Reason why an equal email address or phone number does not link two accounts by itself.',
  values: {
    ROLE_MAILBOX: { description: 'Role mailbox, such as info@ or sales@, which several people read.' },
    DIFFERENT_FIRST_NAMES: {
      description:
        'Email address or phone number of several people. The first names of the two accounts are ' +
        'different, or the suffixes of their names (Jr., Sr.), or accounts with at least four different ' +
        'first names have the address in the same spelling.',
    },
    DIFFERENT_EXTENSIONS: {
      description: 'Phone number with different extensions, which several people share.',
    },
  } satisfies Record<SupportReason, { description: string }>,
});

const ReductionReasonEnum = builder.enumType('LinkReductionReason', {
  description: 'Reason for a reduced weight.',
  values: {
    DIFFERENT_DATES_OF_BIRTH: {
      description: 'Different dates of birth of the two accounts. Names and email addresses weigh 30 % less.',
    },
  } satisfies Record<ReductionReason, { description: string }>,
});

export const LinkEvidenceType = builder.objectRef<ShownEvidence>('LinkEvidence').implement({
  tokenScopes: ['LINKS'],
  subjects: 'none',
  description: 'Evidence that two accounts share, with its weight.',
  fields: (t) => ({
    kind: t.field({
      type: LinkEvidenceKind,
      description: 'Kind of the evidence.',
      resolve: ({ kind }) => kind,
    }),
    maskedValue: t.exposeString('maskedValue', {
      mask: 'shortened',
      nullable: true,
      description:
        'Masked value. For contact data and names: a few letters. For dates of birth: the year. For ' +
        'near-equal devices: the part that may differ. Otherwise: the first eight digits of a keyed ' +
        'hash, equal for equal values. Browser tokens with LINKS receive different hashes for each ' +
        'account whose links they read. Null for browser tokens with LINKS if the value is from fields ' +
        'of other accounts.',
    }),
    sharedBy: t.exposeInt('sharedBy', {
      description:
        'Number of accounts of the group that share the evidence, including both accounts, at most 1,501.',
    }),
    weight: t.exposeFloat('weight', {
      description:
        'Weight, 0 to 1: base weight × sharing factor × time factor, or × share of the agreeing letters of a ' +
        'near-equal email address. 0 if the evidence does not count. ' +
        'The score is the noisy-or of all weights, at most 0.49 if the dates of birth contradict and the ' +
        'accounts share no identifier that links alone.',
    }),
    capped: t.exposeBoolean('capped', {
      description: 'Whether the evidence is over its sharing limit, and therefore links no accounts.',
    }),
    supportsBecause: t.field({
      type: SupportReasonEnum,
      nullable: true,
      description:
        'Reason why an equal email address or phone number only supports other evidence, with the ' +
        'weight of a near-equal email address. Null if it links accounts, and for other kinds.',
      resolve: ({ supportsBecause }) => supportsBecause,
    }),
    reducedBecause: t.field({
      type: ReductionReasonEnum,
      nullable: true,
      description: 'Reason for a weight reduced by 30 %. Null if it is not reduced.',
      resolve: ({ reducedBecause }) => reducedBecause,
    }),
    firstSeen: t.field({
      type: 'DateTime',
      description:
        'Time of the first use of the evidence by the second of the two accounts. For browser tokens ' +
        'with LINKS: the day (UTC).',
      resolve: ({ firstSeen }) => firstSeen,
    }),
    lastSeen: t.field({
      type: 'DateTime',
      description:
        'Time of the latest use of the evidence by either account. For browser tokens with LINKS: the ' +
        'day (UTC).',
      resolve: ({ lastSeen }) => lastSeen,
    }),
  }),
});

/** Shared identifiers of a pair for a viewer. Values are read from fields of the first account. */
export async function evidenceOf(
  { viewer, loaders }: GraphQLContext,
  view: LinkView,
  account: Account,
  other: string,
): Promise<ShownEvidence[]> {
  const pair: PairKey = { a: account.row.id, b: other };
  const evidence = explainPair(await loaders.pairEvidence.load(pair), {
    ...account.personal,
    phone: account.phone,
  });
  return shownEvidence(evidence, view, viewer.project.cipher, account.row.id === view.root);
}
