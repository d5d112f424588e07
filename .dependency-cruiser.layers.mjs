import house from './.dependency-cruiser.mjs';

/**
 * The layers of src/domain: no cycle between its folders. Tests are left out, since they may use any folder.
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
  ],
  options: { ...house.options, exclude: { path: ['[.]tsx$', '[.]test[.]ts$'] } },
};
