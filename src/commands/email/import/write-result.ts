import { writeCompleteFile } from '@vouchgraph/terminal/write-file';
import type { ImportAccess } from './import-access.ts';

/** Writes the results of an import into a file, completely or not at all. */
export async function writeResult(
  imports: ImportAccess,
  importId: string,
  file: string,
  { bom = false, replace = false }: { bom?: boolean | undefined; replace?: boolean | undefined },
): Promise<void> {
  await writeCompleteFile(file, resultOf(imports, importId, bom), { replace });
}

async function* resultOf(imports: ImportAccess, importId: string, bom: boolean) {
  yield* await imports.result(importId, bom);
}
