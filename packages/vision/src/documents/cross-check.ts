import { levenshtein } from '@vouchgraph/platform/edit-distance';
import { isMisreadOnce } from './lookalikes.ts';
import { bareLetters, beginsName, isSameName, nameSimilarity, zoneLetters } from './names.ts';

/*
 * Cross-check of a field in several parts of a document. It has a value if one part confirms it alone or two parts agree.
 * Parts with different reliable values contradict each other.
 */

/** Reliability of a part's value alone. */
export type Strength =
  /** Confirmed by check digits or by the error correction of a barcode. */
  | 'sure'
  /** Read with high confidence, without a confirmation. */
  | 'fair'
  /** Only sufficient to agree with another part. */
  | 'weak';

export type Witness = { source: 'zone' | 'barcode' | 'print'; value: string; strength: Strength };

export type Conflict =
  /** Another value, not explained by a misread character. */
  | 'hard'
  /** A difference that one misread character explains. */
  | 'slight';

export type Agreed = {
  /** '' if no value is confirmed, or if the confirmed value is contradicted. */
  value: string;
  /** Print and a machine readable part agree. */
  isConfirmed: boolean;
  conflict: Conflict | null;
  /** The field has a value, which a machine readable part confirms or two parts share. */
  isVouched: boolean;
};

const NOTHING: Agreed = { value: '', isConfirmed: false, conflict: null, isVouched: false };

/** Digits that look alike when blurred. */
const LOOKALIKE_DIGITS = ['38', '56', '17', '08', '68', '06', '09', '89', '35', '58', '49', '27', '14'];
/** From this number of different characters on, the numbers differ on the document. */
const HARD_NUMBER_DISTANCE = 3;
/** Below this similarity, two names are not the same name misread. */
const OTHER_NAME_SIMILARITY = 0.4;
/** In shorter names one letter makes a different name: LEE and LEF. */
const SHORTEST_MISREAD_NAME = 5;
/** From this similarity on, they may be the same name misread. */
const NEAR_NAME_SIMILARITY = 0.7;

/** Dates that differ in this number of digits were not misread, however poor the print. */
const HARD_DATE_DIGITS = 3;

type Comparison = {
  isSame: (a: string, b: string) => boolean;
  /** Whether a value belongs to another field, if print has the field's value elsewhere. */
  isUnrelated: (value: string, chosen: string) => boolean;
  conflict: (against: Witness, value: string) => Conflict;
};

const DATES: Comparison = {
  isSame: (a, b) => a === b,
  isUnrelated: () => false,
  conflict: (against, value) => {
    const different = [...against.value].flatMap((digit, place) =>
      digit === value[place] ? [] : [[digit, value[place]].sort().join('')],
    );
    if (against.strength === 'weak') return different.length >= HARD_DATE_DIGITS ? 'hard' : 'slight';
    return different.length > 1 || !LOOKALIKE_DIGITS.includes(different[0]!) ? 'hard' : 'slight';
  },
};

const NUMBERS: Comparison = {
  isSame: (a, b) => isMisreadOnce(bareNumber(a), bareNumber(b)),
  // Documents have several numbers with similar labels, each with its own length.
  isUnrelated: (value, chosen) => bareNumber(value).length !== bareNumber(chosen).length,
  conflict: ({ value, strength }, chosen) => {
    const isFar = value.length === chosen.length && levenshtein(value, chosen) >= HARD_NUMBER_DISTANCE;
    return isFar && strength !== 'weak' ? 'hard' : 'slight';
  },
};

/** Cards group numbers with spaces and dashes, which the reader may lose. */
function bareNumber(number: string): string {
  return number.replace(/[^A-Z0-9]/g, '');
}

/** Searches for a value anywhere in print. */
export type OnPage = {
  /** Anywhere except beside the label of another field, with at most one misread character: confirms a reliable value. */
  isPrinted: (value: string) => boolean;
  /** Likewise without a misread character: two unreliable parts agree. */
  isPrintedExactly: (value: string) => boolean;
  /** In a line without the label of another field: the field's label was beside another value. */
  isUnclaimed: (value: string) => boolean;
};

export function agreeOnDate(witnesses: readonly Witness[], page: OnPage): Agreed {
  return agree(witnesses, DATES, page);
}

export function agreeOnNumber(witnesses: readonly Witness[], page: OnPage): Agreed {
  return agree(witnesses, NUMBERS, page);
}

