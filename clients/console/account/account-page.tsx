import { getRouteApi } from '@tanstack/react-router';
import { ownIdentities } from '../auth/account-api.ts';
import { Page, Section } from '../components/page.tsx';
import { useLoaded } from '../components/use-loaded.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { IdentitySection } from './identity-section.tsx';
import { PasskeySection } from './passkey-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { SessionSection } from './session-section.tsx';
import { TwoFactorSection } from './two-factor-section.tsx';

const route = getRouteApi('/signed-in');
const accountRoute = getRouteApi('/signed-in/account');

/** The own account: profile, ways to sign in, sessions. */
export function AccountPage() {
  const { text } = useTexts();
  const { user } = route.useRouteContext().signedIn;
  const { error } = accountRoute.useSearch();
  const [own] = useLoaded(ownIdentities);
  // People who entered with a provider have none: nothing is shown until that is known.
  const hasPassword = own.state === 'failed' || (own.state === 'ready' && own.data.hasPassword);
  return (
    <Page title={text('account_title')}>
      <Section title={text('account_profile')}>
        <dl className="facts">
          <dt>{text('name')}</dt>
          <dd>
            <bdi>{user.name}</bdi>
          </dd>
          <dt>{text('email')}</dt>
          <dd>
            <bdi>{user.email}</bdi>
          </dd>
        </dl>
      </Section>
      {hasPassword && (
        <>
          <PasswordSection email={user.email} />
          <TwoFactorSection user={user} />
        </>
      )}
      <PasskeySection />
      <IdentitySection failure={error} />
      <SessionSection />
    </Page>
  );
}
