import { useState } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextField } from 'react-aria-components/TextField';
import type { TextKey } from '../texts/en.ts';
import { useTexts } from '../texts/texts-context.tsx';

type InputFieldProps = {
  name: string;
  label: string;
  type?: 'email' | 'password';
  /** Standard token, so that password managers and phones fill the field. */
  autoComplete: string;
  hint?: string;
  defaultValue?: string;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  inputMode?: 'numeric';
  autoFocus?: boolean;
  /** For values such as codes, whose direction does not depend on the language. */
  isLeftToRight?: boolean;
  /** Message when the value is of the wrong form or length. */
  invalid?: TextKey;
};

/**
 * A required field with its label, hint and error in the language of the page. The error appears when the form is sent and goes with
 * the next input, never when the field loses the focus: the button under a pointer would move away.
 */
export function InputField({ label, hint, invalid = 'required', ...props }: InputFieldProps) {
  const { text } = useTexts();
  const { isLeftToRight = props.type !== undefined, ...field } = props;
  const [isRejected, setIsRejected] = useState(false);
  return (
    <TextField {...field} className="field" isRequired onChange={() => setIsRejected(false)}>
      <Label>{label}</Label>
      <Input
        dir={isLeftToRight ? 'ltr' : 'auto'}
        spellCheck={isLeftToRight ? false : undefined}
        onInvalid={() => setIsRejected(true)}
      />
      {hint && !isRejected && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      {isRejected && (
        <FieldError className="field-error">
          {({ validationDetails }) => text(validationDetails.valueMissing ? 'required' : invalid)}
        </FieldError>
      )}
    </TextField>
  );
}
