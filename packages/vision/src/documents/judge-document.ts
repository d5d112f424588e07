import { roundScore } from '@vouchgraph/platform/noisy-or';
import {
  type DocumentData,
  type DocumentDoubt,
  type DocumentJudgment,
  type DocumentSignals,
  NOTHING_VOUCHED,
} from '../document-signals.ts';
import { ageBracket, faceDistance, faceMatchScore } from '../faces/face-distance.ts';
import type { DocumentPortrait, DocumentReading, SideReading } from '../readings.ts';
import { type AamvaCard, parseAamva } from './aamva.ts';
import { ageOn, compareDays, parseUsDate, today } from './dates.ts';
import { agreeOnFields, type DocumentFields } from './document-fields.ts';
import { judgeImage } from './judge-image.ts';
import { type MrzResult, readMrz } from './mrz.ts';
import { nameWords } from './names.ts';
import { withoutZone } from './printed-page.ts';
import { asksForBarcode, findTemplate, type Template } from './template.ts';
import { readVisualZone } from './visual-zone.ts';

/** Documents have a tenth of this number of lines. A page full of text is not a document and would be slow. */
const MAX_LINES = 400;

export type JudgmentContext = {
  now: Date;
  /** Face of the person with the document; null without one. */
  selfie: { descriptor: Float32Array; ageYears: number | null } | null;
  /** Name of the account. The name on the document must contain its words. */
  expectedName?: { first?: string; last?: string };
};

/** Fields that a machine readable part must confirm before the document counts as read. */
const MIN_VOUCHED_FIELDS = 3;

/**
 * Judges a document by its parts. Check digits, the barcode and print confirm each other. None of it proves that a document
 * is genuine, and security features are not examined. A status that cannot be judged has its own value.
 *
 * - `likely_authentic_id`: the checks of a machine readable part are valid, print has its family name and date of birth,
 *   no field differs, the whole document is in the image, it is not a screen, and its portrait was found.
 * - `likely_fake_id`: parts contradict each other, which a misread character does not explain.
 * - `cannot_confirm_id_is_authentic`: everything else; `doubt` is the amount of missing evidence.
 *
 * Expiry is not a sign of forgery and has its own flag.
 */
export function judgeDocument(whole: DocumentReading, context: JudgmentContext): DocumentJudgment {
  const { back } = whole;
  const reading = { ...whole, front: withoutDenseText(whole.front), back: back && withoutDenseText(back) };
  const sides = reading.back ? [reading.front, reading.back] : [reading.front];
  const lines = sides.flatMap((side) => side.lines);
  const mrz = readMrz(
    sides.flatMap((side) => side.mrz),
    context.now,
  );
  const barcode = sides.map((side) => side.barcode).find((found) => found !== null) ?? null;
  const card = barcode !== null && barcode !== 'error' ? parseAamva(barcode.text) : null;
  const template = findTemplate(mrz, card, lines);
  const print = readVisualZone(
    sides.map((side) => side.lines),
    template.country,
  );
  const printLines = sides.flatMap((side) => withoutZone(side.lines, mrz?.lines ?? null));
  const { country } = template;
  const fields = agreeOnFields({ mrz, card, print, lines, printLines, country, now: context.now });
  const image = judgeImage(reading, template, mrz);
  const contradictions = findContradictions(fields, mrz, context.now);
  const hasText = mrz !== null || card !== null || Object.values(print).some((value) => value !== null);
  const idTextStatus = hasText ? textStatus(fields, mrz, card) : 'not_available';
  const born = parseUsDate(fields.birth.value);
  const idAge = born && ageOn(born, today(context.now));
  const signals: DocumentSignals = {
    ...image,
    ...judgeNames(fields, context.expectedName),
    ...judgeFaces(reading.portrait, context.selfie),
    idAge,
    idBarcodeStatus: barcodeStatus(template, barcode, card),
    idTextStatus,
    idValidity: validity(image, idTextStatus, contradictions),
  };
  // A birth after today is a contradiction, not a date.
  const data = presentData(
    template,
    idAge === null ? { ...fields, birth: { ...fields.birth, value: '' } } : fields,
  );
  const doubt = doubtOf({ fields, holds: machineHolds(mrz, card), signals });
  return {
    signals,
    data,
    isExpired: isExpired(fields, context.now),
    doubt,
    reasons: [...reasonsOf(fields, mrz, contradictions, signals), ...(doubt === 'open' ? ['try_again'] : [])],
  };
}

