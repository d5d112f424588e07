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
      'is taken from what its digits vouch for',
      [says('zone', '07/18/1988', 'sure')],
      '07/18/1988',
      false,
      null,
    ],
    [
      'is taken from print that was read clearly',
      [says('print', '07/18/1988', 'fair')],
      '07/18/1988',
      false,
      null,
    ],
    ['is not taken from poor print', [says('print', '07/18/1988', 'weak')], '', false, null],
    [
      'is confirmed by poor print',
      [says('zone', '07/18/1988', 'sure'), says('print', '07/18/1988', 'weak')],
      '07/18/1988',
      true,
      null,
    ],
    [
      'is taken where two doubtful parts agree',
      [says('zone', '07/18/1988', 'weak'), says('print', '07/18/1988', 'weak')],
      '07/18/1988',
      true,
      null,
    ],
    [
      'of a sure part outlives poor print, which keeps it from being confirmed',
      [says('zone', '07/18/1988', 'sure'), says('print', '07/18/1933', 'weak')],
      '07/18/1988',
      false,
      'slight',
    ],
    [
      'that even poor print has quite differently is contradicted',
      [says('zone', '07/18/1988', 'sure'), says('print', '02/13/1971', 'weak')],
      '',
      false,
      'hard',
    ],
    [
      'that looks alike in print is in doubt',
      [says('zone', '07/18/1988', 'sure'), says('print', '07/13/1988', 'fair')],
      '',
      false,
      'slight',
    ],
    [
      'that differs in print is contradicted',
      [says('zone', '07/18/1988', 'sure'), says('print', '07/18/1998', 'fair')],
      '',
      false,
      'slight',
    ],
    [
      'that differs more is contradicted',
      [says('zone', '07/18/1988', 'sure'), says('print', '07/18/1971', 'fair')],
      '',
      false,
      'hard',
    ],
    ['that nothing has is none', [says('print', '', 'fair')], '', false, null],
  ] as const)('%s', (_, witnesses, value, isConfirmed, conflict) => {
    expect(agreeOnDate(witnesses, nowhere)).toMatchObject({ value, isConfirmed, conflict });
  });
});

it('a value elsewhere on the page with another one beside its label: no contradiction, and no confirmation', () => {
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

  it('does not confirm values of print alone', () => {
    expect(agreeOnDate([says('print', '07/18/1988', 'fair')], page(true))).toEqual({
      value: '07/18/1988',
      isConfirmed: false,
      conflict: null,
      isVouched: false,
    });
    expect(agreeOnDate([says('print', '07/18/1988', 'weak')], page(true)).value).toBe('');
  });

  it('excuses no contradiction where it is the value of another field', () => {
    const born = [says('zone', '07/18/1988', 'sure'), says('print', '04/27/2001', 'fair')];
    expect(agreeOnDate(born, claimed).conflict).toBe('hard');
    expect(agreeOnDate(born, page(true)).conflict).toBe('slight');
  });

  it('shows that a number of another length beside the label is another number', () => {
    const numbers = [says('zone', 'C01X00T47', 'sure'), says('print', '1234', 'fair')];
    expect(agreeOnNumber(numbers, page(true))).toMatchObject({ value: 'C01X00T47', isConfirmed: true });
  });
});

describe('a number', () => {
  it('that another part has with one misread character is confirmed by it, with two in doubt', () => {
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

  it('of which neither part is sure has to be the same in both', () => {
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

  it('is the same with the spaces and dashes that a card prints', () => {
    expect(
      agreeOnNumber([says('barcode', '123 456-789', 'sure'), says('print', '123456789', 'fair')], nowhere),
    ).toMatchObject({ value: '123 456-789', isConfirmed: true });
  });

  it('that another part has quite differently is contradicted', () => {
    const agreed = agreeOnNumber(
      [says('zone', 'C01X00T47', 'sure'), says('print', 'C01X99L12', 'fair')],
      nowhere,
    );
    expect(agreed).toMatchObject({ value: '', isConfirmed: false, conflict: 'hard' });
  });

  it('of another length is another number, beside its label by chance', () => {
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
    // The reader lost the accent: the zone's letters are the better ones.
    ['MUELLER', 'MULLER', 'MUELLER'],
    ['ANNA MARIA', 'ANNAMARIA', 'ANNA MARIA'],
    ['OBRIEN', "O'BRIEN", "O'BRIEN"],
  ])('that a zone has as %s and print as %s is %s', (zone, printed, expected) => {
    expect(agreedName(machine(zone, 'weak'), print(printed, 'weak'))).toMatchObject({
      value: expected,
      isConfirmed: true,
      conflict: null,
    });
  });

  it('that was cut by the zone is whole in print', () => {
    expect(agreedName(machine('MAXIMILIAN ALEX', 'fair', true), print('MAXIMILIAN ALEXANDER')).value).toBe(
      'MAXIMILIAN ALEXANDER',
    );
  });

  it('that one part alone has needs clear reading', () => {
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

  it('that print has with one misread character is the one of two engines, and not that of one', () => {
    expect(agreedName(machine('MUELLER'), print('MÜLIER'))).toMatchObject({
      value: 'MUELLER',
      isConfirmed: true,
      conflict: null,
    });
    expect(agreedName(machine('MUELLER', 'weak'), print('MUELIER'))).toMatchObject({
      value: '',
      conflict: 'slight',
    });
    // Of short names one letter makes another.
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

  it('of a barcode stays where print is near', () => {
    const barcode = { ...machine('SANDAGE', 'sure'), source: 'barcode' as const };
    expect(agreedName(barcode, print('SANDACE'))).toMatchObject({
      value: 'SANDAGE',
      isConfirmed: true,
      conflict: null,
    });
    expect(agreedName(barcode, print('NGUYEN')).conflict).toBe('hard');
  });
});
