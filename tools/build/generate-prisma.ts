/**
 * `prisma generate` on a machine that reaches nothing but a package registry: the client of src/storage/generated and
 * the types of Pothos in src/graphql/generated.
 *
 * The command wants to download its native schema engine, which generating does not use. It is content with any
 * existing executable in its place, and never runs it: Node itself will do.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { stagingFolder } from './staging.ts';

// The schema names its outputs relative to itself: those of a copy are below the staging folder.
const schema = join(stagingFolder(), 'prisma/schema.prisma');
mkdirSync(dirname(schema), { recursive: true });
copyFileSync(new URL('../../prisma/schema.prisma', import.meta.url), schema);
const packageFile = createRequire(import.meta.url).resolve('prisma/package.json');
const result = spawnSync(
  process.execPath,
  [join(dirname(packageFile), 'build/index.js'), 'generate', '--no-hints', '--schema', schema],
  {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    env: {
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  },
);
// Its usual output is about itself; it matters when something is wrong with the schema.
if (result.status !== 0) process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? result.error}`);
process.exitCode = result.status ?? 1;
