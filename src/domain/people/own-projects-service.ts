import type { AccessService, Viewer } from '../projects/access-service.ts';
import type { Environment } from '../projects/api-key.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { PersonRole } from '../projects/person-role.ts';

/** A project in which a person has a role. */
export type PersonProject = {
  readonly projectId: string;
  readonly name: string;
  readonly environment: Environment;
  readonly role: PersonRole;
};

export type OwnProjectsService = ReturnType<typeof createOwnProjectsService>;

/** The projects of the person of a request. */
export function createOwnProjectsService(findProject: AccessService['findProjectById']) {
  return {
    /** All of them, by name. */
    async list(viewer: Viewer): Promise<PersonProject[]> {
      assertMay(viewer, 'person.read_own');
      const found = await Promise.all(
        (viewer.person?.memberships ?? []).map(async ({ projectId, role }) => {
          const project = await findProject(projectId);
          return project ? [{ projectId, name: project.name, environment: project.environment, role }] : [];
        }),
      );
      return found
        .flat()
        .sort((a, b) => a.name.localeCompare(b.name) || (a.projectId < b.projectId ? -1 : 1));
    },
  };
}
