import { levenshtein } from '../../../platform/edit-distance.ts';
import { isMisreadOnce } from './lookalikes.ts';
import { bareLetters, beginsName, isSameName, nameSimilarity, zoneLetters } from './names.ts';

/*
 * One field as several parts of a document have it. A value is given when a part vouches for it by itself or two
 * agree; parts that are sure of different values contradict each other.
 */

/** How much a part's value is worth alone. */
export type Strength =
  /** Check digits or a barcode's error correction vouch for it. */
  | 'sure'
  /** Read with high confidence; nothing vouches for it. */
  | 'fair'
  /** Good enough to agree with another part only. */
  | 'weak';

export type Witness = { source: 'zone' | 'barcode' | 'print'; value: string; strength: Strength };

export type Conflict =
  /** Another value, beyond what a misread character explains. */
  | 'hard'
  /** As little as one misread character would make of it. */
  | 'slight';

export type Agreed = {
  /** '' when nothing vouches for a value, or what does is contradicted. */
  value: string;
  /** Print and a machine readable part have the same. */
  isConfirmed: boolean;
  conflict: Conflict | null;
  /** There is a value, and a machine readable part vouches for it, or two parts agree on it. */
  isVouched: boolean;
};

const NOTHING: Agreed = { value: '', isConfirmed: false, conflict: null, isVouched: false };

/** Digits that blur into each other. */
const LOOKALIKE_DIGITS = ['38', '56', '17', '08', '68', '06', '09', '89', '35', '58', '49', '27', '14'];
/** Numbers that differ in so many places differ on the document. */
const HARD_NUMBER_DISTANCE = 3;
/** Below this, two names are not one name misread. */
const OTHER_NAME_SIMILARITY = 0.4;
/** In shorter names one letter makes another name: LEE and LEF. */
const SHORTEST_MISREAD_NAME = 5;
/** From this on they may well be. */
const NEAR_NAME_SIMILARITY = 0.7;

/** Dates that differ in so many digits were not misread, however poor the print. */
const HARD_DATE_DIGITS = 3;

type Comparison = {
  isSame: (a: string, b: string) => boolean;
  /** Whether a value is none of the field's at all, where print has the field's elsewhere. */
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
  // Documents carry several numbers with labels alike, of a length each.
  isUnrelated: (value, chosen) => bareNumber(value).length !== bareNumber(chosen).length,
  conflict: ({ value, strength }, chosen) => {
    const isFar = value.length === chosen.length && levenshtein(value, chosen) >= HARD_NUMBER_DISTANCE;
    return isFar && strength !== 'weak' ? 'hard' : 'slight';
  },
};

/** Cards group their numbers with spaces and dashes, and print does not always. */
function bareNumber(number: string): string {
  return number.replace(/[^A-Z0-9]/g, '');
}

/** Where print has a value, wherever it stands. */
export type OnPage = {
  /** Anywhere but beside the label of another field, with one misread character at most: a sure value is confirmed. */
  isPrinted: (value: string) => boolean;
  /** The same without a misread character: two parts agree, of which neither is sure. */
  isPrintedExactly: (value: string) => boolean;
  /** In a line that no label claims for another field: then a label stood beside another value. */
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

/** What is sure; else what two parts have; else what was read clearly. */
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
 * A name: print spells it (accents), zones and barcodes vouch for its letters. A machine readable name that ended with
 * its field agrees with a longer one in print.
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
  // However poor the print, no name is misread into one that shares so little with it.
  if (machine.strength !== 'weak' && similarity < OTHER_NAME_SIMILARITY && !page.isUnclaimed(machine.value)) {
    return { ...NOTHING, conflict: 'hard' };
  }
  // A barcode's letters are right; print that is near is the same name misread, or without the middle names.
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

/** One name, apart from its spelling and the end that its field has no room for. */
function isOneName(machine: NameWitness, print: NameWitness): boolean {
  if (isSameName(machine.value, print.value)) return true;
  return machine.isCut && beginsName(machine.value, print.value);
}

/** Print has the name with one character that looks alike; what one read of a zone has may be the misread one. */
function isNameMisread(machine: NameWitness, print: NameWitness): boolean {
  if (machine.strength === 'weak') return false;
  const [zone, printed] = [zoneLetters(machine.value), bareLetters(print.value)];
  if (zone.length < SHORTEST_MISREAD_NAME) return false;
  return isMisreadOnce(zone, printed) || isMisreadOnce(zone, zoneLetters(print.value));
}

/** Print's spelling, unless it lost a space or an accent that the zone's two letters stand for. */
function spelling(machine: NameWitness, print: NameWitness): string {
  const words = (text: string) => text.split(/[\s'’-]+/).filter((word) => word !== '').length;
  if (machine.isCut) return print.value;
  const hasAccents = /[^\p{ASCII}]/u.test(print.value);
  const lettersOf = (text: string) => text.toUpperCase().replace(/[^A-Z]/g, '');
  const isFaithful = hasAccents || lettersOf(machine.value) === lettersOf(print.value);
  return isFaithful && words(print.value) >= words(machine.value) ? print.value : machine.value;
}
