import { getRouteApi } from '@tanstack/react-router';
import { Page, Section } from '../components/page.tsx';
import { useTexts } from '../texts/texts-context.tsx';
import { PasskeySection } from './passkey-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { SessionSection } from './session-section.tsx';
import { TwoFactorSection } from './two-factor-section.tsx';

const route = getRouteApi('/signed-in');

/** The own account: sessions, password, passkeys and second factor. */
export function AccountPage() {
  const { text } = useTexts();
  const { user } = route.useRouteContext().signedIn;
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
      <PasswordSection email={user.email} />
      <TwoFactorSection user={user} />
      <PasskeySection />
      <SessionSection />
    </Page>
  );
}
