export { birthDateBlocks } from './birth-date.ts';
export type { DocumentIdentity } from './document-identity.ts';
export {
  ID_NUMBER_TYPES,
  type IdNumber,
  type IdNumberInput,
  type IdNumberType,
  idNumberDigits,
  idNumberKey,
  issuerOf,
} from './id-number.ts';
export { isFeminineForm, isLikeName } from './name-likeness.ts';
export { distinctWords, foldedWord, foldedWords } from './name-words.ts';
export { formsOfGivenName, isSameGivenName } from './nicknames.ts';
export { firstNameKey, nameKey, nameWords, splitSuffix } from './person-name.ts';
export { NO_PERSONAL_FIELDS, type PersonalFields } from './personal-fields.ts';
export {
  countryOfPhone,
  isReadWithoutCountry,
  parsePhone,
  phoneExtension,
  readPhone,
} from './phone-number.ts';
export {
  isPlaceholderBirthDate,
  isPlaceholderEmail,
  isPlaceholderFullName,
  isPlaceholderName,
  isPlaceholderPhone,
  isPlaceholderUsername,
  knownName,
} from './placeholders.ts';
export { usernameKey } from './username.ts';
