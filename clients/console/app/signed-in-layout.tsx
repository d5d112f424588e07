import { getRouteApi, Outlet } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Provider } from 'urql';
import { useSessionEnded } from '../components/use-action.ts';
import { createGraphqlClient } from '../graphql/client.ts';
import { ViewerProvider } from '../graphql/viewer.tsx';
import { Shell } from './shell.tsx';
import { useChosenProject } from './use-chosen-project.ts';

const route = getRouteApi('/signed-in');

/** Pages of a signed-in person, for one project. */
export function SignedInLayout() {
  const { project } = useChosenProject();
  const { signedIn } = route.useRouteContext();
  const leave = useSessionEnded();
  const client = useMemo(() => createGraphqlClient(project, leave), [project, leave]);
  return (
    <Provider value={client} key={project}>
      <ViewerProvider>
        <Shell user={signedIn.user}>
          <Outlet />
        </Shell>
      </ViewerProvider>
    </Provider>
  );
}
