import { useTexts } from '../texts/texts-context.tsx';
import { InputField } from './input-field.tsx';

/** Field `newPassword`, with the length that the gateway accepts. */
export function NewPasswordField() {
  const { text } = useTexts();
  return (
    <InputField
      name="newPassword"
      type="password"
      label={text('new_password')}
      hint={text('new_password_hint')}
      autoComplete="new-password"
      minLength={12}
      maxLength={128}
      invalid="problem_password_short"
    />
  );
}
