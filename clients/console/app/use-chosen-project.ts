import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { storeChoice, storedChoice } from './stored-choice.ts';

const route = getRouteApi('/signed-in');

/** Project of the address, else the last one chosen in this browser; null: the gateway chooses the first by name. */
export function useChosenProject(): {
  project: string | null;
  chooseProject: (projectId: string | null) => void;
} {
  const { project } = route.useSearch();
  const navigate = useNavigate();
  return {
    project: project ?? storedChoice('project'),
    chooseProject(projectId) {
      storeChoice('project', projectId);
      // An absent parameter would be retained.
      void navigate({ to: '.', search: { project: projectId ?? undefined } });
    },
  };
}