function agree(all: readonly Witness[], comparison: Comparison, page: OnPage): Agreed {
  const witnesses = all.filter(({ value }) => value !== '');
  const chosen = choose(witnesses, page);
  if (!chosen) return NOTHING;
  const { value, strength } = chosen;
  const isFound = isFoundInPrint(chosen, page);
  const against = witnesses.filter(
    (witness) =>
      !comparison.isSame(witness.value, value) && !(isFound && comparison.isUnrelated(witness.value, value)),
  );
  const isAgreed =
    isFound ||
    witnesses.some((witness) => witness.source !== chosen.source && comparison.isSame(witness.value, value));
  const isSure = strength === 'sure';
  if (against.length === 0)
    return { value, isConfirmed: isAgreed, conflict: null, isVouched: isSure || isAgreed };
  const isUnclaimed = page.isUnclaimed(value);
  const isHard = !isUnclaimed && against.some((witness) => comparison.conflict(witness, value) === 'hard');
  const isOutweighed = isAgreed || isUnclaimed || against.every((witness) => witness.strength === 'weak');
  const isKept = !isHard && isOutweighed && isSure;
  return {
    value: isKept ? value : '',
    isConfirmed: false,
    conflict: isHard ? 'hard' : 'slight',
    isVouched: isKept,
  };
}

/** The reliable value, otherwise the value of two parts, otherwise the clearly read one. */
function choose(witnesses: readonly Witness[], page: OnPage): Witness | undefined {
  const pair = (a: Witness) => witnesses.some((b) => a.source !== b.source && a.value === b.value);
  return (
    witnesses.find(({ strength }) => strength === 'sure') ??
    witnesses.find((witness) => pair(witness) || isFoundInPrint(witness, page)) ??
    witnesses.find(({ strength }) => strength === 'fair')
  );
}

/** Print cannot confirm itself. */
function isFoundInPrint({ source, value, strength }: Witness, page: OnPage): boolean {
  if (source === 'print') return false;
  return strength === 'weak' ? page.isPrintedExactly(value) : page.isPrinted(value);
}

export type NameWitness = Witness & { isCut: boolean };

/**
 * A name: print has its spelling (accents), zones and barcodes confirm its letters. A machine readable name truncated by its
 * field agrees with a longer one in print.
 */
export function agreeOnName(machine: NameWitness | null, print: NameWitness | null, page: OnPage): Agreed {
  if (!machine?.value) return print?.value ? alone(print) : NOTHING;
  if (!print?.value) {
    if (!isFoundInPrint(machine, page)) return alone(machine);
    return { value: machine.value, isConfirmed: true, conflict: null, isVouched: true };
  }
  const confirmed = { isConfirmed: true, conflict: null, isVouched: true };
  if (isOneName(machine, print)) return { ...confirmed, value: spelling(machine, print) };
  if (isNameMisread(machine, print)) return { ...confirmed, value: machine.value };
  const similarity = nameSimilarity(machine.value, print.value);
  // However poor the print, a misread name never differs this much.
  if (machine.strength !== 'weak' && similarity < OTHER_NAME_SIMILARITY && !page.isUnclaimed(machine.value)) {
    return { ...NOTHING, conflict: 'hard' };
  }
  // The letters of a barcode are correct. Similar print is the same name misread, or without the middle names.
  const isKept =
    machine.strength === 'sure' &&
    (similarity >= NEAR_NAME_SIMILARITY || beginsName(print.value, machine.value));
  return {
    value: isKept ? machine.value : '',
    isConfirmed: isKept,
    conflict: isKept ? null : 'slight',
    isVouched: isKept,
  };
}

function alone({ value, strength }: NameWitness): Agreed {
  return { ...NOTHING, value: strength === 'weak' ? '' : value, isVouched: strength === 'sure' };
}

/** Whether the names are equal apart from spelling and truncation by the field. */
function isOneName(machine: NameWitness, print: NameWitness): boolean {
  if (isSameName(machine.value, print.value)) return true;
  return machine.isCut && beginsName(machine.value, print.value);
}

/** Whether print has the name with one lookalike character. A single read of a zone may be the misread one. */
function isNameMisread(machine: NameWitness, print: NameWitness): boolean {
  if (machine.strength === 'weak') return false;
  const [zone, printed] = [zoneLetters(machine.value), bareLetters(print.value)];
  if (zone.length < SHORTEST_MISREAD_NAME) return false;
  return isMisreadOnce(zone, printed) || isMisreadOnce(zone, zoneLetters(print.value));
}

/** Spelling of the print, unless it lost a space or an accent that two letters of the zone encode. */
function spelling(machine: NameWitness, print: NameWitness): string {
  const words = (text: string) => text.split(/[\s'’-]+/).filter((word) => word !== '').length;
  if (machine.isCut) return print.value;
  const hasAccents = /[^\p{ASCII}]/u.test(print.value);
  const lettersOf = (text: string) => text.toUpperCase().replace(/[^A-Z]/g, '');
  const isFaithful = hasAccents || lettersOf(machine.value) === lettersOf(print.value);
  return isFaithful && words(print.value) >= words(machine.value) ? print.value : machine.value;
}
