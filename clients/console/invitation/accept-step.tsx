import { useRouteContext } from '@tanstack/react-router';
import {
  acceptAtProviderUrl,
  acceptInvitation,
  type Invitation,
  signInMethods,
} from '../auth/sign-in-api.ts';
import { Form, type FormValues } from '../components/form.tsx';
import { InputField } from '../components/input-field.tsx';
import { NewPasswordField } from '../components/new-password-field.tsx';
import { Page } from '../components/page.tsx';
import { ProviderButtons } from '../components/provider-buttons.tsx';
import { useAction } from '../components/use-action.ts';
import { useLoaded } from '../components/use-loaded.ts';
import { UsernameHint } from '../components/username-hint.tsx';
import { useTexts } from '../texts/texts-context.tsx';
import { InvitedProjects } from './invited-projects.tsx';

/** Sets name and password of an invited person, or the password alone. */
export function AcceptStep(props: { invitation: Invitation; secret: string; onAccepted: () => void }) {
  const { invitation, secret, onAccepted } = props;
  const { text, time } = useTexts();
  const { session } = useRouteContext({ from: '__root__' });
  const { email } = invitation;
  const isReset = invitation.kind === 'RESET';
  const accept = useAction(async (value: FormValues) => {
    const name = isReset ? invitation.name : value('name').trim();
    const entered = { email: email ?? value('email').trim(), name, password: value('newPassword') };
    await acceptInvitation(secret, entered);
    session.forget();
    onAccepted();
  });
  return (
    <Page
      title={text(isReset ? 'reset_title' : 'invitation_title')}
      lead={
        email === null
          ? text('administrator_lead')
          : text(isReset ? 'reset_lead' : 'invitation_lead', { email })
      }
    >
      {!isReset && <InvitedProjects projects={invitation.projects} />}
      <Form action={accept} submitLabel={text(isReset ? 'reset_accept' : 'invitation_accept')}>
        {email === null ? (
          <InputField
            name="email"
            type="email"
            label={text('email')}
            autoComplete="username"
            invalid="email_invalid"
          />
        ) : (
          <UsernameHint email={email} />
        )}
        {!isReset && (
          <InputField
            name="name"
            label={text('invitation_name')}
            hint={text('invitation_name_hint')}
            autoComplete="name"
            defaultValue={invitation.name}
            maxLength={256}
          />
        )}
        <NewPasswordField />
      </Form>
      {email !== null && !isReset && <AcceptAtProvider secret={secret} />}
      <p className="lead small">{text('invitation_expires', { time: time(invitation.expiresAt) })}</p>
    </Page>
  );
}

/** Where the installation has providers: an identity in place of a password. */
function AcceptAtProvider({ secret }: { secret: string }) {
  const { text } = useTexts();
  const [loaded] = useLoaded(signInMethods);
  if (loaded.state !== 'ready' || loaded.data.providers.length === 0) return null;
  return (
    <>
      <p className="divider">{text('sign_in_or')}</p>
      <ProviderButtons providers={loaded.data.providers} urlOf={(id) => acceptAtProviderUrl(id, secret)} />
    </>
  );
}
