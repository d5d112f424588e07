import { useState } from 'react';
import { verifyBackupCode, verifyCode } from '../auth/sign-in-api.ts';
import { ActionButton } from '../components/action-button.tsx';
import { Form, type FormValues } from '../components/form.tsx';
import { InputField } from '../components/input-field.tsx';
import { Page } from '../components/page.tsx';
import { TotpField } from '../components/totp-field.tsx';
import { useAction } from '../components/use-action.ts';
import { useTexts } from '../texts/texts-context.tsx';

/** Second step of the sign-in: a code of the authenticator app or a backup code. */
export function SecondFactorStep(props: { onSignedIn: () => Promise<void>; onStartAgain: () => void }) {
  const [isBackup, setIsBackup] = useState(false);
  const Step = isBackup ? BackupCodeStep : CodeStep;
  return <Step {...props} onOther={() => setIsBackup(!isBackup)} />;
}

type StepProps = { onSignedIn: () => Promise<void>; onStartAgain: () => void; onOther: () => void };

function CodeStep({ onSignedIn, onStartAgain, onOther }: StepProps) {
  const { text } = useTexts();
  const action = useAction(async (value: FormValues) => {
    await verifyCode(value('code'));
    await onSignedIn();
  });
  return (
    <Page title={text('code_title')} lead={text('code_lead')} keepsFocus>
      <Form
        action={action}
        submitLabel={text('code_submit')}
        more={
          <OtherSteps otherLabel={text('code_use_backup')} onOther={onOther} onStartAgain={onStartAgain} />
        }
      >
        <TotpField autoFocus />
      </Form>
    </Page>
  );
}

function BackupCodeStep({ onSignedIn, onStartAgain, onOther }: StepProps) {
  const { text } = useTexts();
  const action = useAction(async (value: FormValues) => {
    await verifyBackupCode(value('code').trim());
    await onSignedIn();
  });
  return (
    <Page title={text('backup_title')} lead={text('backup_lead')} keepsFocus>
      <Form
        action={action}
        submitLabel={text('code_submit')}
        more={
          <OtherSteps otherLabel={text('backup_use_code')} onOther={onOther} onStartAgain={onStartAgain} />
        }
      >
        <InputField
          name="code"
          label={text('backup_code')}
          autoComplete="one-time-code"
          autoFocus
          isLeftToRight
        />
      </Form>
    </Page>
  );
}

function OtherSteps(props: { otherLabel: string; onOther: () => void; onStartAgain: () => void }) {
  const { text } = useTexts();
  return (
    <>
      <ActionButton kind="quiet" onPress={props.onOther}>
        {props.otherLabel}
      </ActionButton>
      <ActionButton kind="quiet" onPress={props.onStartAgain}>
        {text('start_again')}
      </ActionButton>
    </>
  );
}
