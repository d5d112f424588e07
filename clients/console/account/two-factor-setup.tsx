import { confirmTwoFactor, type TwoFactorSetup } from '../auth/account-api.ts';
import { ActionButton } from '../components/action-button.tsx';
import { Form, type FormValues } from '../components/form.tsx';
import { QrCode } from '../components/qr-code.tsx';
import { TotpField } from '../components/totp-field.tsx';
import { useAction } from '../components/use-action.ts';
import { useTexts } from '../texts/texts-context.tsx';

/** Shows the secret for the authenticator app, and confirms that the app has it. */
export default function TwoFactorSetupStep(props: {
  setup: TwoFactorSetup;
  onConfirmed: () => Promise<void>;
  onCancel: () => void;
}) {
  const { text } = useTexts();
  const { setup, onConfirmed, onCancel } = props;
  const confirm = useAction(async (value: FormValues) => {
    await confirmTwoFactor(value('code'));
    await onConfirmed();
  });
  return (
    <>
      <p>{text('two_factor_scan')}</p>
      <QrCode content={setup.totpURI} label={text('two_factor_qr')} />
      <p>{text('two_factor_secret')}</p>
      <p>
        <code dir="ltr">{secretOf(setup.totpURI)}</code>
      </p>
      <p>{text('two_factor_confirm')}</p>
      <Form
        action={confirm}
        submitLabel={text('two_factor_activate')}
        more={<ActionButton onPress={onCancel}>{text('cancel')}</ActionButton>}
      >
        <TotpField autoFocus />
      </Form>
    </>
  );
}

/** The secret of an otpauth: address, in groups of four. */
function secretOf(totpURI: string): string {
  const secret = URL.canParse(totpURI) ? (new URL(totpURI).searchParams.get('secret') ?? '') : '';
  return secret.replace(/(.{4})(?=.)/g, '$1 ');
}
