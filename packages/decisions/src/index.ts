export {
  type AccountChanges,
  type AuthenticateAccount,
  authenticateAccountShape,
  authenticateSessionShape,
  deleteAccountShape,
  idNumberShape,
  idNumberTypeShape,
  idNumberValueShape,
  rejectFutureBirth,
  updateAccountShape,
} from './account/account-input.ts';
export {
  type Aggregates,
  accountBot,
  accountRisk,
  addSession,
  averageSignals,
  type KnownEmail,
  NO_AGGREGATES,
  parseAggregates,
  scoreVector,
} from './account/aggregates.ts';
export {
  changedKinds,
  dependsOnStored,
  type MergeContext,
  mergeExpectedCountries,
  mergePersonal,
  requestedKinds,
} from './account/merge-account.ts';
export {
  ACCOUNT_WEIGHTS_VERSION,
  type AccountScoreParts,
  accountScore,
  type LinkStrength,
  linkStrength,
  multipleAccountsScore,
} from './account-score.ts';
export { ACTION_OUTCOMES, type ActionOutcome, type MatchedRule, shownOutcomes } from './apply-actions.ts';
export { BUILT_IN_RULES } from './built-in-rules.ts';
export { type Conclusion, conclude, outcomeOf, triggersOf } from './conclude.ts';
export {
  type DecidingList,
  type Decision,
  type DecisionTrace,
  decide,
  decideByScore,
  decisionShape,
  type RequiredCheck,
  type Thresholds,
} from './decide.ts';
export { factsOf, sessionFacts } from './decision-facts.ts';
export {
  type DecisionInputs,
  type DecisionOutcome,
  decryptDecision,
  decryptFacts,
  encryptDecision,
} from './decision-inputs.ts';
export { ruleOutcomeOf, stillRequired } from './demands.ts';
export { FIELDS, METADATA_FIELD, type RuleField } from './field-catalogue.ts';
export { findResembled, listNameShape, readListName } from './list-name.ts';
export { personalFieldsOf } from './personal-rule-fields.ts';
export {
  MAX_COUNTED_MATCHES,
  type RequiredVerification,
  RULE_STATES,
  type Rule,
  type RuleAction,
  type RuleReference,
  type RuleState,
  TRIGGERS,
  type Trigger,
} from './rule.ts';
export { ruleLanguage } from './rule-language.ts';
export { compileRuleSet, NO_RULES, type RuleSet } from './rule-set.ts';
export { isStandardList, STANDARD_LISTS } from './standard-lists.ts';
export type { Velocity, Within } from './velocity.ts';
export { VERIFICATION_KINDS, type VerificationKind, verificationKindShape } from './verification-kind.ts';
