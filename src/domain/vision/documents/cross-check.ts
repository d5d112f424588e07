import { beginsName, editDistance, isSameName, nameSimilarity } from './names.ts';

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
};

/** Digits that blur into each other. */
const LOOKALIKE_DIGITS = ['38', '56', '17', '08', '68', '06', '09', '89', '35', '58', '49', '27', '14'];
/** Numbers that differ in so many places differ on the document. */
const HARD_NUMBER_DISTANCE = 3;
/** Below this, two names are not one name misread. */
const OTHER_NAME_SIMILARITY = 0.4;
/** From this on they may well be. */
const NEAR_NAME_SIMILARITY = 0.7;

/** Dates that differ in so many digits were not misread, however poor the print. */
const HARD_DATE_DIGITS = 3;

type Comparison = {
  isSame: (a: string, b: string) => boolean;
  conflict: (against: Witness, value: string) => Conflict;
};

const DATES: Comparison = {
  isSame: (a, b) => a === b,
  conflict: (against, value) => {
    const different = [...against.value].flatMap((digit, place) =>
      digit === value[place] ? [] : [[digit, value[place]].sort().join('')],
    );
    if (against.strength === 'weak') return different.length >= HARD_DATE_DIGITS ? 'hard' : 'slight';
    return different.length > 1 || !LOOKALIKE_DIGITS.includes(different[0]!) ? 'hard' : 'slight';
  },
};

const NUMBERS: Comparison = {
  isSame: (a, b) => a === b,
  conflict: ({ value, strength }, chosen) => {
    const isFar = value.length === chosen.length && editDistance(value, chosen) >= HARD_NUMBER_DISTANCE;
    return isFar && strength !== 'weak' ? 'hard' : 'slight';
  },
};

/** Whether any line of print has a value, wherever it stands: then a label stood beside another value. */
export type IsOnPage = (value: string) => boolean;

export function agreeOnDate(witnesses: readonly Witness[], isOnPage: IsOnPage): Agreed {
  return agree(witnesses, DATES, isOnPage);
}

export function agreeOnNumber(witnesses: readonly Witness[], isOnPage: IsOnPage): Agreed {
  return agree(witnesses, NUMBERS, isOnPage);
}

function agree(all: readonly Witness[], { isSame, conflict }: Comparison, isOnPage: IsOnPage): Agreed {
  const witnesses = all.filter(({ value }) => value !== '');
  const best = (['sure', 'fair'] as const).map((wanted) =>
    witnesses.find(({ strength }) => strength === wanted),
  );
  const pair = witnesses.find((a) =>
    witnesses.some((b) => a.source !== b.source && isSame(a.value, b.value)),
  );
  const chosen = best[0] ?? pair ?? best[1];
  if (!chosen) return { value: '', isConfirmed: false, conflict: null };
  const against = witnesses.filter(({ value }) => !isSame(value, chosen.value));
  const agreeing = witnesses.some(
    ({ source, value }) => source !== chosen.source && isSame(value, chosen.value),
  );
  if (against.length === 0) return { value: chosen.value, isConfirmed: agreeing, conflict: null };
  const isHard =
    against.some((witness) => conflict(witness, chosen.value) === 'hard') && !isOnPage(chosen.value);
  const isOutweighed =
    agreeing || isOnPage(chosen.value) || against.every(({ strength }) => strength === 'weak');
  return {
    value: !isHard && isOutweighed && chosen.strength === 'sure' ? chosen.value : '',
    isConfirmed: false,
    conflict: isHard ? 'hard' : 'slight',
  };
}

export type NameWitness = Witness & { isCut: boolean };

/**
 * A name: print spells it (accents), zones and barcodes vouch for its letters. A machine readable name that ended with
 * its field agrees with a longer one in print.
 */
export function agreeOnName(
  machine: NameWitness | null,
  print: NameWitness | null,
  isOnPage: IsOnPage,
): Agreed {
  if (!machine?.value || !print?.value) {
    const alone = machine?.value ? machine : print;
    const value = alone && alone.strength !== 'weak' ? alone.value : '';
    return { value, isConfirmed: false, conflict: null };
  }
  if (isSameName(machine.value, print.value) || (machine.isCut && beginsName(machine.value, print.value))) {
    return { value: spelling(machine, print), isConfirmed: true, conflict: null };
  }
  const similarity = nameSimilarity(machine.value, print.value);
  // However poor the print, no name is misread into one that shares so little with it.
  if (machine.strength !== 'weak' && similarity < OTHER_NAME_SIMILARITY && !isOnPage(machine.value)) {
    return { value: '', isConfirmed: false, conflict: 'hard' };
  }
  // A barcode's letters are right; print that is near is the same name misread, or without the middle names.
  const isKept =
    machine.strength === 'sure' &&
    (similarity >= NEAR_NAME_SIMILARITY || beginsName(print.value, machine.value));
  return { value: isKept ? machine.value : '', isConfirmed: isKept, conflict: isKept ? null : 'slight' };
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
