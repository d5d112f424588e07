import { useNavigate } from '@tanstack/react-router';
import { addPasskey } from '../auth/account-api.ts';
import { supportsPasskeys } from '../auth/passkeys.ts';
import { describeUserAgent } from '../auth/user-agent.ts';
import { ActionButton } from '../components/action-button.tsx';
import { Page } from '../components/page.tsx';
import { ProblemMessage } from '../components/problem-message.tsx';
import { useAction } from '../components/use-action.ts';
import { useTexts } from '../texts/texts-context.tsx';

/** Offers a passkey to a person who just set a password. */
export function PasskeyOffer() {
  const { text } = useTexts();
  const navigate = useNavigate();
  const open = () => navigate({ to: '/', replace: true });
  const add = useAction(async () => {
    const device = describeUserAgent(navigator.userAgent);
    await addPasskey(device ? text('session_browser', device) : '');
    await open();
  });
  return (
    <Page title={text('offer_title')} lead={text('offer_lead')}>
      <ProblemMessage problem={add.problem} />
      <div className="actions">
        {supportsPasskeys() && (
          <ActionButton kind="main" isPending={add.isPending} onPress={() => add.run()}>
            {text('offer_add')}
          </ActionButton>
        )}
        <ActionButton kind="quiet" onPress={() => void open()}>
          {text('offer_skip')}
        </ActionButton>
      </div>
    </Page>
  );
}
