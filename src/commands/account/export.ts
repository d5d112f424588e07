import { counted, print, printable, printJson, wordOf } from '@vouchgraph/terminal';
import { writeCompleteFile } from '@vouchgraph/terminal/write-file';
import type { Api } from '../support/api.ts';
import { EXPORT_ACCOUNT } from './documents.ts';

/** Mode of files with personal data. */
const OWNER_ONLY = 0o600;

type Page = { records: { section: string; data: unknown }[]; endCursor: string | null };

/** Writes everything that is stored of an account as one JSON object, to standard output or into a file. */
export async function exportAccount(
  api: Api,
  { out, replace, json }: { out?: string; replace?: boolean; json?: boolean },
  accountId: string,
): Promise<void> {
  if (out === undefined) {
    for await (const text of textOf(api, accountId, () => {})) process.stdout.write(printable(text));
    return;
  }
  let records = 0;
  const onRecord = () => {
    records += 1;
  };
  await writeCompleteFile(out, textOf(api, accountId, onRecord), { mode: OWNER_ONLY, replace });
  if (json) return printJson({ account_id: accountId, file: out, records });
  print(`${counted(records, 'record')} of ${accountId} in ${out}.`);
}

/** The export, record by record. */
async function* textOf(api: Api, accountId: string, onRecord: () => void): AsyncGenerator<string> {
  let isFirst = true;
  for (let after: string | null | undefined; after !== null; ) {
    const input = { accountId, after };
    const { exportAccount } = await api.run<{ exportAccount: Page }>(EXPORT_ACCOUNT, { input });
    if (after === undefined) yield `{"account_id":${JSON.stringify(accountId)},"records":[`;
    for (const { section, data } of exportAccount.records) {
      yield `${isFirst ? '' : ','}\n${JSON.stringify({ section: wordOf(section), data })}`;
      isFirst = false;
      onRecord();
    }
    after = exportAccount.endCursor;
  }
  yield '\n]}\n';
}
