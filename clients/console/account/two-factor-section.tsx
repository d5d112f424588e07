import { useRouteContext, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import {
  disableTwoFactor,
  enableTwoFactor,
  renewBackupCodes,
  type TwoFactorSetup,
} from '../auth/account-api.ts';
import type { Session } from '../auth/session-state.ts';
import { ActionButton } from '../components/action-button.tsx';
import { Form, type FormValues } from '../components/form.tsx';
import { InputField } from '../components/input-field.tsx';
import { Section } from '../components/page.tsx';
import { Spinner } from '../components/spinner.tsx';
import { type Result, StatusMessage } from '../components/status-message.tsx';
import { useAction } from '../components/use-action.ts';
import { UsernameHint } from '../components/username-hint.tsx';
import { useTexts } from '../texts/texts-context.tsx';
import { BackupCodes } from './backup-codes.tsx';

type Change = 'enable' | 'renew' | 'disable';

/** The code of QR codes is loaded when one is needed. */
const TwoFactorSetupStep = lazy(() => import('./two-factor-setup.tsx'));

/** What the person does at the moment. */
type Task =
  | { kind: 'none' }
  /** Entering the password for one of the changes. */
  | { kind: 'password'; change: Change }
  | { kind: 'setup'; setup: TwoFactorSetup }
  | { kind: 'codes'; codes: readonly string[] };

/** Turns the second factor on and off. */
export function TwoFactorSection({ user }: { user: Session['user'] }) {
  const { text } = useTexts();
  const { session } = useRouteContext({ from: '__root__' });
  const router = useRouter();
  const [task, setTask] = useState<Task>({ kind: 'none' });
  const [result, setResult] = useState<Result | null>(null);
  const [isCanceled, setIsCanceled] = useState(false);
  const isOn = user.twoFactorEnabled;
  const finish = async (next: Task, message: string) => {
    setTask(next);
    setResult({ text: message });
    session.forget();
    await router.invalidate();
  };
  const change = useAction(async (value: FormValues) => {
    if (task.kind !== 'password') return;
    const password = value('password');
    if (task.change === 'enable') setTask({ kind: 'setup', setup: await enableTwoFactor(password) });
    else if (task.change === 'renew') setTask({ kind: 'codes', codes: await renewBackupCodes(password) });
    else {
      await disableTwoFactor(password);
      await finish({ kind: 'none' }, text('two_factor_disabled'));
    }
  });
  const cancel = () => {
    setTask({ kind: 'none' });
    setIsCanceled(true);
  };
  const begin = (kind: Change) => {
    setResult(null);
    setTask({ kind: 'password', change: kind });
  };
  return (
    <Section
      title={text('two_factor_title')}
      lead={text('two_factor_lead')}
      aside={
        <span className={isOn ? 'badge on' : 'badge'}>{text(isOn ? 'two_factor_on' : 'two_factor_off')}</span>
      }
    >
      <StatusMessage result={result} takesFocus={task.kind === 'none'} />
      {task.kind === 'none' && <Choices isOn={isOn} takesFocus={isCanceled} onChoose={begin} />}
      {task.kind === 'password' && (
        <PasswordStep action={change} email={user.email} kind={task.change} onCancel={cancel} />
      )}
      {task.kind === 'setup' && (
        <Suspense fallback={<Spinner />}>
          <TwoFactorSetupStep
            setup={task.setup}
            onCancel={cancel}
            onConfirmed={() =>
              finish({ kind: 'codes', codes: task.setup.backupCodes }, text('two_factor_enabled'))
            }
          />
        </Suspense>
      )}
      {task.kind === 'codes' && <BackupCodes codes={task.codes} onSaved={cancel} />}
    </Section>
  );
}

function Choices(props: { isOn: boolean; takesFocus: boolean; onChoose: (change: Change) => void }) {
  const { isOn, takesFocus, onChoose } = props;
  const { text } = useTexts();
  return (
    <div className="actions">
      {isOn ? (
        <>
          <ActionButton autoFocus={takesFocus} onPress={() => onChoose('renew')}>
            {text('two_factor_renew')}
          </ActionButton>
          <ActionButton onPress={() => onChoose('disable')}>{text('two_factor_disable')}</ActionButton>
        </>
      ) : (
        <ActionButton kind="main" autoFocus={takesFocus} onPress={() => onChoose('enable')}>
          {text('two_factor_enable')}
        </ActionButton>
      )}
    </div>
  );
}

const SUBMIT_TEXTS = {
  enable: 'two_factor_enable',
  renew: 'two_factor_renew',
  disable: 'two_factor_disable',
} as const;

function PasswordStep(props: {
  action: ReturnType<typeof useAction<FormValues>>;
  email: string;
  kind: Change;
  onCancel: () => void;
}) {
  const { text } = useTexts();
  const { action, email, kind, onCancel } = props;
  return (
    <Form
      action={action}
      submitLabel={text(SUBMIT_TEXTS[kind])}
      more={<ActionButton onPress={onCancel}>{text('cancel')}</ActionButton>}
    >
      <UsernameHint email={email} />
      <InputField
        name="password"
        type="password"
        label={text('password')}
        hint={text('two_factor_confirm_password')}
        autoComplete="current-password"
        autoFocus
      />
    </Form>
  );
}
