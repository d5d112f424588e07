import {
  BARCODE_STATUSES,
  DIGITAL_SPOOF_STATUSES,
  type DocumentData,
  type DocumentSignals,
  FACE_AGE_BRACKETS,
  FULL_ID_STATUSES,
  ID_FACE_STATUSES,
  ID_TEXT_STATUSES,
  ID_VALIDITIES,
  TEMPLATE_TYPES,
  type TemplateType,
} from '@vouchgraph/vision';
import { builder } from '../kernel/builder.ts';
import { valuesOf } from '../kernel/enum-values.ts';

type Status<Field extends keyof DocumentSignals> = Extract<DocumentSignals[Field], string>;

const BarcodeStatus = builder.enumType('DocumentBarcodeStatus', {
  description: 'Result of reading the barcode of a document.',
  values: {
    NOT_EXPECTED: {
      description: 'Type of document without a barcode.',
      value: BARCODE_STATUSES[0],
    },
    NOT_FOUND: { description: 'Expected barcode that was not found.', value: BARCODE_STATUSES[1] },
    UNREADABLE: { description: 'Barcode that was found, but could not be read.', value: BARCODE_STATUSES[2] },
    READ: { description: 'Barcode that was read.', value: BARCODE_STATUSES[3] },
    NOT_PARSED: { description: 'Barcode whose content could not be parsed.', value: BARCODE_STATUSES[4] },
  } satisfies Record<string, { description: string; value: Status<'idBarcodeStatus'> }>,
});

const FaceStatus = builder.enumType('DocumentFaceStatus', {
  description: 'Assessment of the portrait on a document.',
  values: valuesOf<Status<'idFaceStatus'>>(ID_FACE_STATUSES, {
    not_available: 'Document without a detected portrait.',
    likely_original_face: 'Portrait that is likely original.',
    cannot_confirm_id_is_authentic: 'Portrait that is not confirmed as original.',
    ocr_template_does_not_support_detection: 'Type of document without an assessment of the portrait.',
  }),
});

const TextStatus = builder.enumType('DocumentTextStatus', {
  description: 'Assessment of the text on a document.',
  values: valuesOf<Status<'idTextStatus'>>(ID_TEXT_STATUSES, {
    not_available: 'Document without readable text.',
    likely_original_text: 'Text that is likely original.',
    cannot_confirm_id_is_authentic: 'Text that is not confirmed as original.',
  }),
});

const SpoofStatus = builder.enumType('DocumentSpoofStatus', {
  description: 'Whether a document is physical.',
  values: {
    PHYSICAL: { description: 'Document that is likely physical.', value: DIGITAL_SPOOF_STATUSES[0] },
    UNCERTAIN: {
      description: 'Document that is possibly shown on a screen.',
      value: DIGITAL_SPOOF_STATUSES[1],
    },
  } satisfies Record<string, { description: string; value: Status<'isIdDigitalSpoof'> }>,
});

const FullStatus = builder.enumType('DocumentCompleteness', {
  description: 'Whether the whole document is in the image.',
  values: {
    FULL: { description: 'Whole document.', value: FULL_ID_STATUSES[0] },
    UNCERTAIN: { description: 'Document that is possibly cut off.', value: FULL_ID_STATUSES[1] },
  } satisfies Record<string, { description: string; value: Status<'isFullIdCaptured'> }>,
});

const Validity = builder.enumType('DocumentValidity', {
  description: 'Assessment of the authenticity of a document. Security features are not examined.',
  values: valuesOf<Status<'idValidity'>>(ID_VALIDITIES, {
    likely_authentic_id: 'Document with a valid machine-readable part that the printed text confirms.',
    likely_fake_id: 'Document whose parts contradict each other.',
    cannot_confirm_id_is_authentic: 'Document that is neither likely authentic nor likely fake.',
  }),
});

