import { Link, useLocation, useNavigate, useRouteContext } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Session } from '../auth/session-state.ts';
import { signOut } from '../auth/sign-in-api.ts';
import { ActionButton } from '../components/action-button.tsx';
import { LanguageChoice } from '../components/language-choice.tsx';
import { ProblemMessage } from '../components/problem-message.tsx';
import { useAction } from '../components/use-action.ts';
import { useViewer } from '../graphql/viewer.tsx';
import type { TextKey } from '../texts/en.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { CurrentProject } from './current-project.tsx';
import { storeChoice } from './stored-choice.ts';

/** Sections of the navigation. Those of further pages are added here; `isForAdmins`: others do not see the entry. */
const SECTIONS = [
  { to: '/', label: 'nav_overview', isForAdmins: false },
  { to: '/people', label: 'nav_people', isForAdmins: true },
  { to: '/account', label: 'nav_account', isForAdmins: false },
] as const satisfies readonly { to: string; label: TextKey; isForAdmins: boolean }[];

/** Header, navigation and content of the pages of a signed-in person. */
export function Shell({ user, children }: { user: Session['user']; children: ReactNode }) {
  const { text } = useTexts();
  const { pathname } = useLocation();
  const [openAt, setOpenAt] = useState<string | null>(null);
  const isOpen = openAt === pathname;
  const state = useViewer();
  const isAdmin = state.state === 'ready' && state.viewer.role === 'ADMIN';
  const sections = SECTIONS.filter(({ isForAdmins }) => isAdmin || !isForAdmins);
  const focusContent = () => document.querySelector<HTMLElement>('#content h1')?.focus();
  return (
    <div className="shell">
      <header className="top">
        <button type="button" className="skip" onClick={focusContent}>
          {text('skip_to_content')}
        </button>
        <Link to="/" className="brand">
          Vouchgraph
        </Link>
        <CurrentProject />
        <div className="menu-toggle">
          <ActionButton
            kind="quiet"
            aria-expanded={isOpen}
            aria-controls="sections"
            onPress={() => setOpenAt(isOpen ? null : pathname)}
          >
            {text('menu')}
          </ActionButton>
        </div>
      </header>
      <div id="sections" className={isOpen ? 'side open' : 'side'}>
        <div className="side-content">
          <nav aria-label={text('navigation')}>
            <ul>
              {sections.map(({ to, label }) => (
                <li key={to}>
                  <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
                    {text(label)}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <SignedInPerson user={user} />
        </div>
      </div>
      <main id="content">{children}</main>
    </div>
  );
}

function SignedInPerson({ user }: { user: Session['user'] }) {
  const { text } = useTexts();
  const { session } = useRouteContext({ from: '__root__' });
  const navigate = useNavigate();
  const leaving = useAction(async () => {
    await signOut();
    session.forget();
    storeChoice('project', null);
    await navigate({ to: '/sign-in', search: { reason: 'signed-out' } });
  });
  return (
    <section className="person" aria-label={text('nav_account')}>
      <p>
        <strong>{user.name}</strong>
        <span>{user.email}</span>
      </p>
      <ActionButton isPending={leaving.isPending} onPress={() => leaving.run()}>
        {text('sign_out')}
      </ActionButton>
      <ProblemMessage problem={leaving.problem} />
      <LanguageChoice />
    </section>
  );
}
