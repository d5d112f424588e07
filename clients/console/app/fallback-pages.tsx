import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { problemOf } from '../auth/request-problem.ts';
import { ActionButton } from '../components/action-button.tsx';
import { EntryFrame } from '../components/entry-frame.tsx';
import { Page } from '../components/page.tsx';
import { ProblemMessage } from '../components/problem-message.tsx';
import { Spinner } from '../components/spinner.tsx';
import { useTexts } from '../texts/texts-context.tsx';

/** A page that could not be loaded. */
export function PageProblem({ error }: ErrorComponentProps) {
  const { text } = useTexts();
  const router = useRouter();
  return (
    <EntryFrame>
      <Page title={text('error_title')}>
        <ProblemMessage problem={problemOf(error)} />
        <div className="actions">
          <ActionButton kind="main" onPress={() => void router.invalidate()}>
            {text('try_again')}
          </ActionButton>
        </div>
      </Page>
    </EntryFrame>
  );
}

/** An address without a page. */
export function NotFoundPage() {
  const { text } = useTexts();
  return (
    <EntryFrame>
      <Page title={text('not_found_title')} lead={text('not_found_lead')}>
        <p>
          <Link to="/">{text('to_overview')}</Link>
        </p>
      </Page>
    </EntryFrame>
  );
}

/** A page that takes long to load. */
export function PagePending() {
  return (
    <div className="pending">
      <Spinner />
    </div>
  );
}
