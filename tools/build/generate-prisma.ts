import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { stagingFolder } from './staging.ts';

/*
 * What `prisma generate` does, without the command: the client of src/storage/generated and the types of Pothos in
 * src/graphql/generated. The command brings 230 MB along, which stay in installations without development packages,
 * and downloads an engine that generating does not use.
 */

// The ES modules of the first package import files that it does not contain.
const require = createRequire(import.meta.url);
const { PrismaClientTsGenerator } =
  require('@prisma/client-generator-ts') as typeof import('@prisma/client-generator-ts');
const { getGenerators, loadSchemaContext } =
  require('@prisma/internals') as typeof import('@prisma/internals');

// The schema names its outputs relative to itself: those of a copy are below the staging folder.
const schema = join(stagingFolder(), 'prisma/schema.prisma');
await mkdir(dirname(schema), { recursive: true });
await copyFile(new URL('../../prisma/schema.prisma', import.meta.url), schema);

const generators = await getGenerators({
  schemaContext: await loadSchemaContext({
    schemaPath: { cliProvidedPath: schema },
    printLoadMessage: false,
  }),
  registry: {
    'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() },
    'prisma-pothos-types': {
      type: 'rpc',
      generatorPath: join(dirname(require.resolve('@pothos/plugin-prisma')), '../bin/generator.js'),
      isNode: true,
    },
  },
  skipDownload: true,
  cliCommand: 'generate',
});
for (const generator of generators) {
  await generator.generate();
  generator.stop();
}
