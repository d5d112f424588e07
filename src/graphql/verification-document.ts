import type { DocumentData, DocumentSignals } from '../domain/vision/document-signals.ts';
import { builder } from './builder.ts';

const text = (description: string) => ({ description: `${description} Empty when it could not be read.` });

export const DocumentSignalsType = builder.objectRef<DocumentSignals>('DocumentSignals').implement({
  description:
    'What was found out about a document from its pictures. Nothing here says that security features are genuine: ' +
    'they are not looked at.',
  fields: (t) => ({
    idAge: t.int({
      nullable: true,
      description: 'Whole years since the date of birth on the document; null when it could not be read.',
      resolve: (s) => s.idAge,
    }),
    faceAgeEstimate: t.string({
      nullable: true,
      description:
        'Highest bracket that the face clearly exceeds: under8, over8, over13, over16, over18, over21, over25, over30, ' +
        'over40, over50, over65. Null without an estimate. The estimate is some five years off on average.',
      resolve: (s) => s.faceAgeEstimate,
    }),
    idFaceMatchScore: t.float({
      nullable: true,
      description:
        'How well the face fits the portrait on the document, 0 to 1: 1 / (1 + e^(50 (d - 0.385))) of the distance d of ' +
        'their descriptors. Null when no portrait was found.',
      resolve: (s) => s.idFaceMatchScore,
    }),
    idBarcodeStatus: t.exposeString('idBarcodeStatus', {
      description:
        'no_barcode_specificed_by_template, barcode_requested_but_not_found, barcode_requested_but_error_reading, success ' +
        'or barcode_requested_and_read_but_could_not_parse.',
    }),
    idFaceStatus: t.exposeString('idFaceStatus', {
      description:
        'not_available, likely_original_face, cannot_confirm_id_is_authentic or ocr_template_does_not_support_detection.',
    }),
    idTextStatus: t.exposeString('idTextStatus', {
      description: 'not_available, likely_original_text or cannot_confirm_id_is_authentic.',
    }),
    isIdDigitalSpoof: t.exposeString('isIdDigitalSpoof', {
      description: 'likely_physical_id or could_not_confidently_determine_physical_id_user_needs_to_retry.',
    }),
    isFullIdCaptured: t.exposeString('isFullIdCaptured', {
      description: 'full_id_detected or could_not_confidently_determine_full_id_user_needs_to_retry.',
    }),
    idValidity: t.exposeString('idValidity', {
      description:
        'likely_authentic_id: a machine readable part holds and print confirms it. likely_fake_id: parts of the document ' +
        'contradict each other. cannot_confirm_id_is_authentic: everything else.',
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

const TemplateInfo = builder.objectRef<DocumentData['templateInfo']>('DocumentTemplate').implement({
  description: 'What kind of document it is, and who issued it.',
  fields: (t) => ({
    documentCountryCode: t.exposeString('documentCountryCode', text('Country, ISO 3166-1 alpha-2.')),
    documentState: t.exposeString('documentState', text('State or province, as its code.')),
    templateType: t.exposeString('templateType', {
      description:
        'passport, driver_license, state_id, national_id, residence_permit, medical_id, school_id, employee_id, other ' +
        'or unknown.',
    }),
  }),
});

const DocumentAddress = builder.objectRef<DocumentData['userData']['address']>('DocumentAddress').implement({
  description: 'The address on a document.',
  fields: (t) => ({
    city: t.exposeString('city', text('City.')),
    country: t.exposeString('country', text('Country, ISO 3166-1 alpha-2.')),
    postalCode: t.exposeString('postalCode', text('Postal code.')),
    state: t.exposeString('state', text('State or province.')),
    street: t.exposeString('street', text('Street with number.')),
  }),
});

const UserData = builder.objectRef<DocumentData['userData']>('DocumentUserData').implement({
  description: 'The person on a document.',
  fields: (t) => ({
    firstName: t.exposeString('firstName', text('Given names.')),
    lastName: t.exposeString('lastName', text('Family name.')),
    dateOfBirth: t.exposeString('dateOfBirth', text('MM/DD/YYYY.')),
    dateOfExpiration: t.exposeString('dateOfExpiration', text('MM/DD/YYYY.')),
    dateOfIssue: t.exposeString('dateOfIssue', text('MM/DD/YYYY.')),
    idNumber: t.exposeString('idNumber', text('Number of the document.')),
    idNumber2: t.exposeString(
      'idNumber2',
      text('A second number where there is one, such as a personal one.'),
    ),
    address: t.field({ type: DocumentAddress, description: 'Address.', resolve: (u) => u.address }),
  }),
});

export const DocumentDataType = builder.objectRef<DocumentData>('DocumentData').implement({
  description: 'What stands on a document. A field whose check digit fails is empty.',
  fields: (t) => ({
    templateInfo: t.field({
      type: TemplateInfo,
      description: 'The kind of document.',
      resolve: (d) => d.templateInfo,
    }),
    userData: t.field({ type: UserData, description: 'The person.', resolve: (d) => d.userData }),
  }),
});
