import { describe, expect, it } from 'vitest';
import {
  agreeOnDate,
  agreeOnName,
  agreeOnNumber,
  type NameWitness,
  type OnPage,
  type Strength,
  type Witness,
} from './cross-check.ts';

const says = (source: Witness['source'], value: string, strength: Strength): Witness => ({
  source,
  value,
  strength,
});
const page = (exists: boolean): OnPage => ({
  isPrinted: () => exists,
  isPrintedExactly: () => exists,
  isUnclaimed: () => exists,
});
const nowhere = page(false);
/** With a label of another field next to it. */
const claimed: OnPage = { ...page(true), isUnclaimed: () => false };
const agreedName = (machine: NameWitness | null, print: NameWitness | null) =>
  agreeOnName(machine, print, nowhere);

describe('a date', () => {
  it.each([
    [
      'is taken from a zone with valid check digits',
      [says('zone', '07/18/1988', 'sure')],
      '07/18/1988',
      false,
      null,
    ],
    [
      'is taken from print that was read reliably',
      [says('print', '07/18/1988', 'fair')],
      '07/18/1988',
      false,
      null,
    ],
    ['is not taken from print that was read poorly', [says('print', '07/18/1988', 'weak')], '', false, null],
    [
      'is confirmed by print that was read poorly',
      [says('zone', '07/18/1988', 'sure'), says('print', '07/18/1988', 'weak')],
      '07/18/1988',
      true,
      null,
    ],
    [
      'is taken when two doubtful parts are equal',
      [says('zone', '07/18/1988', 'weak'), says('print', '07/18/1988', 'weak')],
      '07/18/1988',
      true,
      null,
    ],
    [
      'of a reliable part is kept and not confirmed when poor print differs',
      [says('zone', '07/18/1988', 'sure'), says('print', '07/18/1933', 'weak')],
      '07/18/1988',
      false,
      'slight',
    ],
    [
      'is contradicted by a very different value even in poor print',
      [says('zone', '07/18/1988', 'sure'), says('print', '02/13/1971', 'weak')],
      '',
      false,
      'hard',
    ],
    [
      'with a lookalike character in print is doubtful',
      [says('zone', '07/18/1988', 'sure'), says('print', '07/13/1988', 'fair')],
      '',
      false,
      'slight',
    ],
    [
      'with a difference in print is contradicted',
      [says('zone', '07/18/1988', 'sure'), says('print', '07/18/1998', 'fair')],
      '',
      false,
      'slight',
    ],
    [
      'with a greater difference is contradicted',
      [says('zone', '07/18/1988', 'sure'), says('print', '07/18/1971', 'fair')],
      '',
      false,
      'hard',
    ],
    ['is empty when no part has one', [says('print', '', 'fair')], '', false, null],
  ] as const)('%s', (_, witnesses, value, isConfirmed, conflict) => {
    expect(agreeOnDate(witnesses, nowhere)).toMatchObject({ value, isConfirmed, conflict });
  });
});

it('a value elsewhere on the page, with another one beside its label, is neither contradicted nor confirmed', () => {
  const everywhere = page(true);
  const born = [says('zone', '07/18/1988', 'sure'), says('print', '04/27/2021', 'fair')];
  const kept = { isConfirmed: false, conflict: 'slight' };
  expect(agreeOnDate(born, everywhere)).toMatchObject({ value: '07/18/1988', ...kept });
  const number = [says('barcode', 'X8920987', 'sure'), says('print', 'Y1111111', 'fair')];
  expect(agreeOnNumber(number, everywhere)).toMatchObject({ value: 'X8920987', ...kept });
  const names = ['MUELLER', 'GARCIA'].map(
    (value): NameWitness => ({ ...says('zone', value, 'fair'), isCut: false }),
  );
  expect(agreeOnName(names[0]!, names[1]!, everywhere)).toMatchObject({ value: '', ...kept });
});

describe('a value anywhere in print', () => {
  it('confirms values of a machine-readable part', () => {
    const confirmed = { value: '07/18/1988', isConfirmed: true, conflict: null, isVouched: true };
    for (const strength of ['sure', 'weak'] as const)
      expect(agreeOnDate([says('zone', '07/18/1988', strength)], page(true))).toEqual(confirmed);
  });

  it('does not confirm values that only print has', () => {
    expect(agreeOnDate([says('print', '07/18/1988', 'fair')], page(true))).toEqual({
      value: '07/18/1988',
      isConfirmed: false,
      conflict: null,
      isVouched: false,
    });
    expect(agreeOnDate([says('print', '07/18/1988', 'weak')], page(true)).value).toBe('');
  });

  it('does not excuse a contradiction when it is the value of another field', () => {
    const born = [says('zone', '07/18/1988', 'sure'), says('print', '04/27/2001', 'fair')];
    expect(agreeOnDate(born, claimed).conflict).toBe('hard');
    expect(agreeOnDate(born, page(true)).conflict).toBe('slight');
  });

  it('shows that a number with another length beside the label is another number', () => {
    const numbers = [says('zone', 'C01X00T47', 'sure'), says('print', '1234', 'fair')];
    expect(agreeOnNumber(numbers, page(true))).toMatchObject({ value: 'C01X00T47', isConfirmed: true });
  });
});

