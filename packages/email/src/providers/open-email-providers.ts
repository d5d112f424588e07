import { openDataFolder } from './data/data-folder.ts';
import { createEmailProviders, type EmailProviders } from './email-providers.ts';
import type { EmailProvider } from './provider.ts';

/** Interval of checks of the folder of imported files. */
const DATA_CHECK_MS = 3000;

export type OpenEmailProvidersOptions = {
  /** Folder of imported files. */
  readonly dataDir: string;
  readonly online?: readonly EmailProvider[];
  readonly everyMs?: number | null;
  /** Receives the name of a file that cannot be read, and why. */
  readonly onDataProblem?: (name: string, reason: string) => void;
};

/** Opens the imported files, and combines them with the providers over the network. */
export async function openEmailProviders(
  options: OpenEmailProvidersOptions,
): Promise<EmailProviders & { reload(): Promise<void> }> {
  const { dataDir, online, everyMs = DATA_CHECK_MS, onDataProblem } = options;
  const folder = await openDataFolder(dataDir, { everyMs, onProblem: onDataProblem });
  const providers = createEmailProviders({ online, offline: folder.providers, onClose: folder.close });
  return { ...providers, reload: folder.reload };
}
