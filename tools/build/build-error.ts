/** Generated files cannot be made; the message says why, and what to run. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}
