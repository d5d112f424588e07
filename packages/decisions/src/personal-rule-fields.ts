import { type Expression, fieldsOf } from '@vouchgraph/rules';
import { FIELDS, METADATA_FIELD, type RuleField } from './field-catalogue.ts';
import { ruleLanguage } from './rule-language.ts';

/** The fields of an expression whose values are masked for persons. */
export function personalFieldsOf(expression: Expression): RuleField[] {
  return fieldsOf(expression).flatMap((name) => {
    const field = ruleLanguage.isMetadataField(name) ? METADATA_FIELD : FIELDS[name];
    return field?.isPersonal ? [field] : [];
  });
}
