import { type ReactNode, useEffect, useRef } from 'react';
import { useTexts } from '../texts/texts-context.tsx';

/** Content of a page. Its heading takes the focus, so that a navigation is announced; with `keepsFocus` a field of the page does. */
export function Page(props: { title: string; lead?: ReactNode; keepsFocus?: boolean; children?: ReactNode }) {
  const { title, lead, keepsFocus = false, children } = props;
  const { text } = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  const suffix = text('console');
  useEffect(() => {
    document.title = `${title} – ${suffix}`;
  }, [title, suffix]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page that changes its title is another step
  useEffect(() => {
    window.scrollTo(0, 0);
    if (!keepsFocus) heading.current?.focus();
  }, [title]);
  return (
    <>
      <h1 tabIndex={-1} ref={heading}>
        {title}
      </h1>
      {lead && <p className="lead">{lead}</p>}
      {children}
    </>
  );
}

/** A part of a page under a heading. */
export function Section(props: { title: string; lead?: string; aside?: ReactNode; children: ReactNode }) {
  const { title, lead, aside, children } = props;
  return (
    <section className="card">
      <div className="card-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {lead && <p className="lead">{lead}</p>}
      {children}
    </section>
  );
}
