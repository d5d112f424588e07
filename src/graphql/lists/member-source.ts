import { MEMBER_SOURCES } from '../../domain/model/member-source.ts';
import { builder } from '../kernel/builder.ts';
import { valuesOf } from '../kernel/enum-values.ts';

export const ListMemberSource = builder.enumType('ListMemberSource', {
  description: 'Origin of a membership.',
  values: valuesOf(MEMBER_SOURCES, {
    api: 'Request with an API key.',
    rule: 'Action of a rule.',
    import: 'Import of accounts.',
    console: 'Console for operators. Reserved: the gateway does not set it.',
  }),
});
