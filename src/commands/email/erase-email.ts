import { counted, print, printable, printJson } from '@vouchgraph/terminal';
import { isConfirmed } from '@vouchgraph/terminal/confirm';
import type { Api } from '../support/api.ts';
import { ERASE_EMAIL, PROJECT_NAME } from './documents.ts';

type Erased = { readonly checks: number; readonly events: number; readonly deliveries: number };

/** Erases the checks of an address after a confirmation, and prints how many rows were erased. */
export async function eraseEmail(
  api: Api,
  { yes, json }: { yes?: boolean; json?: boolean },
  address: string,
): Promise<void> {
  if (!yes && !(await isConfirmed(() => questionOf(api)))) {
    process.exitCode = 1;
    return;
  }
  const input = { email: address };
  const { eraseEmail: erased } = await api.run<{ eraseEmail: Erased }>(ERASE_EMAIL, { input });
  if (json) return printJson(erased);
  const parts = [
    counted(erased.checks, 'check'),
    counted(erased.events, 'event'),
    counted(erased.deliveries, 'webhook delivery', 'webhook deliveries'),
  ];
  print(`Erased ${parts[0]}, ${parts[1]} and ${parts[2]} of the address.`);
  print('Accounts with the address are not erased: use DELETE /account/{id}.');
}

/** The address is not repeated, because terminals keep their output. */
async function questionOf(api: Api): Promise<string> {
  const { project } = await api.run<{ project: { name: string } }>(PROJECT_NAME);
  const name = printable(JSON.stringify(project.name));
  return `Erase all checks of this address in the project ${name}? This cannot be undone.`;
}
