import { ROLE_TEXTS } from '../app/labels.ts';
import type { Invitation } from '../auth/sign-in-api.ts';
import type { PersonRole } from '../operations/generated/operations.ts';
import { useTexts } from '../texts/texts-context.tsx';

/** Projects and roles of an invitation. */
export function InvitedProjects({ projects }: Pick<Invitation, 'projects'>) {
  const { text } = useTexts();
  if (projects.length === 0) return null;
  return (
    <>
      <p>{text('invitation_projects')}</p>
      <ul>
        {projects.map(({ name, role }) => (
          <li key={name}>{text('invitation_project', { project: name, role: roleText(role) })}</li>
        ))}
      </ul>
    </>
  );

  function roleText(role: string): string {
    const key = ROLE_TEXTS[role.toUpperCase() as PersonRole];
    return key === undefined ? role : text(key);
  }
}
