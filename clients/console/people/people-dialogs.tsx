import { useState } from 'react';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { useAction } from '../components/use-action.ts';
import type { PersonRole } from '../operations/generated/operations.ts';
import type { TextKey } from '../texts/en.ts';
import { useTexts } from '../texts/texts-context.tsx';
import type { NewLink, PendingInvitation, PeopleRequests, Person } from './people-requests.ts';
import type { PersonTask } from './people-table.tsx';
import { RoleField } from './role-field.tsx';

/** Texts of a question: title, lead, button, and what is announced after it. */
const QUESTIONS = {
  remove: ['person_remove_title', 'person_remove_lead', 'person_remove', 'person_removed'],
  reset: ['person_reset_title', 'person_reset_lead', 'person_reset', 'person_was_reset'],
  disable: ['person_disable_title', 'person_disable_lead', 'person_disable', 'person_was_disabled'],
  enable: ['person_enable_title', 'person_enable_lead', 'person_enable', 'person_was_enabled'],
} as const satisfies Record<Exclude<PersonTask, 'role'>, readonly TextKey[]>;

type DialogProps = {
  requests: PeopleRequests;
  /** The change is made: what to announce, and a new link to show. */
  onDone: (message: TextKey, link?: NewLink | null) => Promise<void>;
  onClose: () => void;
};

/** Changes the role of a person. */
export function RoleDialog({ person, requests, onDone, onClose }: DialogProps & { person: Person }) {
  const { text } = useTexts();
  const { personId, name, roleProvider } = person;
  const [role, setRole] = useState<PersonRole>(person.role);
  const save = useAction(async () => {
    await requests.setRole(personId, role);
    await onDone('person_role_changed');
  });
  return (
    <ConfirmDialog
      title={text('person_role_title', { name })}
      confirmLabel={text('save')}
      confirmKind="main"
      action={save}
      onClose={onClose}
    >
      <p>{text('person_role_lead')}</p>
      {roleProvider !== null && <p>{text('person_role_provider_lead', { provider: roleProvider })}</p>}
      <RoleField defaultValue={person.role} onChange={setRole} />
    </ConfirmDialog>
  );
}

/** Asks before any other change of a person. */
export function PersonDialog(props: DialogProps & { task: Exclude<PersonTask, 'role'>; person: Person }) {
  const { task, person, requests, onDone, onClose } = props;
  const { text } = useTexts();
  const { personId, name } = person;
  const [title, lead, label, done] = QUESTIONS[task];
  const confirm = useAction(async () => {
    const answer = await requests[task](personId);
    await onDone(done, task === 'reset' ? (answer as NewLink | null) : null);
  });
  return (
    <ConfirmDialog
      title={text(title, { name })}
      confirmLabel={text(label)}
      confirmKind={task === 'enable' ? 'main' : 'danger'}
      action={confirm}
      onClose={onClose}
    >
      <p>{text(lead)}</p>
    </ConfirmDialog>
  );
}

/** Asks before an invitation is withdrawn. */
export function WithdrawDialog(props: DialogProps & { invitation: PendingInvitation }) {
  const { invitation, requests, onDone, onClose } = props;
  const { text } = useTexts();
  const withdraw = useAction(async () => {
    await requests.withdraw(invitation.invitationId);
    await onDone('invitation_withdrawn');
  });
  return (
    <ConfirmDialog
      title={text('invitation_withdraw_title', { name: invitation.name })}
      confirmLabel={text('invitation_withdraw')}
      action={withdraw}
      onClose={onClose}
    >
      <p>{text('invitation_withdraw_lead')}</p>
    </ConfirmDialog>
  );
}
