import { readFile } from 'node:fs/promises';
import { OperatorError } from '@vouchgraph/platform/errors';
import { printJson, printNotice } from '@vouchgraph/terminal';
import { writeCompleteFile } from '@vouchgraph/terminal/write-file';
import { z } from 'zod';
import type { AuditHead } from '../../domain/audit/audit-head.ts';
import type { Api } from '../support/api.ts';
import { AUDIT_HEAD } from './documents.ts';

type ReadHead = AuditHead & { readonly unchained: number };

/** Prints the signed head of the chain as JSON, or writes it into a file. */
export async function exportHead(
  api: Api,
  { out, replace, json }: { out?: string; replace?: boolean; json?: boolean },
): Promise<void> {
  const { auditHead } = await api.run<{ auditHead: ReadHead }>(AUDIT_HEAD);
  const { projectId, position, hash, at, publicKey, signature, unchained } = auditHead;
  const head = { project_id: projectId, position, hash, at, public_key: publicKey, signature };
  if (unchained > 0)
    printNotice(
      `${unchained} entries are not part of the chain yet; a running gateway adds them within seconds.`,
      json,
    );
  if (out === undefined) return printJson(head);
  await writeCompleteFile(out, textsOf(`${JSON.stringify(head, null, 2)}\n`), { replace });
}

async function* textsOf(text: string): AsyncGenerator<string> {
  yield text;
}

const headShape = z.strictObject({
  project_id: z.string(),
  position: z.int().min(0),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.string(),
  public_key: z.string(),
  signature: z.string(),
});

/** Reads a file that `exportHead` has written. */
export async function readHeadFile(file: string): Promise<AuditHead> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`${file} cannot be read: ${error.code}`);
  });
  const { success, data } = headShape.safeParse(parsed(text));
  if (!success) throw new OperatorError(`${file} is not a file of audit head`);
  const { project_id: projectId, public_key: publicKey, ...head } = data;
  return { ...head, projectId, publicKey };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
