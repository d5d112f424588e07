import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { usePage } from './page-context.ts';
import { stepOf } from './view.ts';

/** Layout of each step: progress, heading, instructions. The heading takes the focus. */
export function Frame(props: { heading: string; lead?: string; children?: ComponentChildren }) {
  const { flow, text } = usePage();
  const heading = useRef<HTMLHeadingElement>(null);
  const step = stepOf(flow.view(), flow.kind());
  useEffect(() => {
    document.title = `${props.heading} – ${text('title')}`;
    heading.current?.focus();
    window.scrollTo(0, 0);
  }, [props.heading]);
  return (
    <>
      {step && (
        <div class="step">
          <p>{text('step_of', step)}</p>
          <Steps {...step} />
        </div>
      )}
      <h1 tabIndex={-1} ref={heading}>
        {props.heading}
      </h1>
      {props.lead && <p class="lead">{props.lead}</p>}
      {props.children}
    </>
  );
}

/** Visual form of the preceding text. */
function Steps({ n, total }: { n: number; total: number }) {
  return (
    <div class="steps" aria-hidden="true">
      {Array.from({ length: total }, (_, index) => (
        <span key={index} class={index < n ? 'reached' : ''} />
      ))}
    </div>
  );
}

export function Actions({ children }: { children: ComponentChildren }) {
  return <div class="actions">{children}</div>;
}

/** A button that cannot be used for a moment keeps the focus, which a disabled one would lose. */
export function Button(props: {
  onClick: () => void;
  isQuiet?: boolean;
  isDisabled?: boolean;
  children: ComponentChildren;
}) {
  const { onClick, isQuiet, isDisabled, children } = props;
  return (
    <button
      type="button"
      class={isQuiet ? 'quiet' : 'main'}
      onClick={isDisabled ? undefined : onClick}
      aria-disabled={isDisabled}
    >
      {children}
    </button>
  );
}

/** Spinner, with a text for screen readers beside it. */
export function Spinner() {
  return <div class="spinner" aria-hidden="true" />;
}
