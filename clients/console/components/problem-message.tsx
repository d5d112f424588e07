import { useEffect, useState } from 'react';
import type { RequestProblem } from '../auth/request-problem.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { problemTextKey } from './problem-text.ts';

/** Announces a problem as soon as there is one. Always rendered, since screen readers announce changes of a region only. */
export function ProblemMessage({ problem }: { problem: RequestProblem | null }) {
  return <div role="alert">{problem && <Problem problem={problem} />}</div>;
}

function Problem({ problem }: { problem: RequestProblem }) {
  const { text, duration } = useTexts();
  const isOver = useIsWaitOver(problem);
  if (isOver) return <p className="notice">{text('problem_wait_over')}</p>;
  const time = problem.kind === 'wait' ? duration(problem.seconds) : '';
  return <p className="problem">{text(problemTextKey(problem), { time })}</p>;
}

/** Whether the time of a `wait` problem has passed. */
function useIsWaitOver(problem: RequestProblem): boolean {
  const [over, setOver] = useState<RequestProblem | null>(null);
  useEffect(() => {
    if (problem.kind !== 'wait') return;
    const timer = setTimeout(() => setOver(problem), problem.seconds * 1000);
    return () => clearTimeout(timer);
  }, [problem]);
  return over === problem;
}
