/*
 * Makes the generated files that are missing or older than their sources: `npm run build`. Before another script:
 * `node --import ./tools/build.ts SCRIPT`.
 */
import { BuildError } from './build/build-error.ts';
import { ensureBuilt } from './build/ensure-built.ts';

try {
  await ensureBuilt();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