function withoutDenseText(side: SideReading): SideReading {
  return { ...side, lines: side.lines.slice(0, MAX_LINES) };
}

function barcodeStatus(
  template: Template,
  barcode: DocumentReading['front']['barcode'],
  card: AamvaCard | null,
): DocumentSignals['idBarcodeStatus'] {
  if (card) return 'success';
  if (!asksForBarcode(template)) return 'no_barcode_specificed_by_template';
  if (barcode === null) return 'barcode_requested_but_not_found';
  return barcode === 'error'
    ? 'barcode_requested_but_error_reading'
    : 'barcode_requested_and_read_but_could_not_parse';
}

const IDENTITY_FIELDS = ['lastName', 'firstName', 'birth', 'expiry', 'number'] as const;

/** Whether a machine readable part was read completely: a barcode, or a zone with valid check digits. */
function machineHolds(mrz: MrzResult | null, card: AamvaCard | null): boolean {
  if (card) return true;
  return (
    mrz !== null &&
    mrz.composite !== 'invalid' &&
    mrz.birth.validity === 'valid' &&
    mrz.expiry.validity !== 'invalid'
  );
}

/** Whether print has the name and date of birth that a machine readable part confirms, without a contradiction. */
function textStatus(
  fields: DocumentFields,
  mrz: MrzResult | null,
  card: AamvaCard | null,
): DocumentSignals['idTextStatus'] {
  const hasConflict = IDENTITY_FIELDS.some((name) => fields[name].conflict !== null);
  const isConfirmed = fields.lastName.isConfirmed && fields.birth.isConfirmed;
  return machineHolds(mrz, card) && isConfirmed && !hasConflict
    ? 'likely_original_text'
    : 'cannot_confirm_id_is_authentic';
}

/**
 * Remaining doubt about an unconfirmed document. `little` if a machine readable part is valid, three fields are confirmed,
 * print confirms one of them, no field was withheld because print differs, no other date of birth is printed, and the
 * portrait was compared with the face. Otherwise `open`: there is no evidence either way, and another image may show more.
 */
function doubtOf({
  fields,
  holds,
  signals,
}: {
  fields: DocumentFields;
  holds: boolean;
  signals: DocumentSignals;
}): DocumentDoubt {
  if (signals.idValidity !== 'cannot_confirm_id_is_authentic') return 'none';
  const all = IDENTITY_FIELDS.map((name) => fields[name]);
  const isRead =
    all.filter(({ isVouched }) => isVouched).length >= MIN_VOUCHED_FIELDS &&
    all.some(({ isConfirmed }) => isConfirmed);
  const isDisputed =
    fields.hasOtherBirth || all.some(({ conflict, value }) => conflict !== null && value === '');
  return holds && isRead && !isDisputed && signals.idFaceMatchScore !== null ? 'little' : 'open';
}

/** Codes of contradictions that a misread character does not explain. */
function findContradictions(fields: DocumentFields, mrz: MrzResult | null, now: Date): string[] {
  const { lastName, firstName, birth, expiry, issue, number } = fields;
  const [born, expires, issued] = [birth, expiry, issue].map(({ value }) => parseUsDate(value));
  const isAfter = (a: typeof born, b: typeof born) => Boolean(a && b && compareDays(a, b) > 0);
  const codes: readonly (readonly [string, boolean])[] = [
    ['names_differ', lastName.conflict === 'hard' || firstName.conflict === 'hard'],
    ['birth_differs', birth.conflict === 'hard'],
    ['expiry_differs', expiry.conflict === 'hard'],
    ['number_differs', number.conflict === 'hard'],
    ['check_digits_fail', mrz?.contradictsItself === true],
    ['birth_in_future', isAfter(born, today(now))],
    ['expiry_before_birth', isAfter(born, expires)],
    ['issue_after_expiry', isAfter(issued, expires)],
  ];
  return codes.filter(([, holds]) => holds).map(([code]) => code);
}

