import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/* What `prisma generate` does, without its command and the engine that the command downloads. */
const require = createRequire(import.meta.url);
const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts');
const { getGenerators, loadSchemaContext } = require('@prisma/internals');

const generators = await getGenerators({
  schemaContext: await loadSchemaContext({
    schemaPath: { cliProvidedPath: fileURLToPath(new URL('schema.prisma', import.meta.url)) },
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
