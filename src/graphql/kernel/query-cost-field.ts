import { builder } from './builder.ts';
import { costliestField, totalCost } from './query-cost.ts';
import { MAX_COMPLEXITY } from './query-limits.ts';

type QueryCost = { cost: number; costliestField: string };

const QueryCostRef = builder.objectRef<QueryCost>('QueryCost').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  mask: 'none',
  description:
    'Cost of a document before its execution: 1 per field unless the field states more, multiplied by ' +
    'the page sizes of the connections that contain it.',
  fields: (t) => ({
    cost: t.exposeInt('cost', { description: 'Cost of the whole document.' }),
    limit: t.int({
      description: 'Maximum cost. A document with a higher cost is rejected with graphql.too_expensive.',
      resolve: () => MAX_COMPLEXITY.complexity,
    }),
    costliestField: t.exposeString('costliestField', {
      description:
        'Path of the field with the highest cost, by response names, such as ' +
        'accounts.edges.node.linkedAccounts.',
    }),
  }),
});

builder.queryField('queryCost', (t) =>
  t.field({
    type: QueryCostRef,
    nullable: true,
    description: 'Cost of the document that selects this field.',
    authScopes: { may: 'project.read' },
    resolve: (_root, _args, _context, info) => ({
      cost: totalCost(info),
      costliestField: costliestField(info),
    }),
  }),
);
