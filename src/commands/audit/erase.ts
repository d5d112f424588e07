import { systemClock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import { counted, print, printJson, UsageError } from '@vouchgraph/terminal';
import { eraseAuditedValues } from '../../domain/projects/audit-chain-service.ts';
import type { LocalProject } from '../support/project-command.ts';

type Options = { entry?: string; actor?: string; until?: Date; json?: boolean };

/** Erases the values of one entry, or the addresses of an actor. */
export async function eraseAudit(
  { viewer }: LocalProject,
  { entry, actor, until, json }: Options,
): Promise<void> {
  if ((entry === undefined) === (actor === undefined))
    throw new UsageError('entry: required, or --actor', 'entry');
  if (entry !== undefined && until)
    throw new UsageError('--until can only be combined with --actor', 'until');
  const erasure = entry === undefined ? { actor: actor!, until: until ?? null } : { auditId: entry };
  const entries = await eraseAuditedValues(viewer, newId(), erasure, systemClock.now());
  if (json) return printJson({ entries });
  print(`Erased values of ${counted(entries, 'entry', 'entries')}.`);
}
