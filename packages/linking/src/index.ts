export {
  type BlindIndex,
  birthDateOf,
  contactIdentifiers,
  contactValues,
  MATCH_KEY_VERSION,
  sessionIdentifiers,
} from './account-identifiers.ts';
export {
  BLOCKING_KEY_BYTES,
  BLOCKING_LIST,
  holdersOf,
  packBlockingKeys,
  readBlockingKeys,
  unpackBlockingKeys,
  WITHOUT_TIMES,
} from './blocking-keys.ts';
export { comparePersons, type Person, type PersonLikeness, personOf } from './compare-persons.ts';
export { DIFFERING_PARTS, devicePartKeys } from './device-parts.ts';
export { applyHistoryLimits, IS_OVER_LIMIT, rankedIdentifiers } from './history-limits.ts';
export { type IdentifierKey, identifierKey } from './identifier-key.ts';
export {
  bitsOfMatchType,
  COMPARED_BIT,
  CONTACT_KINDS,
  IDENTIFIER_KINDS,
  type IdentifierKind,
  isBlockingKind,
  isCountingKind,
  kindOfNumber,
  MATCH_TYPES,
  type MatchType,
  matchTypesOf,
} from './identifier-kinds.ts';
export {
  type Bridge,
  type Component,
  componentsOf,
  IDENTITY_ACTIONS,
  type IdentityAction,
  type IdentityChange,
  type IdentityPlan,
  planIdentities,
} from './identity-groups.ts';
export { adjacencyOf, connect, reroot } from './identity-trees.ts';
export {
  COMPARING_NUMBERS,
  comparedPair,
  type KnownPerson,
  knownPerson,
  personTimes,
} from './known-person.ts';
export {
  BRIDGE_CAP,
  CAPPED_KINDS,
  COMPARING_KINDS,
  FULL_MATCH_KINDS,
  IDENTIFIER_LIST,
  isLinkingKind,
  LINK_SHARE,
  LINK_THRESHOLD,
  LINK_WEIGHTS,
  LINK_WEIGHTS_VERSION,
  LINKING_KINDS,
  LINKING_LIST,
  type LinkingKind,
  MIN_NAMES_OF_SHARED_MAILBOX,
  repeats,
  type SharedIdentifier,
  weightOf,
} from './link-weights.ts';
export { maskBirthDate, maskEmail, maskName, maskPhone, maskUsername } from './mask-value.ts';
export {
  type ComparedPair,
  confirmsFace,
  isCompared,
  isOfExtensions,
  isOfFamily,
  isSameLink,
  REDUCED_KINDS,
  weighPair,
} from './pair-score.ts';
export { MAX_CONTRADICTED_SCORE } from './person-evidence.ts';
export {
  type AccountIdentifier,
  isPartial,
  type LinkPlan,
  type Match,
  mergeIdentifiers,
  type PersonsOfPlan,
  planLinks,
  recomputeIdentifiers,
  type StoredLink,
} from './plan-links.ts';
export { countRecent } from './recent-identifiers.ts';
export {
  type CountedIdentifier,
  type Pair,
  type PairOfAccounts,
  pairsAmong,
  type Rescored,
  rescorePairs,
  type SharingUpdates,
} from './rescore-pairs.ts';
export { type SharedIdentifierChanges, sharedIdentifierChanges } from './shared-identifier-changes.ts';
export type { MailboxNames } from './shared-mailboxes.ts';
