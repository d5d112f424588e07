import { useCallback, useEffect, useState } from 'react';
import { problemOf, type RequestProblem } from '../auth/request-problem.ts';
import { useSessionEnded } from './use-action.ts';

/** Data that a part of a page loads. */
export type Loaded<Data> =
  | { state: 'loading' }
  | { state: 'failed'; problem: RequestProblem }
  | { state: 'ready'; data: Data };

/** Loads data when the component is shown; `reload` keeps the former data until the new arrive. `load` must be stable. */
export function useLoaded<Data>(load: () => Promise<Data>): [Loaded<Data>, () => Promise<void>] {
  const [loaded, setLoaded] = useState<Loaded<Data>>({ state: 'loading' });
  const leave = useSessionEnded();
  const reload = useCallback(async () => {
    setLoaded((former) => (former.state === 'ready' ? former : { state: 'loading' }));
    try {
      setLoaded({ state: 'ready', data: await load() });
    } catch (error) {
      const problem = problemOf(error);
      if (problem.kind === 'signed-out') leave();
      else setLoaded({ state: 'failed', problem });
    }
  }, [load, leave]);
  useEffect(() => {
    void reload();
  }, [reload]);
  return [loaded, reload];
}
