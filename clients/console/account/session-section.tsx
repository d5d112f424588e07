import { useState } from 'react';
import { endOtherSessions, endSession, type OwnSession, ownSessions } from '../auth/account-api.ts';
import { describeUserAgent } from '../auth/user-agent.ts';
import { ActionButton } from '../components/action-button.tsx';
import { LoadedView } from '../components/loaded-view.tsx';
import { Section } from '../components/page.tsx';
import { ProblemMessage } from '../components/problem-message.tsx';
import { type Result, StatusMessage } from '../components/status-message.tsx';
import { useAction } from '../components/use-action.ts';
import { useLoaded } from '../components/use-loaded.ts';
import { useTexts } from '../texts/texts-context.tsx';

/** Lists the own sessions, and ends them. */
export function SessionSection() {
  const { text } = useTexts();
  const [loaded, reload] = useLoaded(ownSessions);
  const [result, setResult] = useState<Result | null>(null);
  const endOne = useAction(async (id: string) => {
    await endSession(id);
    await reload();
    setResult({ text: text('session_ended') });
  });
  const endOthers = useAction(async () => {
    const count = await endOtherSessions();
    await reload();
    setResult({ text: text('sessions_ended', { count }) });
  });
  return (
    <Section title={text('sessions_title')} lead={text('sessions_lead')}>
      <StatusMessage result={result} takesFocus />
      <ProblemMessage problem={endOne.problem ?? endOthers.problem} />
      <LoadedView loaded={loaded} reload={reload}>
        {(sessions) => (
          <>
            <ul className="rows">
              {sessions.map((session) => (
                <SessionRow
                  key={session.id}
                  session={session}
                  isPending={endOne.isPending}
                  onEnd={() => endOne.run(session.id)}
                />
              ))}
            </ul>
            {sessions.length > 1 && (
              <div className="actions">
                <ActionButton isPending={endOthers.isPending} onPress={() => endOthers.run()}>
                  {text('sessions_end_others')}
                </ActionButton>
              </div>
            )}
          </>
        )}
      </LoadedView>
    </Section>
  );
}

function SessionRow(props: { session: OwnSession; isPending: boolean; onEnd: () => void }) {
  const { session, isPending, onEnd } = props;
  const { text, time } = useTexts();
  const device = describeUserAgent(session.userAgent);
  const name = device ? text('session_browser', device) : text('session_unknown');
  return (
    <li className="row">
      <div>
        <p className="row-title">
          {name}
          {session.current && <span className="badge">{text('session_current')}</span>}
        </p>
        <ul className="details">
          {session.address && <li>{text('session_from', { address: session.address })}</li>}
          <li>{text('session_used', { time: time(session.lastUsedAt) })}</li>
          <li>{text('session_created', { time: time(session.createdAt) })}</li>
          <li>{text('session_expires', { time: time(session.expiresAt) })}</li>
        </ul>
      </div>
      {!session.current && (
        <ActionButton
          isPending={isPending}
          aria-label={text('session_end_label', { session: name })}
          onPress={onEnd}
        >
          {text('session_end')}
        </ActionButton>
      )}
    </li>
  );
}
