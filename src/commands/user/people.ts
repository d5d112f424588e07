import { noneText, print, printJson, printTable } from '@vouchgraph/terminal';
import { isConfirmed } from '@vouchgraph/terminal/confirm';
import { openInvitations, openPersonData } from '../../app/open-people.ts';
import type { Config } from '../../config.ts';
import { invitationLink } from '../../domain/people/invitation.ts';
import type { NewInvitation } from '../../domain/people/invitation-service.ts';
import type { PersonRole } from '../../domain/projects/person-role.ts';
import type { LocalProject } from '../support/project-command.ts';
import { withLocalStorage } from '../support/with-database.ts';
import type { DeleteOptions, InviteOptions, JsonOption, RoleOrNone } from './options.ts';
import { originOf } from './origin.ts';

/** Invites a person to the project. A person with a role in it receives the new one at once. */
export async function invite(
  { viewer: { project }, storage }: LocalProject,
  { name, role, json }: InviteOptions,
  email: string,
): Promise<void> {
  const { projectId } = project;
  const invited = await openInvitations(storage).invite(email, name, [{ projectId, role }]);
  const link = invited && linkOf(storage.config, invited);
  if (json)
    return printJson({ email, role, project_id: projectId, link, expires_at: invited?.expiresAt ?? null });
  const place = `the project ${JSON.stringify(project.name)}`;
  if (link === null) return print(`${email} has the role ${role} in ${place} now.`);
  print(`${email} enters ${place} with the role ${role} by this link, once, within a day:`, '', `  ${link}`);
}

/** Gives a person another role in the project, or removes the person from it. */
export async function changeRole(
  { viewer: { project }, storage }: LocalProject,
  { json }: JsonOption,
  email: string,
  role: RoleOrNone,
): Promise<void> {
  const given: PersonRole | null = role === 'none' ? null : role;
  await openInvitations(storage).setRole(email, project.projectId, given);
  if (json) return printJson({ email, project_id: project.projectId, role: given });
  const place = `the project ${JSON.stringify(project.name)}`;
  print(
    given === null
      ? `${email} has no role in ${place} any more.`
      : `${email} has the role ${given} in ${place}.`,
  );
}

/** Lists all people with their roles. */
export async function listUsers({ json }: JsonOption): Promise<void> {
  const people = await withLocalStorage(1, (storage) => openInvitations(storage).list());
  const rows = people.map(
    ({ personId, email, name, twoFactorEnabled, disabledAt, createdAt, memberships }) => ({
      person_id: personId,
      email,
      name,
      two_factor_enabled: twoFactorEnabled,
      disabled_at: disabledAt,
      created_at: createdAt,
      roles: memberships.map(({ projectId, role }) => ({ project_id: projectId, role })),
    }),
  );
  if (json) return printJson(rows);
  if (rows.length === 0) return print(noneText('people'));
  printTable(
    ['EMAIL', 'NAME', 'STATE', 'PROJECT', 'ROLE'],
    rows.flatMap(({ email, name, disabled_at, roles }) => {
      const state = disabled_at === null ? 'enabled' : 'disabled';
      const shown = roles.length > 0 ? roles : [{ project_id: '-', role: '-' }];
      return shown.map(({ project_id, role }) => [email, name, state, project_id, role]);
    }),
  );
}

/** Disables a person, or enables the person again. */
export async function disable(email: string, { json }: JsonOption, isDisabled: boolean): Promise<void> {
  await withLocalStorage(1, (storage) => openInvitations(storage).setDisabled(email, isDisabled));
  if (json) return printJson({ email, disabled: isDisabled });
  print(isDisabled ? `Disabled ${email}. All sessions have ended.` : `Enabled ${email}.`);
}

/** Makes a link with which a person chooses another password. */
export async function reset(email: string, { json }: JsonOption): Promise<void> {
  const { link, expiresAt } = await withLocalStorage(1, async (storage) => {
    const made = await openInvitations(storage).reset(email);
    return { link: linkOf(storage.config, made), expiresAt: made.expiresAt };
  });
  if (json) return printJson({ email, link, expires_at: expiresAt });
  print(`${email} chooses another password by this link, once, within a day:`, '', `  ${link}`);
}

/** Prints all stored data of a person. */
export async function exportData(email: string): Promise<void> {
  printJson(await withLocalStorage(1, (storage) => openPersonData(storage).exportOf(email)));
}

/** Erases a person. */
export async function deletePerson(email: string, { yes, json }: DeleteOptions): Promise<void> {
  const question = async () => `Erase ${email} with all roles, sessions and ways to sign in?`;
  if (!yes && !(await isConfirmed(question, 'to erase a person'))) {
    process.exitCode = 1;
    return;
  }
  await withLocalStorage(1, (storage) => openPersonData(storage).eraseOf(email));
  if (json) return printJson({ email, deleted: true });
  print(`Erased ${email}. The audit log names the person by its id only.`);
}

/** Link of the gateway with the settings of this command. */
const linkOf = (config: Config, { secret }: Pick<NewInvitation, 'secret'>) =>
  invitationLink(originOf(config), secret);
