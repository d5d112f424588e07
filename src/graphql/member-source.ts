import { MEMBER_SOURCES } from '../domain/model/member-source.ts';
import { builder } from './builder.ts';
import { valuesOf } from './enum-values.ts';

export const ListMemberSource = builder.enumType('ListMemberSource', {
  description: 'How an account was added to a list.',
  values: valuesOf(MEMBER_SOURCES, {
    api: 'By a request with an API key.',
    rule: 'By a rule.',
    import: 'By an import.',
    console: 'In the console.',
  }),
});
