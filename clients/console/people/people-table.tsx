import { ROLE_TEXTS } from '../app/labels.ts';
import { ActionButton } from '../components/action-button.tsx';
import type { TextKey } from '../texts/en.ts';
import { useTexts } from '../texts/texts-context.tsx';
import type { PendingInvitation, Person } from './people-requests.ts';

/** What an administrator does with a person. */
export type PersonTask = 'role' | 'remove' | 'reset' | 'disable' | 'enable';

/** Text of the button of a task, and its label with the name of the person. */
const TASK_TEXTS: Readonly<Record<PersonTask, readonly [TextKey, TextKey]>> = {
  role: ['person_role', 'person_role_label'],
  remove: ['person_remove', 'person_remove_label'],
  reset: ['person_reset', 'person_reset_label'],
  disable: ['person_disable', 'person_disable_label'],
  enable: ['person_enable', 'person_enable_label'],
};

function TableHead() {
  const { text } = useTexts();
  return (
    <thead>
      <tr>
        <th scope="col">{text('people_person')}</th>
        <th scope="col">{text('people_role')}</th>
        <th scope="col">{text('people_state')}</th>
        <th scope="col">{text('people_actions')}</th>
      </tr>
    </thead>
  );
}

/** People of the project with their actions. */
export function PeopleTable(props: {
  people: readonly Person[];
  /** Id of the person who is signed in. */
  ownId: string;
  onTask: (task: PersonTask, person: Person) => void;
}) {
  return (
    <table className="people">
      <TableHead />
      <tbody>
        {props.people.map((person) => (
          <PersonRow key={person.personId} {...props} person={person} />
        ))}
      </tbody>
    </table>
  );
}

function PersonRow(props: {
  person: Person;
  ownId: string;
  onTask: (task: PersonTask, person: Person) => void;
}) {
  const { person, ownId, onTask } = props;
  const { text, time } = useTexts();
  const { name, disabledAt } = person;
  const isSelf = person.personId === ownId;
  const ofState: PersonTask = disabledAt === null ? 'disable' : 'enable';
  const ofOthers: PersonTask[] = ['reset', ofState];
  const tasks: PersonTask[] = ['role', 'remove', ...(isSelf ? [] : ofOthers)];
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi> {isSelf && <span className="badge">{text('people_you')}</span>}
        <span className="email">
          <bdi>{person.email}</bdi>
        </span>
      </th>
      <td>
        {text(ROLE_TEXTS[person.role])}
        {person.roleProvider !== null && (
          <span className="details">{text('person_role_from', { provider: person.roleProvider })}</span>
        )}
      </td>
      <td>
        <span className={disabledAt === null ? 'badge on' : 'badge'}>
          {text(disabledAt === null ? 'person_enabled' : 'person_disabled')}
        </span>
        {person.twoFactorEnabled && <span className="details">{text('person_two_factor')}</span>}
        {person.signedInAt !== null && (
          <span className="details">{text('person_signed_in', { time: time(person.signedInAt) })}</span>
        )}
      </td>
      <td>
        <div className="row-actions">
          {tasks.map((task) => (
            <ActionButton
              key={task}
              aria-label={text(TASK_TEXTS[task][1], { name })}
              onPress={() => onTask(task, person)}
            >
              {text(TASK_TEXTS[task][0])}
            </ActionButton>
          ))}
        </div>
      </td>
    </tr>
  );
}

/** Invitations that were not used yet. */
export function InvitationTable(props: {
  invitations: readonly PendingInvitation[];
  onWithdraw: (invitation: PendingInvitation) => void;
}) {
  const { text, time } = useTexts();
  if (props.invitations.length === 0) return <p>{text('invitations_none')}</p>;
  return (
    <table className="people">
      <TableHead />
      <tbody>
        {props.invitations.map((invitation) => (
          <tr key={invitation.invitationId}>
            <th scope="row">
              <bdi>{invitation.name}</bdi>
              <span className="email">
                <bdi>{invitation.email}</bdi>
              </span>
            </th>
            <td>{text(ROLE_TEXTS[invitation.role])}</td>
            <td>{text('invitation_expires', { time: time(invitation.expiresAt) })}</td>
            <td>
              <ActionButton
                aria-label={text('invitation_withdraw_label', { name: invitation.name })}
                onPress={() => props.onWithdraw(invitation)}
              >
                {text('invitation_withdraw')}
              </ActionButton>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
