import { combineGroups } from '@vouchgraph/platform/noisy-or';

/** Increases with every change of the weights and groups below. */
export const PHONE_WEIGHTS_VERSION = 1;

/** Kinds of line that a numbering plan distinguishes; `unknown` when it assigns the number to none or to several. */
export const PHONE_LINE_TYPES = [
  'mobile',
  'fixed_line',
  'fixed_line_or_mobile',
  'toll_free',
  'premium_rate',
  'shared_cost',
  'voip',
  'personal_number',
  'pager',
  'uan',
  'voicemail',
  'unknown',
] as const;
export type PhoneLineType = (typeof PHONE_LINE_TYPES)[number];

type SignalFacts = {
  /** Weight in the risk score, 0..1. */
  readonly weight: number;
  /** Signals of one group have one cause: the strongest counts. */
  readonly group: 'number' | 'line' | 'network';
  /** Observation, noun first, for the schema and the documents. */
  readonly description: string;
};

/**
 * Risk signals of a phone number. Weights are expert priors, not yet measured against outcomes. VoIP numbers are cheap in
 * bulk and common in honest use. A premium rate number earns money for its holder with every verification call.
 */
export const PHONE_SIGNALS = {
  placeholder_number: {
    weight: 0.7,
    group: 'number',
    description:
      'Number whose digits form a pattern, such as 0000000000, and that no numbering plan assigns.',
  },
  impossible_number: {
    weight: 0.6,
    group: 'number',
    description: 'Number of impossible length, sent in international form or with a country.',
  },
  unassigned_number: {
    weight: 0.5,
    group: 'number',
    description: 'Number of possible length in a range that no numbering plan assigns.',
  },
  fictional_number: {
    weight: 0.6,
    group: 'number',
    description: 'Number that a regulator reserves for fiction (North America, United Kingdom).',
  },
  premium_rate_number: {
    weight: 0.8,
    group: 'line',
    description: 'Premium rate number: callers pay a premium, and the holder receives part of it.',
  },
  shared_cost_number: {
    weight: 0.5,
    group: 'line',
    description: 'Service number whose cost the caller and the holder share.',
  },
  toll_free_number: {
    weight: 0.5,
    group: 'line',
    description: 'Service number whose holder pays for calls.',
  },
  voip_number: {
    weight: 0.4,
    group: 'line',
    description:
      'VoIP number, which does not depend on a line or a SIM card. VoIP is also common in honest use.',
  },
  personal_number: {
    weight: 0.4,
    group: 'line',
    description: 'Number that forwards calls to another number, often at a higher price.',
  },
  pager_number: {
    weight: 0.5,
    group: 'line',
    description: 'Pager number, which cannot receive a call or an SMS with a code.',
  },
  uan_number: {
    weight: 0.3,
    group: 'line',
    description: 'Universal access number of a company, not the line of a person.',
  },
  voicemail_number: {
    weight: 0.5,
    group: 'line',
    description: 'Access number of a voice mailbox, not a line.',
  },
  satellite_number: {
    weight: 0.3,
    group: 'network',
    description: 'Number of a satellite network (calling codes 870 and 881), without a country.',
  },
  no_country_number: {
    weight: 0.3,
    group: 'network',
    description: 'Number with another calling code without a country, such as 800, 882, 883 or 979.',
  },
} as const satisfies Record<string, SignalFacts>;
export type PhoneSignalCode = keyof typeof PHONE_SIGNALS;

/** A signal with its evidence. */
export type PhoneSignal = {
  readonly code: PhoneSignalCode;
  readonly weight: number;
  /** Source of the data. */
  readonly source: string;
  /** Observation, without the number itself. */
  readonly evidence: string;
};

const SIGNAL_OF_LINE: Readonly<Partial<Record<PhoneLineType, PhoneSignalCode>>> = {
  premium_rate: 'premium_rate_number',
  shared_cost: 'shared_cost_number',
  toll_free: 'toll_free_number',
  voip: 'voip_number',
  personal_number: 'personal_number',
  pager: 'pager_number',
  uan: 'uan_number',
  voicemail: 'voicemail_number',
};

/** Properties from which the signals of a number are derived. */
export type SignalBasis = {
  readonly isValid: boolean;
  readonly isPossible: boolean;
  /** False for a national number without a country, which is not parsed: no signal applies. */
  readonly isReadable: boolean;
  readonly isPlaceholder: boolean;
  /** International form as digits without `+`; '' unless possible. */
  readonly digits: string;
  readonly callingCode: string;
  readonly lineType: PhoneLineType;
};

const PLAN = 'libphonenumber';
const CODES = 'ITU-T E.164';

/** The risk signals of a number, the strongest first. */
export function phoneSignals(basis: SignalBasis): PhoneSignal[] {
  const found = [...numberSignals(basis), ...lineSignals(basis), ...networkSignals(basis)];
  return found.sort((a, b) => b.weight - a.weight);
}

/** The signals as one number: noisy-or over the strongest of each group; 0 without any. Four decimals. */
export function phoneRisk(signals: readonly PhoneSignal[]): number {
  return combineGroups(
    signals.map(({ code, weight }) => ({ group: PHONE_SIGNALS[code].group, value: weight })),
  );
}

function signal(code: PhoneSignalCode, source: string, evidence: string): PhoneSignal {
  return { code, weight: PHONE_SIGNALS[code].weight, source, evidence };
}

function numberSignals({
  isValid,
  isPossible,
  isReadable,
  isPlaceholder,
  digits,
}: SignalBasis): PhoneSignal[] {
  const found: PhoneSignal[] = [];
  if (isPlaceholder)
    found.push(signal('placeholder_number', 'list of placeholders', 'digits form a pattern'));
  const fiction = FICTIONAL.find(({ range }) => range.test(digits));
  if (fiction) found.push(signal('fictional_number', fiction.regulator, fiction.evidence));
  if (isValid || !isReadable) return found;
  return isPossible
    ? [...found, signal('unassigned_number', PLAN, 'possible length, unassigned range')]
    : [...found, signal('impossible_number', PLAN, 'impossible length or calling code')];
}

function lineSignals({ isValid, lineType }: SignalBasis): PhoneSignal[] {
  const code = SIGNAL_OF_LINE[lineType];
  return isValid && code ? [signal(code, PLAN, `line type ${lineType}`)] : [];
}

/** Calling codes that belong to no country: 800, 808 and 979 are services, 870 and 881 satellites, 878 personal. */
const WITHOUT_COUNTRY = ['800', '808', '870', '878', '881', '882', '883', '888', '979'];
const SATELLITES = ['870', '881'];

function networkSignals({ callingCode }: SignalBasis): PhoneSignal[] {
  if (!WITHOUT_COUNTRY.includes(callingCode)) return [];
  const code = SATELLITES.includes(callingCode) ? 'satellite_number' : 'no_country_number';
  return [signal(code, CODES, `calling code ${callingCode}`)];
}

/** Ranges that regulators reserve for films and books. */
const FICTIONAL = [
  {
    regulator: 'NANPA',
    evidence: '555-0100 to 555-0199 of any area code',
    range: /^1[2-9]\d{2}55501\d{2}$/,
  },
  {
    regulator: 'Ofcom',
    evidence: 'range reserved for drama',
    range:
      /^44(?:11[3-8]4960\d{3}|1[2-6]14960\d{3}|1914980\d{3}|1632960\d{3}|2079460\d{3}|2896496\d{3}|2920180\d{3}|3069990\d{3}|7700900\d{3}|8081570\d{3}|9098790\d{3})$/,
  },
] as const;
