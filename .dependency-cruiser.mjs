import { readFileSync } from 'node:fs';

/**
 * Direction of imports. A request passes http → graphql → domain → storage, and no import leads back up. Each comment
 * names what to do instead of the refused import.
 */

const GENERATED = '/generated/';
// The type that ties a project to its database: it names storage and does nothing.
const PROJECT_HANDLE = '^src/domain/projects/project[.]ts$';
const TESTS = '([.]test|-for-tests)[.]ts$';

/** Packages with the packages that they may import. */
const PACKAGES = {
  platform: [],
  persons: ['platform'],
  email: ['platform', 'persons'],
  phone: ['platform', 'persons'],
  signals: ['platform'],
  vision: ['platform'],
  linking: ['platform', 'persons', 'email'],
  rules: ['platform'],
  pacing: ['platform'],
  media: ['platform'],
  terminal: ['platform'],
  decisions: ['platform', 'persons', 'email', 'phone', 'signals', 'vision', 'linking', 'rules'],
  verification: ['platform', 'persons', 'signals', 'vision', 'linking', 'rules', 'decisions'],
  events: ['platform', 'signals', 'decisions'],
  'embedded-postgres': ['platform'],
  rest: ['platform'],
};

/** Libraries of the gateway that a package is about: it starts a PostgreSQL and connects to it, or compiles GraphQL documents. */
const USES = { 'embedded-postgres': 'pg', rest: 'graphql|@graphql-tools' };

