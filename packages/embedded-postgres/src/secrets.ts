import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

export type SecretName = 'superuser' | 'owner';

export async function findSecret(dataDir: string, name: SecretName): Promise<string | null> {
  try {
    return (await readFile(secretPath(dataDir, name), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** base64url needs no escaping, neither in a URL nor in an SQL literal. */
export async function findOrCreateSecret(dataDir: string, name: SecretName): Promise<string> {
  const existing = await findSecret(dataDir, name);
  if (existing !== null) return existing;
  const secret = randomBytes(24).toString('base64url');
  // Renamed into place when it is on the disk: a half-written password would lock the database for good.
  const unfinished = `${secretPath(dataDir, name)}.unfinished`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.writeFile(secret);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, secretPath(dataDir, name));
  return secret;
}

function secretPath(dataDir: string, name: SecretName): string {
  return join(dataDir, `${name}.password`);
}