describe('a number', () => {
  it('with one misread character in another part is confirmed, with two it is doubtful', () => {
    const withPrinted = (printed: string) =>
      agreeOnNumber([says('zone', 'C01X00T47', 'sure'), says('print', printed, 'fair')], nowhere);
    expect(withPrinted('CO1X00T47')).toEqual({
      value: 'C01X00T47',
      isConfirmed: true,
      conflict: null,
      isVouched: true,
    });
    expect(withPrinted('CO1XO0T47')).toMatchObject({ value: '', isConfirmed: false, conflict: 'slight' });
    // No shapes that a reader confuses.
    expect(withPrinted('C01X00T49')).toMatchObject({ value: '', isConfirmed: false, conflict: 'slight' });
  });

  it('that neither part read reliably must be equal in both', () => {
    expect(
      agreeOnNumber([says('zone', 'C01X00T47', 'weak'), says('print', 'CO1X00T47', 'weak')], nowhere),
    ).toEqual({
      value: '',
      isConfirmed: false,
      conflict: null,
      isVouched: false,
    });
    const inexact: OnPage = { ...page(true), isPrintedExactly: () => false };
    expect(agreeOnNumber([says('zone', 'C01X00T47', 'weak')], inexact).value).toBe('');
    expect(agreeOnNumber([says('zone', 'C01X00T47', 'weak')], page(true)).value).toBe('C01X00T47');
  });

  it('is equal with the spaces and dashes of a card', () => {
    expect(
      agreeOnNumber([says('barcode', '123 456-789', 'sure'), says('print', '123456789', 'fair')], nowhere),
    ).toMatchObject({ value: '123 456-789', isConfirmed: true });
  });

  it('is contradicted by a very different number in another part', () => {
    const agreed = agreeOnNumber(
      [says('zone', 'C01X00T47', 'sure'), says('print', 'C01X99L12', 'fair')],
      nowhere,
    );
    expect(agreed).toMatchObject({ value: '', isConfirmed: false, conflict: 'hard' });
  });

  it('with another length beside the label is another number', () => {
    expect(
      agreeOnNumber([says('zone', 'C01X00T47', 'sure'), says('print', '1234', 'fair')], nowhere).conflict,
    ).toBe('slight');
  });
});

describe('a name', () => {
  const machine = (value: string, strength: Strength = 'fair', isCut = false): NameWitness => ({
    source: 'zone',
    value,
    strength,
    isCut,
  });
  const print = (value: string, strength: Strength = 'fair'): NameWitness => ({
    source: 'print',
    value,
    strength,
    isCut: false,
  });

  it.each([
    ['MUELLER', 'MÜLLER', 'MÜLLER'],
    // The reader lost the accent: the letters of the zone are more accurate.
    ['MUELLER', 'MULLER', 'MUELLER'],
    ['ANNA MARIA', 'ANNAMARIA', 'ANNA MARIA'],
    ['OBRIEN', "O'BRIEN", "O'BRIEN"],
  ])('with %s in the zone and %s in print is %s', (zone, printed, expected) => {
    expect(agreedName(machine(zone, 'weak'), print(printed, 'weak'))).toMatchObject({
      value: expected,
      isConfirmed: true,
      conflict: null,
    });
  });

  it('that the zone truncates is taken from print', () => {
    expect(agreedName(machine('MAXIMILIAN ALEX', 'fair', true), print('MAXIMILIAN ALEXANDER')).value).toBe(
      'MAXIMILIAN ALEXANDER',
    );
  });

  it('in only one part must be read reliably', () => {
    expect(agreedName(machine('MUELLER', 'weak'), null).value).toBe('');
    expect(agreedName(machine('MUELLER', 'fair'), null).value).toBe('MUELLER');
    expect(agreedName(null, print('MULLER', 'weak')).value).toBe('');
    expect(agreedName(null, null)).toMatchObject({ value: '', isConfirmed: false, conflict: null });
  });

  it('with different values in two parts is omitted', () => {
    expect(agreedName(machine('MUELLER'), print('MUELTER'))).toMatchObject({
      value: '',
      isConfirmed: false,
      conflict: 'slight',
    });
    expect(agreedName(machine('MUELLER'), print('GARCIA'))).toMatchObject({
      value: '',
      isConfirmed: false,
      conflict: 'hard',
    });
  });

  it('with one misread character in print is that of two engines, not of one', () => {
    expect(agreedName(machine('MUELLER'), print('MÜLIER'))).toMatchObject({
      value: 'MUELLER',
      isConfirmed: true,
      conflict: null,
    });
    expect(agreedName(machine('MUELLER', 'weak'), print('MUELIER'))).toMatchObject({
      value: '',
      conflict: 'slight',
    });
    // For short names one letter makes another name.
    expect(agreedName(machine('LEE'), print('LEF')).value).toBe('');
  });

  it('anywhere in print is confirmed', () => {
    const there = { value: 'MUELLER', isConfirmed: true, conflict: null, isVouched: true };
    expect(agreeOnName(machine('MUELLER', 'weak'), null, page(true))).toEqual(there);
    expect(agreeOnName(machine('MUELLER'), null, page(true))).toEqual(there);
    expect(agreeOnName(machine('MUELLER'), null, nowhere)).toMatchObject({
      isConfirmed: false,
      isVouched: false,
    });
  });

  it('of a barcode is unchanged when print is similar', () => {
    const barcode = { ...machine('SANDAGE', 'sure'), source: 'barcode' as const };
    expect(agreedName(barcode, print('SANDACE'))).toMatchObject({
      value: 'SANDAGE',
      isConfirmed: true,
      conflict: null,
    });
    expect(agreedName(barcode, print('NGUYEN')).conflict).toBe('hard');
  });
});
