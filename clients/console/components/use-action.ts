import { useNavigate, useRouteContext } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { problemOf, type RequestProblem } from '../auth/request-problem.ts';

/** An action that a person starts. */
export type Action<Input> = {
  run: (input: Input) => void;
  isPending: boolean;
  problem: RequestProblem | null;
};

/** Runs an action once at a time, and keeps its problem until the next run. An ended session leads to the sign-in. */
export function useAction<Input = void>(perform: (input: Input) => Promise<void>): Action<Input> {
  const [state, setState] = useState<Omit<Action<Input>, 'run'>>({ isPending: false, problem: null });
  const leave = useSessionEnded();
  const run = (input: Input) => {
    if (state.isPending) return;
    setState({ isPending: true, problem: null });
    perform(input).then(
      () => setState({ isPending: false, problem: null }),
      (error: unknown) => {
        const problem = problemOf(error);
        if (problem.kind === 'signed-out') leave();
        else setState({ isPending: false, problem });
      },
    );
  };
  return { ...state, run };
}

/** Leads to the sign-in, and from there back to the current page. */
export function useSessionEnded(): () => void {
  const { session } = useRouteContext({ from: '__root__' });
  const navigate = useNavigate();
  return useCallback(() => {
    session.forget();
    const back = location.pathname + location.search;
    void navigate({ to: '/sign-in', search: { back, reason: 'ended' } });
  }, [session, navigate]);
}
