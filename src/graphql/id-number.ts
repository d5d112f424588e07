import { idNumberShape, idNumberTypeShape, idNumberValueShape } from '../domain/accounts/account-input.ts';
import type { IdNumber, IdNumberType as Type } from '../domain/identifiers/id-number.ts';
import { builder } from './builder.ts';
import { inputFrom, setFieldType } from './input-from.ts';
import { known } from './known.ts';

const described = (value: Type, description: string) => ({ value, description });

const IdNumberType = builder.enumType('IdNumberType', {
  description: 'Kind of an id number. Numbers of different kinds never match.',
  values: {
    PASSPORT: described('passport', 'Number of a passport.'),
    DRIVER_LICENSE: described('driver_license', 'Number of a driving licence.'),
    NATIONAL_ID: described('national_id', 'Number of a national or state identity card.'),
    RESIDENCE_PERMIT: described('residence_permit', 'Number of a residence permit.'),
    TAX_ID: described('tax_id', 'Tax number of a person.'),
    SOCIAL_SECURITY: described('social_security', 'Social security number.'),
    OTHER: described('other', 'Any other number that one issuer gives to one person.'),
  } as const,
});

setFieldType(idNumberTypeShape, IdNumberType);
setFieldType(idNumberValueShape, 'IdNumberValue');

export const IdNumberInput = inputFrom(idNumberShape);

export const IdNumberObject = builder.objectRef<IdNumber>('IdNumber').implement({
  description: 'An id number that an account has. Its value is not stored and cannot be read.',
  fields: (t) => ({
    type: t.field({ type: IdNumberType, description: 'Kind of number.', resolve: ({ type }) => type }),
    country: t.field({
      type: 'CountryCode',
      nullable: true,
      description: 'Issuing country. Null if unknown.',
      resolve: ({ country }) => known(country),
    }),
  }),
});
