/*
 * Document signals of an ID check, with the interface's exact values. Dates are MM/DD/YYYY. Unknown text is '', an unknown
 * number is null.
 */

export const TEMPLATE_TYPES = [
  'passport',
  'driver_license',
  'state_id',
  'national_id',
  'residence_permit',
  'medical_id',
  'school_id',
  'employee_id',
  'other',
  'unknown',
] as const;
export type TemplateType = (typeof TEMPLATE_TYPES)[number];

export const BARCODE_STATUSES = [
  // Spelled as in the interface.
  'no_barcode_specificed_by_template',
  'barcode_requested_but_not_found',
  'barcode_requested_but_error_reading',
  'success',
  'barcode_requested_and_read_but_could_not_parse',
] as const;
export const ID_FACE_STATUSES = [
  'not_available',
  'likely_original_face',
  'cannot_confirm_id_is_authentic',
  'ocr_template_does_not_support_detection',
] as const;
export const ID_TEXT_STATUSES = [
  'not_available',
  'likely_original_text',
  'cannot_confirm_id_is_authentic',
] as const;
export const DIGITAL_SPOOF_STATUSES = [
  'likely_physical_id',
  'could_not_confidently_determine_physical_id_user_needs_to_retry',
] as const;
export const FULL_ID_STATUSES = [
  'full_id_detected',
  'could_not_confidently_determine_full_id_user_needs_to_retry',
] as const;
export const ID_VALIDITIES = [
  'likely_authentic_id',
  'likely_fake_id',
  'cannot_confirm_id_is_authentic',
] as const;
export const FACE_AGE_BRACKETS = [
  'under8',
  'over8',
  'over13',
  'over16',
  'over18',
  'over21',
  'over25',
  'over30',
  'over40',
  'over50',
  'over65',
] as const;

export type DocumentSignals = {
  /** Whole years, null without a readable date of birth. */
  idAge: number | null;
  faceAgeEstimate: (typeof FACE_AGE_BRACKETS)[number] | null;
  /** 0 to 1, null without a portrait or a selfie. */
  idFaceMatchScore: number | null;
  idBarcodeStatus: (typeof BARCODE_STATUSES)[number];
  idFaceStatus: (typeof ID_FACE_STATUSES)[number];
  idTextStatus: (typeof ID_TEXT_STATUSES)[number];
  isIdDigitalSpoof: (typeof DIGITAL_SPOOF_STATUSES)[number];
  isFullIdCaptured: (typeof FULL_ID_STATUSES)[number];
  idValidity: (typeof ID_VALIDITIES)[number];
  nameNotFound: boolean;
  namePartiallyMissing: boolean;
  isDigitalId: boolean;
};

export type DocumentData = {
  templateInfo: {
    /** ISO 3166-1 alpha-2, '' when unknown. */
    documentCountryCode: string;
    documentState: string;
    templateType: TemplateType;
  };
  userData: {
    firstName: string;
    lastName: string;
    dateOfBirth: string;
    dateOfExpiration: string;
    dateOfIssue: string;
    idNumber: string;
    idNumber2: string;
    address: { city: string; country: string; postalCode: string; state: string; street: string };
  };
};

/**
 * Missing evidence for a document without a contradiction: nothing (`none`, also for a likely fake), evidence that does not
 * concern its data (`little`), or evidence of its data and its portrait (`open`).
 */
export type DocumentDoubt = 'none' | 'little' | 'open';

/** Reason of a document without a field that a second part confirms. */
export const NOTHING_VOUCHED = 'nothing_vouched';

/** Judgment of a document. */
export type DocumentJudgment = {
  signals: DocumentSignals;
  data: DocumentData;
  /** Whether the document expired before today; null without a readable date. */
  isExpired: boolean | null;
  doubt: DocumentDoubt;
  /** Reason of each status, for operators: machine readable codes, no personal data. */
  reasons: readonly string[];
};
