import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OperatorError } from '@vouchgraph/platform/errors';
import { isUuid, newId } from '@vouchgraph/platform/ids';
import { UsageError } from '@vouchgraph/terminal';
import type { ImportAccess } from './import-access.ts';

/** Progress of an earlier run of the same command, in a file next to the input. */
type Progress = { version: 1; project_id: string; import_id: string };

/** The id of the import that an earlier run began, else of a new one. */
export async function findProgress(
  imports: ImportAccess,
  progressFile: string,
  isRestart: boolean,
): Promise<string> {
  const projectId = await imports.projectId();
  const saved = isRestart ? null : await readProgress(progressFile);
  if (saved && saved.project_id !== projectId)
    throw new UsageError(
      `project: the file is being imported into ${saved.project_id}. --restart imports it again`,
      'project',
    );
  if (saved) return saved.import_id;
  const importId = newId();
  await saveProgress(imports, progressFile, importId);
  return importId;
}

/** Stores the id of the import, for the next run of the command. */
export async function saveProgress(
  imports: ImportAccess,
  progressFile: string,
  importId: string,
): Promise<void> {
  const progress: Progress = { version: 1, project_id: await imports.projectId(), import_id: importId };
  const temporary = `${progressFile}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(progress)}\n`, { flush: true });
  await rename(temporary, progressFile);
}

async function readProgress(file: string): Promise<Progress | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  try {
    const progress = JSON.parse(text) as Progress;
    if (progress.version === 1 && isUuid(progress.import_id)) return progress;
  } catch {}
  throw new OperatorError(
    `${JSON.stringify(path.basename(file))} is not the progress of an import. --restart overwrites it`,
  );
}

/** Removes a progress file whose import was never stored. */
export async function removeUnused(imports: ImportAccess, progressFile: string): Promise<void> {
  const saved = await readProgress(progressFile).catch(() => null);
  if (saved && (await imports.findOrNull(saved.import_id)) === null) await rm(progressFile, { force: true });
}
