/*
 * Builds the generated files that are missing or older than their sources: `npm run build`. Before another script:
 * `node --import ./tools/build.ts SCRIPT`. One part alone, by the name of its script:
 * `node tools/build.ts --only generate-prisma`.
 */
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { BuildError } from './build/build-error.ts';
import { ensureBuilt } from './build/ensure-built.ts';
import { PARTS, type Part } from './build/parts.ts';

function selectedParts(): readonly Part[] {
  // The arguments of a script that imports this file belong to that script.
  if (!import.meta.main) return PARTS;
  const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
  if (only === undefined) return PARTS;
  const names = PARTS.map(({ script }) => basename(script, '.ts'));
  if (!names.includes(only)) throw new BuildError(`--only must be one of ${names.join(', ')}`);
  return PARTS.filter((_part, index) => names[index] === only);
}

try {
  await ensureBuilt({ parts: selectedParts() });
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
