import type { SignInSearch } from '../app/router.tsx';
import { FAILURE_TEXTS } from '../auth/provider-failure.ts';
import type { RequestProblem } from '../auth/request-problem.ts';
import { returnPath } from '../auth/return-path.ts';
import {
  providerUrl,
  type SignInMethods,
  signInMethods,
  signInWithPasskey,
  signInWithPassword,
} from '../auth/sign-in-api.ts';
import { ActionButton } from '../components/action-button.tsx';
import { Form, type FormValues } from '../components/form.tsx';
import { InputField } from '../components/input-field.tsx';
import { Page } from '../components/page.tsx';
import { ProblemMessage } from '../components/problem-message.tsx';
import { ProviderButtons } from '../components/provider-buttons.tsx';
import { useAction } from '../components/use-action.ts';
import { useLoaded } from '../components/use-loaded.ts';
import type { TextKey } from '../texts/en.ts';
import { useTexts } from '../texts/texts-context.tsx';

/** Until the gateway has named its methods, and if it cannot: the one that every gateway has. */
const PASSWORDS_ONLY: SignInMethods = { passwords: true, passkeys: false, providers: [] };

const REASON_TEXTS: Readonly<Record<NonNullable<SignInSearch['reason']>, TextKey>> = {
  ended: 'sign_in_ended',
  'signed-out': 'sign_in_signed_out',
};

/** First step of the sign-in: password, passkey or provider. */
export function PasswordStep(props: {
  search: SignInSearch;
  onSignedIn: () => Promise<void>;
  onSecondFactor: () => void;
}) {
  const { search, onSignedIn, onSecondFactor } = props;
  const { text } = useTexts();
  const [loaded, reload] = useLoaded(signInMethods);
  const methods = loaded.state === 'ready' ? loaded.data : PASSWORDS_ONLY;
  const signIn = useAction(async (value: FormValues) => {
    const next = await signInWithPassword(value('email'), value('password'));
    if (next === 'second-factor') onSecondFactor();
    else await onSignedIn();
  });
  return (
    <Page title={text('sign_in_title')} lead={text('sign_in_lead')}>
      {search.reason && <p className="notice">{text(REASON_TEXTS[search.reason])}</p>}
      {search.error && (
        <p className="problem" role="alert">
          {text(FAILURE_TEXTS[search.error])}
        </p>
      )}
      {methods.passwords && (
        <Form action={signIn} submitLabel={text('sign_in')}>
          <InputField
            name="email"
            type="email"
            label={text('email')}
            autoComplete="username"
            invalid="email_invalid"
          />
          <InputField
            name="password"
            type="password"
            label={text('password')}
            autoComplete="current-password"
          />
        </Form>
      )}
      <OtherMethods methods={methods} back={search.back} onSignedIn={onSignedIn} />
      {loaded.state === 'failed' && (
        <MethodsProblem problem={loaded.problem} onTryAgain={() => void reload()} />
      )}
      <p className="lead small">{text('sign_in_no_account')}</p>
    </Page>
  );
}

function OtherMethods(props: {
  methods: SignInMethods;
  back: string | undefined;
  onSignedIn: () => Promise<void>;
}) {
  const { methods, back, onSignedIn } = props;
  const { text } = useTexts();
  const passkey = useAction(async () => {
    await signInWithPasskey();
    await onSignedIn();
  });
  if (!methods.passkeys && methods.providers.length === 0) return null;
  return (
    <>
      {methods.passwords && <p className="divider">{text('sign_in_or')}</p>}
      <div className="stack">
        {methods.passkeys && (
          <ActionButton isPending={passkey.isPending} onPress={() => passkey.run()}>
            {text('sign_in_passkey')}
          </ActionButton>
        )}
      </div>
      <ProblemMessage problem={passkey.problem} />
      <ProviderButtons providers={methods.providers} urlOf={(id) => providerUrl(id, returnPath(back))} />
    </>
  );
}

function MethodsProblem({ problem, onTryAgain }: { problem: RequestProblem; onTryAgain: () => void }) {
  const { text } = useTexts();
  return (
    <>
      <ProblemMessage problem={problem} />
      <div className="actions">
        <ActionButton onPress={onTryAgain}>{text('try_again')}</ActionButton>
      </div>
    </>
  );
}