const FaceAge = builder.enumType('FaceAgeBracket', {
  description: 'Highest age that the face clearly exceeds, or UNDER_8.',
  values: Object.fromEntries(
    FACE_AGE_BRACKETS.map((bracket) => {
      const [, bound, age] = /^([a-z]+)(\d+)$/.exec(bracket)!;
      const description = bound === 'under' ? `Age clearly below ${age}.` : `Age clearly above ${age}.`;
      return [`${bound!.toUpperCase()}_${age}`, { description, value: bracket }];
    }),
  ) as Record<string, { description: string; value: Status<'faceAgeEstimate'> }>,
});

const TemplateTypeEnum = builder.enumType('DocumentType', {
  description: 'Type of a document.',
  values: valuesOf<TemplateType>(TEMPLATE_TYPES, {
    passport: 'Passport.',
    driver_license: 'Driver license.',
    state_id: 'Id card of a state or province.',
    national_id: 'National id card.',
    residence_permit: 'Residence permit.',
    medical_id: 'Health insurance card.',
    school_id: 'Id card of a school or university.',
    employee_id: 'Id card of an employer.',
    other: 'Other document.',
    unknown: 'Unknown type.',
  }),
});

export const DocumentSignalsType = builder.objectRef<DocumentSignals>('DocumentSignals').implement({
  tokenScopes: ['VERIFICATION_RESULT'],
  subjects: 'none',
  description: 'Assessment of a document by its images. Security features are not examined.',
  fields: (t) => ({
    idAge: t.int({
      tokenScopes: ['DOCUMENT'],
      nullable: true,
      description: 'Age in whole years, by the date of birth on the document. Null if it could not be read.',
      resolve: (s) => s.idAge,
    }),
    faceAgeEstimate: t.field({
      tokenScopes: ['DOCUMENT'],
      rest: { unknown: 'null' },
      type: FaceAge,
      nullable: true,
      description:
        'Highest bracket that the face clearly exceeds. Null without an estimate. The mean error is ' +
        'about five years.',
      resolve: (s) => s.faceAgeEstimate,
    }),
    idFaceMatchScore: t.float({
      nullable: true,
      description:
        'Similarity of the face and the portrait on the document, 0 to 1: 1 / (1 + e^(50 (d - 0.385))), ' +
        'where d is the distance of their descriptors. Null if no portrait was found.',
      resolve: (s) => s.idFaceMatchScore,
    }),
    nameNotFound: t.exposeBoolean('nameNotFound', { description: 'Whether no name was found.' }),
    namePartiallyMissing: t.exposeBoolean('namePartiallyMissing', {
      description: 'Whether only part of the name was found.',
    }),
    isDigitalId: t.exposeBoolean('isDigitalId', {
      description: 'Whether the document is shown on a screen.',
    }),
  }),
});

/** Statuses: enums, whose internal words are those of REST. */
builder.objectFields(DocumentSignalsType, (t) => ({
  idBarcodeStatus: t.field({
    type: BarcodeStatus,
    description: 'Result of reading the barcode.',
    resolve: (s) => s.idBarcodeStatus,
  }),
  idFaceStatus: t.field({
    type: FaceStatus,
    description: 'Assessment of the portrait.',
    resolve: (s) => s.idFaceStatus,
  }),
  idTextStatus: t.field({
    type: TextStatus,
    description: 'Assessment of the text.',
    resolve: (s) => s.idTextStatus,
  }),
  isIdDigitalSpoof: t.field({
    type: SpoofStatus,
    description: 'Whether the document is physical.',
    resolve: (s) => s.isIdDigitalSpoof,
  }),
  isFullIdCaptured: t.field({
    type: FullStatus,
    description: 'Whether the whole document is in the image.',
    resolve: (s) => s.isFullIdCaptured,
  }),
  idValidity: t.field({
    type: Validity,
    description: 'Assessment of the authenticity.',
    resolve: (s) => s.idValidity,
  }),
}));

/** A text of the document; '' is unknown. */
const read =
  <Data>(of: (data: Data) => string) =>
  (data: Data): string | null =>
    of(data) || null;

