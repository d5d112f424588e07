import { Link, useRouteContext } from '@tanstack/react-router';
import { useCallback, useState, useSyncExternalStore } from 'react';
import { codeOf } from '../auth/request-problem.ts';
import { type Invitation, readInvitation } from '../auth/sign-in-api.ts';
import { EntryFrame } from '../components/entry-frame.tsx';
import { LoadedView } from '../components/loaded-view.tsx';
import { Page } from '../components/page.tsx';
import { useLoaded } from '../components/use-loaded.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { AcceptStep } from './accept-step.tsx';
import { KnownStep } from './known-step.tsx';
import { PasskeyOffer } from './passkey-offer.tsx';

/** Accepts an invitation or sets a new password, by the secret of a link. */
export function InvitationPage() {
  const { invitationSecret } = useRouteContext({ from: '__root__' });
  const secret = useSyncExternalStore(invitationSecret.subscribe, invitationSecret.current);
  return (
    <EntryFrame>
      {secret === '' ? <LinkProblem kind="missing" /> : <OpenInvitation key={secret} secret={secret} />}
    </EntryFrame>
  );
}

function OpenInvitation({ secret }: { secret: string }) {
  const load = useCallback(() => readUnlessUnknown(secret), [secret]);
  const [loaded, reload] = useLoaded(load);
  const [isAccepted, setIsAccepted] = useState(false);
  if (isAccepted) return <PasskeyOffer />;
  return (
    <LoadedView loaded={loaded} reload={reload}>
      {(invitation) =>
        invitation?.isKnown ? (
          <KnownStep invitation={invitation} secret={secret} />
        ) : invitation ? (
          <AcceptStep invitation={invitation} secret={secret} onAccepted={() => setIsAccepted(true)} />
        ) : (
          <LinkProblem kind="unknown" />
        )
      }
    </LoadedView>
  );
}

/** Null if the link is unknown, spent or expired. */
async function readUnlessUnknown(secret: string): Promise<Invitation | null> {
  try {
    return await readInvitation(secret);
  } catch (error) {
    if (codeOf(error) === 'INVITATION_NOT_FOUND') return null;
    throw error;
  }
}

function LinkProblem({ kind }: { kind: 'missing' | 'unknown' }) {
  const { text } = useTexts();
  return (
    <Page title={text(`invitation_${kind}_title`)} lead={text(`invitation_${kind}_lead`)}>
      <p>
        <Link to="/sign-in">{text('invitation_to_sign_in')}</Link>
      </p>
    </Page>
  );
}
