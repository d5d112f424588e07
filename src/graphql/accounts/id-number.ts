import { idNumberShape, idNumberTypeShape, idNumberValueShape } from '@vouchgraph/decisions';
import type { IdNumber, IdNumberType as Type } from '@vouchgraph/persons';
import { builder } from '../kernel/builder.ts';
import { inputFrom, setFieldType } from '../kernel/input-from.ts';
import { known } from '../kernel/known.ts';

const described = (value: Type, description: string) => ({ value, description });

const IdNumberType = builder.enumType('IdNumberType', {
  description: 'Type of an id number. Numbers of different types never match.',
  values: {
    PASSPORT: described('passport', 'Passport number.'),
    DRIVER_LICENSE: described('driver_license', 'Number of a driver license.'),
    NATIONAL_ID: described('national_id', 'Number of a national or state identity card.'),
    RESIDENCE_PERMIT: described('residence_permit', 'Residence permit number.'),
    TAX_ID: described('tax_id', 'Tax number of a person.'),
    SOCIAL_SECURITY: described('social_security', 'Social security number.'),
    OTHER: described('other', 'Other number that an issuer assigns to one person.'),
  } as const,
});

setFieldType(idNumberTypeShape, IdNumberType);
setFieldType(idNumberValueShape, 'IdNumberValue');

export const IdNumberInput = inputFrom(idNumberShape);

export const IdNumberObject = builder.objectRef<IdNumber>('IdNumber').implement({
  tokenScopes: 'any',
  subjects: 'wide',
  description: 'Id number of an account. Its value is not stored and cannot be read.',
  fields: (t) => ({
    type: t.expose('type', { type: IdNumberType, description: 'Type of the number.' }),
    country: t.field({
      type: 'CountryCode',
      nullable: true,
      description: 'Issuing country. Null if unknown.',
      resolve: ({ country }) => known(country),
    }),
  }),
});
