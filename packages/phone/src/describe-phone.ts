import { countryOfPhone, isPlaceholderPhone, parsePhone } from '@vouchgraph/persons';
import { RecentCache } from '@vouchgraph/platform/recent-cache';
import type { NumberType, PhoneNumber } from 'libphonenumber-js/max';
import { loadPhoneRanges } from './phone-ranges.ts';
import {
  PHONE_WEIGHTS_VERSION,
  type PhoneLineType,
  type PhoneSignal,
  phoneRisk,
  phoneSignals,
} from './phone-signals.ts';
import { zonesOfNumber } from './phone-zones.ts';

/** Properties of a phone number from offline data. '' and null are unknown. */
export type PhoneFacts = {
  /** Version of the weights behind the score. */
  readonly weightsVersion: number;
  /** Whether a numbering plan assigns the number. */
  readonly valid: boolean;
  /** Whether numbers of that length exist; null for a national number whose country is not known. */
  readonly possible: boolean | null;
  /** E.164 where valid, else the text as it was given. */
  readonly phoneNumber: string;
  /** E.164; '' unless valid. */
  readonly e164: string;
  /** Forms for people; '' unless possible. */
  readonly international: string;
  readonly national: string;
  /** Digits; '' unless possible. */
  readonly callingCode: string;
  /** ISO 3166-1 alpha-2; '' where unknown, and for calling codes of no country. */
  readonly country: string;
  readonly lineType: PhoneLineType;
  /** Place of its area code in English, such as Berlin or San Francisco, CA. */
  readonly region: string | null;
  /** IANA timezones of its area; none when unknown. */
  readonly timezones: readonly string[];
  /** Carrier that the range was assigned to. A ported number has moved to another one. */
  readonly carrier: { readonly name: string; readonly source: string } | null;
  /** 0 to 1, four decimals; null where the number could not be read. */
  readonly riskScore: number | null;
  readonly signals: readonly PhoneSignal[];
  /** What two spellings of the number have in common: accounts hold it as an identifier. Never to be shown. */
  readonly matchKey: string;
};

/** Describes the number in a text; a national one is read with the country given, never with a guessed one. */
export function describePhone(text: string, defaultCountry: string | null): PhoneFacts {
  const { number, matchKey, isReadable } = parsePhone(text, defaultCountry);
  const isValid = number?.isValid() ?? false;
  const lineType = number && isValid ? LINE_TYPES[number.getType() ?? 'UNKNOWN'] : 'unknown';
  const callingCode = number?.countryCallingCode ?? '';
  const country = ISO_COUNTRIES[number?.country ?? ''] ?? number?.country ?? '';
  const digits = number?.number.slice(1) ?? '';
  const isPlaceholder = !isValid && isPlaceholderPhone(matchKey.replace('+', ''));
  const isPossible = number !== null;
  const signals = phoneSignals({
    isValid,
    isPossible,
    isReadable,
    isPlaceholder,
    digits,
    callingCode,
    lineType,
  });
  return {
    weightsVersion: PHONE_WEIGHTS_VERSION,
    valid: isValid,
    possible: isReadable || isPossible ? isPossible : null,
    phoneNumber: number && isValid ? number.number : text,
    e164: number && isValid ? number.number : '',
    ...formsOf(number),
    callingCode,
    country,
    lineType,
    ...(number && isValid ? rangeFacts(digits, callingCode, lineType, country) : NO_RANGE),
    riskScore: isReadable || signals.length > 0 ? phoneRisk(signals) : null,
    signals,
    matchKey,
  };
}

/** Describes an account's phone as it is matched: a national number with the one country that it is expected in. */
export function describeAccountPhone(phone: string, expectedCountries: readonly string[]): PhoneFacts {
  const country = countryOfPhone(expectedCountries);
  return recentlyDescribed.get(`${country ?? ''} ${phone}`, () => describePhone(phone, country));
}

/** A change describes its account's phone for the rules; describing one takes longer than deciding. */
const recentlyDescribed = new RecentCache<PhoneFacts>({ seconds: 60, entries: 20_000 });

const LINE_TYPES: Readonly<Record<NonNullable<NumberType> | 'UNKNOWN', PhoneLineType>> = {
  MOBILE: 'mobile',
  FIXED_LINE: 'fixed_line',
  FIXED_LINE_OR_MOBILE: 'fixed_line_or_mobile',
  TOLL_FREE: 'toll_free',
  PREMIUM_RATE: 'premium_rate',
  SHARED_COST: 'shared_cost',
  VOIP: 'voip',
  PERSONAL_NUMBER: 'personal_number',
  PAGER: 'pager',
  UAN: 'uan',
  VOICEMAIL: 'voicemail',
  UNKNOWN: 'unknown',
};

/** Numbering plans of their own within one country of ISO 3166-1: Ascension and Tristan da Cunha. */
const ISO_COUNTRIES: Readonly<Record<string, string>> = { AC: 'SH', TA: 'SH' };

function formsOf(number: PhoneNumber | null): Pick<PhoneFacts, 'international' | 'national'> {
  if (number === null) return { international: '', national: '' };
  // An extension is not part of the number: any digits can be appended.
  number.setExt('');
  return { international: number.formatInternational(), national: number.formatNational() };
}

const NO_RANGE = { region: null, timezones: [], carrier: null };

/** Countries in which mobile numbers begin with an area code too, by libphonenumber. */
const MOBILES_WITH_AREA = ['52', '54', '55', '62', '86'];
/** What carriers were assigned ranges of; the data has no others. */
const LINES_OF_CARRIERS: readonly PhoneLineType[] = ['mobile', 'fixed_line_or_mobile', 'pager', 'voip'];

function rangeFacts(digits: string, callingCode: string, lineType: PhoneLineType, country: string) {
  const { carriers, regions, timezones, source } = loadPhoneRanges();
  const isMobile = lineType === 'mobile';
  const hasArea =
    lineType === 'fixed_line' ||
    lineType === 'fixed_line_or_mobile' ||
    (isMobile && MOBILES_WITH_AREA.includes(callingCode));
  // In Argentina 9 stands before the area code of a mobile.
  const local = isMobile && callingCode === '54' ? digits.replace(/^549/, '54') : digits;
  const zones = hasArea ? timezones.find(local) : null;
  const carrier = LINES_OF_CARRIERS.includes(lineType) ? carriers.find(digits) : null;
  return {
    // A prefix as short as the calling code would mean the whole country.
    region: hasArea ? regions.find(local, callingCode.length + 1) : null,
    timezones: zones === null ? [] : zonesOfNumber(zones, country),
    carrier: carrier === null || source === null ? null : { name: carrier, source },
  };
}
