import { ensureBuilt } from '../../tools/build/ensure-built.ts';

/** The code under test imports generated files. */
export default function setup(): Promise<void> {
  return ensureBuilt();
}
