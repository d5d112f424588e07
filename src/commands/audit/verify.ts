import { count, counted, print, printJson, snakeKeys } from '@vouchgraph/terminal';
import { chainEntries } from '../../domain/audit/audit-chain-worker.ts';
import type { AuditProblem } from '../../domain/projects/audit-chain-service.ts';
import { verifyAuditLog } from '../../domain/projects/audit-chain-service.ts';
import type { LocalProject } from '../support/project-command.ts';
import { readHeadFile } from './head.ts';

/** Problems that the report contains; all are counted. */
const SHOWN = 100;

/** Recomputes the chain over the audit log, and compares it with a head. Exit code 1 if anything differs. */
export async function verifyAudit(
  { viewer, storage }: LocalProject,
  { head: file, json }: { head?: string; json?: boolean },
): Promise<void> {
  const head = file === undefined ? null : await readHeadFile(file);
  // Entries of commands that ran without a gateway.
  while (await chainEntries(storage.database.system));
  let total = 0;
  const shown: AuditProblem[] = [];
  const { links, erased } = await verifyAuditLog(viewer, head, (problem) => {
    total += 1;
    if (shown.length < SHOWN) shown.push(problem);
  });
  if (total > 0) process.exitCode = 1;
  if (json) {
    const report = { valid: total === 0, entries: links, erased_values: erased, problem_count: total };
    return printJson({ ...report, problems: shown.map(snakeKeys) });
  }
  print(`Verified ${counted(links, 'entry', 'entries')} with ${count(erased)} erased values.`);
  for (const problem of shown) print(`  ${textOf(problem)}`);
  if (total > shown.length) print(`  … and ${count(total - shown.length)} more`);
  print(total === 0 ? 'The audit log is complete and unchanged.' : 'The audit log was changed.');
}

const HEAD_TEXTS = {
  other_project: 'the head is of another project',
  other_key: 'the head was signed by another key',
  invalid_signature: 'the signature of the head is not valid',
} as const;

function textOf(problem: AuditProblem): string {
  switch (problem.kind) {
    case 'changed':
      return `position ${problem.position}: entry ${problem.auditId} was changed (${problem.parts.join(', ')})`;
    case 'removed':
      return `position ${problem.position}: entry ${problem.auditId} was removed`;
    case 'links_removed':
      return `positions ${problem.position} to ${problem.through} were removed`;
    case 'reordered':
      return `position ${problem.position}: entry ${problem.auditId} does not follow the one before it: entries were reordered, inserted or removed`;
    case 'inserted':
      return `entry ${problem.auditId} was inserted: it is not part of the chain`;
    case 'rewritten':
      return `position ${problem.position}: the hash differs from the head: earlier entries were changed, and the chain was computed again`;
    case 'cut_off':
      return `positions ${problem.position} to ${problem.through} were cut off: the chain ends before the head`;
    case 'head':
      return HEAD_TEXTS[problem.problem!];
  }
}
