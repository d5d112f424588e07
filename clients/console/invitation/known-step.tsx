import { Link, useNavigate, useRouteContext } from '@tanstack/react-router';
import { useCallback } from 'react';
import { acceptAsSignedIn, type Invitation } from '../auth/sign-in-api.ts';
import { ActionButton } from '../components/action-button.tsx';
import { LoadedView } from '../components/loaded-view.tsx';
import { Page } from '../components/page.tsx';
import { ProblemMessage } from '../components/problem-message.tsx';
import { useAction } from '../components/use-action.ts';
import { useLoaded } from '../components/use-loaded.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { InvitedProjects } from './invited-projects.tsx';

/** Accepts an invitation for a person who has entered before. The person must be signed in. */
export function KnownStep({ invitation, secret }: { invitation: Invitation; secret: string }) {
  const { text } = useTexts();
  const { session } = useRouteContext({ from: '__root__' });
  const navigate = useNavigate();
  const [loaded, reload] = useLoaded(useCallback(() => session.current(), [session]));
  const email = invitation.email ?? '';
  const accept = useAction(async () => {
    await acceptAsSignedIn(secret);
    session.forget();
    await navigate({ to: '/', replace: true });
  });
  return (
    <Page title={text('invitation_title')} lead={text('invitation_lead', { email })}>
      <InvitedProjects projects={invitation.projects} />
      <LoadedView loaded={loaded} reload={reload}>
        {(current) =>
          current?.user.email === email ? (
            <>
              <p>{text('invitation_signed_in')}</p>
              <div className="actions">
                <ActionButton kind="main" isPending={accept.isPending} onPress={() => accept.run()}>
                  {text('invitation_accept')}
                </ActionButton>
              </div>
            </>
          ) : (
            <>
              <p>{text('invitation_known_lead', { email })}</p>
              <p>
                <Link to="/sign-in" search={{ back: '/console/invitation' }}>
                  {text('invitation_to_sign_in')}
                </Link>
              </p>
            </>
          )
        }
      </LoadedView>
      <ProblemMessage problem={accept.problem} />
    </Page>
  );
}