/** A date of the document, which is stored as MM/DD/YYYY. */
const readDate =
  <Data>(of: (data: Data) => string) =>
  (data: Data): string | null => {
    const [month, day, year] = of(data).split('/');
    return year === undefined ? null : `${year}-${month}-${day}`;
  };

const unreadable = (description: string) =>
  ({ nullable: true, description: `${description}. Null if it could not be read.` }) as const;

const TemplateInfo = builder.objectRef<DocumentData['templateInfo']>('DocumentTemplate').implement({
  tokenScopes: 'any',
  subjects: 'none',
  description: 'Type and issuer of a document.',
  fields: (t) => ({
    documentCountryCode: t.field({
      type: 'CountryCode',
      ...unreadable('Country of the issuer'),
      resolve: read((template) => template.documentCountryCode),
    }),
    documentState: t.string({
      mask: 'none',
      ...unreadable('Code of the state or province of the issuer'),
      resolve: read((template) => template.documentState),
    }),
    templateType: t.field({
      type: TemplateTypeEnum,
      description: 'Type of the document.',
      resolve: (template) => template.templateType,
    }),
  }),
});

type UserDataFields = DocumentData['userData'];

const DocumentAddress = builder.objectRef<UserDataFields['address']>('DocumentAddress').implement({
  tokenScopes: 'any',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Address on a document.',
  fields: (t) => ({
    city: t.string({ mask: 'text', ...unreadable('City'), resolve: read((a) => a.city) }),
    country: t.field({ type: 'CountryCode', ...unreadable('Country'), resolve: read((a) => a.country) }),
    postalCode: t.string({ mask: 'text', ...unreadable('Postal code'), resolve: read((a) => a.postalCode) }),
    state: t.string({ mask: 'none', ...unreadable('State or province'), resolve: read((a) => a.state) }),
    street: t.string({ mask: 'text', ...unreadable('Street with number'), resolve: read((a) => a.street) }),
  }),
});

const UserData = builder.objectRef<UserDataFields>('DocumentUserData').implement({
  tokenScopes: 'any',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Holder of a document.',
  fields: (t) => ({
    firstName: t.string({ mask: 'name', ...unreadable('Given name'), resolve: read((u) => u.firstName) }),
    lastName: t.string({ mask: 'name', ...unreadable('Family name'), resolve: read((u) => u.lastName) }),
    dateOfBirth: t.field({
      mask: 'date',
      rest: { isUsDate: true },
      type: 'Date',
      ...unreadable('Date of birth'),
      resolve: readDate((u) => u.dateOfBirth),
    }),
    dateOfExpiration: t.field({
      mask: 'date',
      rest: { isUsDate: true },
      type: 'Date',
      ...unreadable('Last day of validity'),
      resolve: readDate((u) => u.dateOfExpiration),
    }),
    dateOfIssue: t.field({
      mask: 'date',
      rest: { isUsDate: true },
      type: 'Date',
      ...unreadable('Day of issue'),
      resolve: readDate((u) => u.dateOfIssue),
    }),
    idNumber: t.string({
      mask: 'number',
      ...unreadable('Number of the document'),
      resolve: read((u) => u.idNumber),
    }),
    idNumber2: t.string({
      mask: 'number',
      nullable: true,
      description: 'Second number, such as a personal number. Null if none.',
      resolve: read((u) => u.idNumber2),
    }),
    address: t.field({ type: DocumentAddress, description: 'Address.', resolve: (u) => u.address }),
  }),
});

export const DocumentDataType = builder.objectRef<DocumentData>('DocumentData').implement({
  tokenScopes: 'any',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Data of a document. A field with an incorrect check digit is null.',
  fields: (t) => ({
    templateInfo: t.field({
      type: TemplateInfo,
      description: 'Type and issuer.',
      resolve: (d) => d.templateInfo,
    }),
    userData: t.field({ type: UserData, description: 'Holder.', resolve: (d) => d.userData }),
  }),
});
