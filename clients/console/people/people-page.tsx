import { useMemo, useState } from 'react';
import { useClient } from 'urql';
import { ROLE_TEXTS } from '../app/labels.ts';
import { ActionButton } from '../components/action-button.tsx';
import { LoadedView } from '../components/loaded-view.tsx';
import { Page, Section } from '../components/page.tsx';
import { ProblemMessage } from '../components/problem-message.tsx';
import { Spinner } from '../components/spinner.tsx';
import { type Result, StatusMessage } from '../components/status-message.tsx';
import { useLoaded } from '../components/use-loaded.ts';
import { useViewer, type Viewer } from '../graphql/viewer.tsx';
import type { TextKey } from '../texts/en.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { type InvitedPerson, InviteForm } from './invite-form.tsx';
import { NewLinkNotice } from './new-link.tsx';
import { PersonDialog, RoleDialog, WithdrawDialog } from './people-dialogs.tsx';
import { type NewLink, type PendingInvitation, type Person, peopleRequests } from './people-requests.ts';
import { InvitationTable, PeopleTable, type PersonTask } from './people-table.tsx';

/** People of the project, for its administrators. */
export function PeoplePage() {
  const { text } = useTexts();
  const state = useViewer();
  if (state.state === 'loading') return <Spinner />;
  if (state.state === 'failed') {
    return (
      <Page title={text('people_title')}>
        <ProblemMessage problem={state.problem} />
        <ActionButton onPress={state.reload}>{text('try_again')}</ActionButton>
      </Page>
    );
  }
  const { viewer } = state;
  if (viewer.role !== 'ADMIN') return <Page title={text('people_title')} lead={text('problem_forbidden')} />;
  return <People viewer={viewer} />;
}

/** What the administrator does at the moment. */
type Task = { kind: PersonTask; person: Person } | { kind: 'withdraw'; invitation: PendingInvitation };
type ShownLink = { name: string; link: NewLink };

function People({ viewer }: { viewer: Viewer }) {
  const { text } = useTexts();
  const client = useClient();
  const requests = useMemo(() => peopleRequests(client), [client]);
  const [loaded, reload] = useLoaded(requests.list);
  const [task, setTask] = useState<Task | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const [shown, setShown] = useState<ShownLink | null>(null);
  const [invitedCount, setInvitedCount] = useState(0);
  const show = (name: string, link: NewLink | null | undefined, message: string) => {
    setResult(link ? null : { text: message });
    setShown(link ? { name, link } : null);
  };
  const invited = async ({ email, name, role }: InvitedPerson, link: NewLink | null) => {
    await reload();
    show(name, link, text('invite_known', { email, role: text(ROLE_TEXTS[role]) }));
    setInvitedCount(invitedCount + 1);
  };
  const done = async (message: TextKey, link?: NewLink | null) => {
    await reload();
    show(task && task.kind !== 'withdraw' ? task.person.name : '', link, text(message));
    setTask(null);
  };
  return (
    <Page title={text('people_title')} lead={text('people_lead')}>
      <StatusMessage result={result} takesFocus />
      {shown && <NewLinkNotice {...shown} onDone={() => setShown(null)} />}
      <Section title={text('people_members')}>
        <LoadedView loaded={loaded} reload={reload}>
          {({ people }) => (
            <PeopleTable
              people={people}
              ownId={viewer.personId}
              onTask={(kind, person) => setTask({ kind, person })}
            />
          )}
        </LoadedView>
      </Section>
      {loaded.state === 'ready' && (
        <Section title={text('invitations_title')}>
          <InvitationTable
            invitations={loaded.data.invitations}
            onWithdraw={(invitation) => setTask({ kind: 'withdraw', invitation })}
          />
        </Section>
      )}
      <InviteForm key={invitedCount} invite={requests.invite} onInvited={invited} />
      {task && <TaskDialog {...{ task, requests }} onDone={done} onClose={() => setTask(null)} />}
    </Page>
  );
}

function TaskDialog({
  task,
  ...props
}: { task: Task } & Omit<Parameters<typeof WithdrawDialog>[0], 'invitation'>) {
  if (task.kind === 'withdraw') return <WithdrawDialog invitation={task.invitation} {...props} />;
  if (task.kind === 'role') return <RoleDialog person={task.person} {...props} />;
  return <PersonDialog task={task.kind} person={task.person} {...props} />;
}