function validity(
  image: ReturnType<typeof judgeImage>,
  idTextStatus: DocumentSignals['idTextStatus'],
  contradictions: readonly string[],
): DocumentSignals['idValidity'] {
  if (contradictions.length > 0) return 'likely_fake_id';
  const isAuthentic =
    idTextStatus === 'likely_original_text' &&
    image.isFullIdCaptured === 'full_id_detected' &&
    image.isIdDigitalSpoof === 'likely_physical_id' &&
    (image.idFaceStatus === 'likely_original_face' ||
      image.idFaceStatus === 'ocr_template_does_not_support_detection');
  return isAuthentic ? 'likely_authentic_id' : 'cannot_confirm_id_is_authentic';
}

/** Without an expected name: whether the document has a name. With one: whether the document's name contains its words. */
function judgeNames(
  { lastName, firstName, isNameCut }: DocumentFields,
  expected: JudgmentContext['expectedName'],
): Pick<DocumentSignals, 'nameNotFound' | 'namePartiallyMissing'> {
  const found = [lastName.value, firstName.value].filter((name) => name !== '');
  const isPartial = found.length === 1 || isNameCut;
  if (found.length === 0) return { nameNotFound: true, namePartiallyMissing: false };
  const known = new Set(found.flatMap(nameWords));
  const wanted = [expected?.first ?? '', expected?.last ?? ''].flatMap(nameWords);
  const there = wanted.filter((word) => known.has(word)).length;
  if (wanted.length > 0 && there === 0) return { nameNotFound: true, namePartiallyMissing: false };
  return { nameNotFound: false, namePartiallyMissing: isPartial || there < wanted.length };
}

function judgeFaces(
  portrait: DocumentPortrait | null,
  selfie: JudgmentContext['selfie'],
): Pick<DocumentSignals, 'idFaceMatchScore' | 'faceAgeEstimate'> {
  return {
    idFaceMatchScore:
      portrait && selfie
        ? roundScore(faceMatchScore(faceDistance(portrait.descriptor, selfie.descriptor)))
        : null,
    faceAgeEstimate: ageBracket(selfie?.ageYears ?? null),
  };
}

function isExpired({ expiry }: DocumentFields, now: Date): boolean | null {
  const expires = parseUsDate(expiry.value);
  return expires && compareDays(expires, today(now)) < 0;
}

function presentData(template: Template, fields: DocumentFields): DocumentData {
  const hasAddress = Object.values(fields.address).some((part) => part !== '');
  return {
    templateInfo: {
      documentCountryCode: template.country,
      documentState: template.state,
      templateType: template.type,
    },
    userData: {
      firstName: fields.firstName.value,
      lastName: fields.lastName.value,
      dateOfBirth: fields.birth.value,
      dateOfExpiration: fields.expiry.value,
      dateOfIssue: fields.issue.value,
      idNumber: fields.number.value,
      idNumber2: fields.number2.value,
      address: { ...fields.address, country: hasAddress ? template.country : '' },
    },
  };
}

/** Codes for operators, without data of the document. */
function reasonsOf(
  fields: DocumentFields,
  mrz: MrzResult | null,
  contradictions: readonly string[],
  signals: DocumentSignals,
): string[] {
  const named = IDENTITY_FIELDS;
  return [
    ...contradictions,
    ...named.filter((name) => fields[name].conflict === 'slight').map((name) => `${name}_slightly_differs`),
    ...named.filter((name) => fields[name].value === '').map((name) => `${name}_not_sure`),
    ...named.filter((name) => fields[name].isConfirmed).map((name) => `${name}_confirmed`),
    ...(named.some((name) => fields[name].isVouched) ? [] : [NOTHING_VOUCHED]),
    ...(fields.hasOtherBirth ? ['other_birth_in_print'] : []),
    mrz ? `zone_${mrz.format.toLowerCase().replace('-', '_')}_${mrz.composite}` : 'no_zone',
    signals.idBarcodeStatus,
    signals.isFullIdCaptured,
    signals.isIdDigitalSpoof,
  ];
}
