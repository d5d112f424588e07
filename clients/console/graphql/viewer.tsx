import { createContext, type ReactNode, use } from 'react';
import { useQuery } from 'urql';
import type { RequestProblem } from '../auth/request-problem.ts';
import { ViewerDocument, type ViewerQuery } from '../operations/generated/operations.ts';
import { graphqlProblem } from './client.ts';

/** The signed-in person in the current project. */
export type Viewer = NonNullable<ViewerQuery['me']>;

/** The viewer, as far as it is known. */
export type ViewerState =
  | { state: 'loading' }
  | { state: 'failed'; problem: RequestProblem; reload: () => void }
  | { state: 'ready'; viewer: Viewer };

const Context = createContext<ViewerState>({ state: 'loading' });

/** Reads the viewer for the pages below. */
export function ViewerProvider({ children }: { children: ReactNode }) {
  const [{ data, error, fetching }, execute] = useQuery({ query: ViewerDocument });
  const reload = () => execute({ requestPolicy: 'network-only' });
  return <Context value={stateOf()}>{children}</Context>;

  function stateOf(): ViewerState {
    if (data?.me) return { state: 'ready', viewer: data.me };
    if (fetching) return { state: 'loading' };
    const problem: RequestProblem = error ? graphqlProblem(error) : { kind: 'failed' };
    return { state: 'failed', problem, reload };
  }
}

/** The viewer, as far as it is known. */
export function useViewer(): ViewerState {
  return use(Context);
}
