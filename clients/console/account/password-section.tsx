import { useState } from 'react';
import { changePassword } from '../auth/account-api.ts';
import { Form, type FormValues } from '../components/form.tsx';
import { InputField } from '../components/input-field.tsx';
import { NewPasswordField } from '../components/new-password-field.tsx';
import { Section } from '../components/page.tsx';
import { type Result, StatusMessage } from '../components/status-message.tsx';
import { useAction } from '../components/use-action.ts';
import { UsernameHint } from '../components/username-hint.tsx';
import { useTexts } from '../texts/texts-context.tsx';

/** Changes the password. */
export function PasswordSection({ email }: { email: string }) {
  const { text } = useTexts();
  const [changes, setChanges] = useState(0);
  const [result, setResult] = useState<Result | null>(null);
  const change = useAction(async (value: FormValues) => {
    await changePassword(value('currentPassword'), value('newPassword'));
    setChanges((count) => count + 1);
    setResult({ text: text('password_changed') });
  });
  return (
    <Section title={text('password_title')} lead={text('password_lead')}>
      <StatusMessage result={result} takesFocus />
      <Form key={changes} action={change} submitLabel={text('password_change')}>
        <UsernameHint email={email} />
        <InputField
          name="currentPassword"
          type="password"
          label={text('current_password')}
          autoComplete="current-password"
        />
        <NewPasswordField />
      </Form>
    </Section>
  );
}
