import { useEffect, useRef, useState } from 'react';
import { ActionButton } from '../components/action-button.tsx';
import { type Result, StatusMessage } from '../components/status-message.tsx';
import { useTexts } from '../texts/texts-context.tsx';
import type { NewLink } from './people-requests.ts';

/** A link for a person, which the gateway shows once. Its heading takes the focus. */
export function NewLinkNotice(props: { name: string; link: NewLink; onDone: () => void }) {
  const { name, link, onDone } = props;
  const { text, time } = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  const [copied, setCopied] = useState<Result | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another link is announced too
  useEffect(() => heading.current?.focus(), [link]);
  const copy = () =>
    navigator.clipboard.writeText(link.link).then(
      () => setCopied({ text: text('link_copied') }),
      () => setCopied(null),
    );
  return (
    <section className="card">
      <h2 tabIndex={-1} ref={heading}>
        {text('link_title', { name })}
      </h2>
      <p>{text('link_lead', { time: time(link.expiresAt) })}</p>
      <p className="codes">
        <code className="link" dir="ltr">
          {link.link}
        </code>
      </p>
      <StatusMessage result={copied} />
      <div className="actions">
        {'clipboard' in navigator && (
          <ActionButton kind="main" onPress={() => void copy()}>
            {text('link_copy')}
          </ActionButton>
        )}
        <ActionButton onPress={onDone}>{text('link_done')}</ActionButton>
      </div>
    </section>
  );
}
