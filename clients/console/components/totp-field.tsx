import { useTexts } from '../texts/texts-context.tsx';
import { InputField } from './input-field.tsx';

/** Field `code` for the 6 digits of an authenticator app. */
export function TotpField({ autoFocus }: { autoFocus?: boolean }) {
  const { text } = useTexts();
  return (
    <InputField
      name="code"
      label={text('code')}
      autoComplete="one-time-code"
      inputMode="numeric"
      pattern="[0-9]{6}"
      maxLength={6}
      invalid="code_invalid"
      autoFocus={autoFocus}
      isLeftToRight
    />
  );
}
