import { Form, type FormValues } from '../components/form.tsx';
import { InputField } from '../components/input-field.tsx';
import { Section } from '../components/page.tsx';
import { useAction } from '../components/use-action.ts';
import type { PersonRole } from '../operations/generated/operations.ts';
import { useTexts } from '../texts/texts-context.tsx';
import type { NewLink } from './people-requests.ts';
import { RoleField } from './role-field.tsx';

export type InvitedPerson = { email: string; name: string; role: PersonRole };

/** Invites a person. */
export function InviteForm(props: {
  invite: (person: InvitedPerson) => Promise<NewLink | null>;
  onInvited: (person: InvitedPerson, link: NewLink | null) => Promise<void>;
}) {
  const { text } = useTexts();
  const invite = useAction(async (value: FormValues) => {
    const person = {
      email: value('email').trim(),
      name: value('name').trim(),
      role: value('role') as PersonRole,
    };
    await props.onInvited(person, await props.invite(person));
  });
  return (
    <Section title={text('invite_title')} lead={text('invite_lead')}>
      <Form action={invite} submitLabel={text('invite_submit')}>
        <InputField
          name="email"
          type="email"
          label={text('email')}
          autoComplete="off"
          maxLength={254}
          invalid="email_invalid"
        />
        <InputField name="name" label={text('name')} autoComplete="off" maxLength={128} />
        <RoleField defaultValue="VIEWER" />
      </Form>
    </Section>
  );
}
