import { inlineFragments } from '@vouchgraph/rest/internals/inline-fragments';
import { type FieldNode, isObjectType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { describe, expect, it } from 'vitest';
import { declaredOf } from '../../graphql/kernel/declared-facts.ts';
import { restSchema } from './rest-schema.ts';
import { EMAIL_RECORD } from './routes/email-record-schema.ts';
import { ROUTES } from './routes/routes.ts';

describe('the forms that fields declare', () => {
  it('are of fields that rows select or that the email record has', () => {
    const selected = new Set<string>();
    for (const { document } of ROUTES) {
      const info = new TypeInfo(restSchema);
      const places: string[] = [];
      const enter = ({ name }: FieldNode) => {
        const place = `${info.getParentType()}.${name.value}`;
        for (const each of [place, `${places.at(-1)}.${name.value}`]) selected.add(each);
        places.push(place);
      };
      const leave = () => void places.pop();
      visit(inlineFragments(document), visitWithTypeInfo(info, { Field: { enter, leave } }));
    }
    for (const name of JSON.stringify(EMAIL_RECORD).matchAll(/"component":"(\w+)"/g)) {
      const type = restSchema.getType(name[1]!);
      for (const field of isObjectType(type) ? Object.keys(type.getFields()) : [])
        selected.add(`${type}.${field}`);
    }
    const declared = Object.values(restSchema.getTypeMap()).flatMap((type) =>
      isObjectType(type)
        ? Object.values(type.getFields()).flatMap((field) => {
            const { rest } = declaredOf(field);
            const inside = Object.keys(rest?.within ?? {}).map((place) => `${place}.${field.name}`);
            return rest ? [`${type}.${field.name}`, ...inside] : [];
          })
        : [],
    );
    expect(declared.length).toBeGreaterThan(50);
    expect(declared.filter((field) => !selected.has(field))).toEqual([]);
  });
});
