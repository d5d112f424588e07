import house from './.dependency-cruiser.mjs';

/**
 * The layers of src/domain and src/graphql: no cycle between their folders. Tests are left out, since they may use any folder.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
export default {
  forbidden: [
    {
      name: 'domain-folders-are-layers',
      comment:
        'The folders of src/domain form layers (ARCHITECTURE.md has the picture): move the name that both folders need to the lower one or to src/domain/model, or let src/app.ts pass what the lower folder needs of the higher one as an argument.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/domain/[^/]+$' },
      to: { circular: true },
    },
    {
      name: 'graphql-folders-are-layers',
      comment:
        'The folders of src/graphql form layers: move an enum or a reference that both folders need to src/graphql/kernel, or the fields that lead to the higher folder to a file of that folder (builder.objectFields).',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/graphql/[^/]+$', pathNot: '/generated$' },
      to: { circular: true, viaOnly: { path: '^src/graphql/' } },
    },
  ],
  options: { ...house.options, exclude: { path: ['[.]tsx$', '[.]test[.]ts$'] } },
};
