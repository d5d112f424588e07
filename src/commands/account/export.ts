import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { OperatorError } from '../../platform/errors.ts';
import type { Api } from '../support/api.ts';
import { counted } from '../support/counted.ts';
import { withAccount } from '../support/not-found.ts';
import { print, printJson } from '../support/print.ts';
import { wordOf } from '../support/words.ts';
import { EXPORT_ACCOUNT } from './documents.ts';

type Page = { records: { section: string; data: unknown }[]; endCursor: string | null };

/** Writes everything that is stored of an account as one JSON object, to standard output or into a file. */
export async function exportAccount(
  api: Api,
  { out, json }: { out?: string; json?: boolean },
  accountId: string,
): Promise<void> {
  if (out === undefined) {
    for await (const text of textOf(api, accountId)) process.stdout.write(text);
    return;
  }
  const records = await writeFile(out, textOf(api, accountId));
  if (json) return printJson({ account_id: accountId, file: out, records });
  print(`${counted(records, 'record')} of ${accountId} in ${out}.`);
}

/** The export, record by record; returns the number of records. */
async function* textOf(api: Api, accountId: string): AsyncGenerator<string, number> {
  let records = 0;
  for (let after: string | null | undefined; after !== null; ) {
    const input = { accountId, after };
    const { exportAccount } = await api
      .run<{ exportAccount: Page }>(EXPORT_ACCOUNT, { input })
      .catch(withAccount(accountId));
    if (after === undefined) yield `{"account_id":${JSON.stringify(accountId)},"records":[`;
    for (const { section, data } of exportAccount.records) {
      yield `${records === 0 ? '' : ','}\n${JSON.stringify({ section: wordOf(section), data })}`;
      records += 1;
    }
    after = exportAccount.endCursor;
  }
  yield '\n]}\n';
  return records;
}

/** Writes a file that only its owner can read. It gets its name once it is complete. */
async function writeFile(file: string, texts: AsyncGenerator<string, number>): Promise<number> {
  const unfinished = `${file}.part`;
  const stream = createWriteStream(unfinished, { mode: 0o600, flush: true });
  try {
    await once(stream, 'open');
    for (let next = await texts.next(); ; next = await texts.next()) {
      if (next.done) {
        stream.end();
        await once(stream, 'close');
        await rename(unfinished, file);
        return next.value;
      }
      if (!stream.write(next.value)) await once(stream, 'drain');
    }
  } catch (error) {
    stream.destroy();
    await rm(unfinished, { force: true }).catch(() => {});
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new OperatorError(`${file} cannot be written: ${code}`);
  }
}