/** The files that a package exports to the product. Each file of platform is one. */
function faceOf(name) {
  const manifest = readFileSync(new URL(`packages/${name}/package.json`, import.meta.url), 'utf8');
  return Object.entries(JSON.parse(manifest).exports)
    .filter(([path]) => path !== './internals/*')
    .map(([, file]) => `^packages/${name}/${file.slice(2).replaceAll('.', '[.]').replace('*', '.+')}$`);
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'Two files that need each other are one file, or share a third: move what both use into a file of its own and import that from both.',
      severity: 'error',
      from: { pathNot: GENERATED },
      to: { circular: true, viaOnly: { pathNot: GENERATED } },
    },
    {
      name: 'domain-knows-no-face',
      comment:
        'REST, WebSockets, jobs and the command line use the domain without GraphQL: return plain data or throw an AppError here, and build the answer in src/graphql or src/http.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { path: '^src/(graphql|http)/' },
    },
    {
      name: 'storage-knows-no-domain',
      comment:
        'Storage connects, binds a project and migrates. SQL of a thing belongs to src/domain/<thing>/<thing>-store.ts, which imports storage.',
      severity: 'error',
      from: { path: '^src/storage/', pathNot: GENERATED },
      to: { path: '^src/(domain|graphql|http)/' },
    },
    ...Object.keys(PACKAGES).map((name) => ({
      name: `${name}-knows-no-gateway`,
      comment:
        'A package computes from what it is given: take rows, settings, schemas and clocks as arguments. What knows the database, the server or the environment belongs to src. USES names what a package may use besides.',
      severity: 'error',
      from: { path: `^packages/${name}/` },
      to: {
        path: '^(src|clients|tools)/|^node_modules/(pg|prisma|@prisma|graphql|@graphql-tools|graphql-yoga|graphql-ws|@pothos|dataloader|ws|commander)/',
        pathNot: `^node_modules/(${USES[name] ?? '$'})/`,
      },
    })),
    ...Object.entries(PACKAGES).map(([name, below]) => ({
      name: `${name}-imports-what-is-below`,
      comment: `The package ${name} may import ${below.length === 0 ? 'no other package' : below.join(', ')}: take what you need as an argument, or move it to the lower package.`,
      severity: 'error',
      from: { path: `^packages/${name}/` },
      to: { path: '^packages/', pathNot: `^packages/(${[name, ...below].join('|')})/` },
    })),
    ...Object.keys(PACKAGES).map((name) => ({
      name: `${name}-by-its-face`,
      comment: `Import what packages/${name}/package.json exports: add the name to packages/${name}/src/index.ts. Paths under internals/ are for tests, benches and tools.`,
      severity: 'error',
      from: { path: '^(src|clients|packages)/', pathNot: [`^packages/${name}/`, TESTS] },
      to: { path: `^packages/${name}/src/`, pathNot: faceOf(name) },
    })),
    {
      name: 'pure-domain-does-no-io',
      comment:
        'Pure logic is tested without a database: take the rows as an argument, and read them in the -service.ts, -store.ts, -worker.ts or -adapter.ts beside this file.',
      severity: 'error',
      from: {
        path: '^src/domain/',
        pathNot: ['-(service|store|worker|adapter)[.]ts$', '/errors[.]ts$', TESTS, PROJECT_HANDLE],
      },
      to: { path: '^src/storage/' },
    },
    {
      name: 'rest-runs-documents',
      comment:
        'REST maps names and runs a GraphQL document, so that both answer alike: write the operation in src/http/rest/routes/operations and name it in src/http/rest/routes/routes.ts. Of the domain it knows pure modules only: words, errors and types.',
      severity: 'error',
      from: { path: '^src/http/rest/' },
      to: { path: '^src/(storage/|domain/.*-(service|store|worker|adapter)\\.ts$)' },
    },
    {
      name: 'schema-knows-no-protocol',
      comment:
        'WebSockets, event streams, REST and GraphQL over HTTP execute the same schema: take what the request has from the context, and keep headers, statuses and sockets in src/http/<protocol>.',
      severity: 'error',
      from: { path: '^src/graphql/' },
      to: { path: '^src/http/' },
    },
    {
      name: 'http-calls-services',
      comment:
        'A protocol checks the request and calls a service or runs a document. Put the statement into the -store.ts of the thing, and call it from the -service.ts.',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: ['^src/storage/', '-store[.]ts$'] },
    },
    {
      name: 'graphql-asks-the-domain',
      comment:
        'Resolvers call a service from their context; only the generated Prisma types may come from storage. Put the statement into the -store.ts of the thing.',
      severity: 'error',
      from: { path: '^src/graphql/' },
      to: { path: '^src/storage/', pathNot: '^src/storage/generated/' },
    },
    {
      name: 'resolvers-call-services',
      comment:
        'A store does not authorise: call a function of a -service.ts that begins with assertMay (src/domain/projects/assert-may.ts), and add one where it is missing. Types of rows are exported by the service that returns them.',
      severity: 'error',
      from: { path: '^src/graphql/' },
      to: { path: '^src/domain/.*-store[.]ts$' },
    },
    {
      name: 'settings-are-arguments',
      comment:
        'Only src/app.ts with the parts of src/app/, and the commands know the settings: take the one value that you need as an argument, so that a test can give another.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(app|config)[.]ts$', '^src/(app|commands)/', TESTS] },
      to: { path: '^src/config[.]ts$' },
    },
    {
      name: 'commands-load-when-called',
      comment:
        'Every command file is loaded for --help and --version: import what does the work inside the action, with await import(…), or from a file in the folder of the command that the action imports.',
      severity: 'error',
      from: { path: ['^src/main[.]ts$', '^src/commands/[^/]+[.]ts$'] },
      to: {
        path: [
          '^src/(app|graphql|http|storage)/',
          '^src/(app|config)[.]ts$',
          '-(service|store)[.]ts$',
          '^node_modules/(?!commander)',
        ],
        dynamic: false,
        preCompilationOnly: false,
      },
    },
    {
      name: 'source-knows-no-test',
      comment:
        'What both the product and its tests use lives in src: move it there, or take it as an argument.',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: TESTS },
      to: { path: ['^(test|bench)/', TESTS, '^node_modules/vitest/'] },
    },
    {
      name: 'source-knows-no-tool',
      comment: 'Tools make what the product reads: let one write a file, or move the function to src.',
      severity: 'error',
      from: { path: '^(src|clients)/' },
      to: { path: '^tools/' },
    },
    {
      name: 'acceptance-stays-outside',
      comment:
        'Acceptance tests hold for any program that keeps the interface: start the command and speak to its socket.',
      severity: 'error',
      from: { path: '^test/acceptance/' },
      to: { path: '^src/' },
    },
    {
      name: 'no-development-packages',
      comment: 'An installation has no devDependencies: add the package to dependencies, or do without it.',
      severity: 'error',
      from: { path: ['^src/', '^packages/', '^bin/'], pathNot: TESTS },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'not-to-unresolvable',
      comment:
        'The file or package does not exist: correct the path (with its .ts ending), or install the package.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    // TypeScript 7 has no interface for programs yet; swc reads the same syntax.
    parser: 'swc',
    tsPreCompilationDeps: 'specify',
    doNotFollow: { path: 'node_modules' },
    // Its use of swc cannot read JSX. Only the hosted page has such files, and none of them runs in the service.
    // The packages of test/clients and bench/peers are installed apart.
    exclude: { path: ['[.]tsx$', '^test/clients/', '^bench/peers/'] },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json', '.d.ts'],
      conditionNames: ['node', 'import', 'types'],
      exportsFields: ['exports'],
      mainFields: ['module', 'main', 'types', 'typings'],
    },
  },
};
