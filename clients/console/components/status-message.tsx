import { useEffect, useRef } from 'react';

/** Result of an action. Each action makes a new object, so that equal texts are announced again. */
export type Result = { text: string };

/**
 * Announces a result. Always rendered, like a ProblemMessage. With `takesFocus` it takes the focus, for actions that remove the
 * element which had it.
 */
export function StatusMessage({
  result,
  takesFocus = false,
}: {
  result: Result | null;
  takesFocus?: boolean;
}) {
  const message = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (result && takesFocus) message.current?.focus();
  }, [result, takesFocus]);
  return (
    <div role="status">
      {result && (
        <p className="notice" tabIndex={-1} ref={message}>
          {result.text}
        </p>
      )}
    </div>
  );
}
