import { createRuleLanguage } from '@vouchgraph/rules';
import synonyms from '../data/field-synonyms.json' with { type: 'json' };
import { FIELDS, METADATA, METADATA_FIELD } from './field-catalogue.ts';
import { listNameProblem, readListName } from './list-name.ts';
import type { Trigger } from './rule.ts';

const NONE: ReadonlySet<string> = new Set();
/** Fields that a face check leaves without a value. */
const OF_DOCUMENTS = new Set(Object.keys(FIELDS).filter((name) => FIELDS[name]!.on === 'document'));

/** The language of rules: expressions over the fields of the catalogue. */
export const ruleLanguage = createRuleLanguage<Trigger>({
  fields: FIELDS,
  metadata: { root: METADATA, field: METADATA_FIELD },
  synonyms,
  readListName,
  listNameProblem,
  triggers: {
    ID_CHECK_COMPLETED: { fixed: { 'verification.kind': 'id' }, absent: NONE },
    FACE_CHECK_COMPLETED: { fixed: { 'verification.kind': 'face' }, absent: OF_DOCUMENTS },
    FIRST_SESSION: { fixed: { 'session.is_first': true, 'account.num_sessions': 1 }, absent: NONE },
    ANY_SESSION: { fixed: {}, absent: NONE },
  },
});
