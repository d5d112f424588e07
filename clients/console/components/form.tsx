import type { FormEvent, ReactNode } from 'react';
import { Form as AriaForm } from 'react-aria-components/Form';
import { ActionButton } from './action-button.tsx';
import { ProblemMessage } from './problem-message.tsx';
import type { Action } from './use-action.ts';

/** Values of a submitted form by field name. */
export type FormValues = (name: string) => string;

/** A form with its problem and its main button. It is sent once its fields are valid. */
export function Form(props: {
  action: Action<FormValues>;
  submitLabel: string;
  children: ReactNode;
  /** Further buttons. */
  more?: ReactNode;
}) {
  const { action, submitLabel, children, more } = props;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    action.run((name) => String(data.get(name) ?? ''));
  };
  return (
    <AriaForm className="form" onSubmit={submit}>
      {children}
      <ProblemMessage problem={action.problem} />
      <div className="actions">
        <ActionButton kind="main" type="submit" isPending={action.isPending}>
          {submitLabel}
        </ActionButton>
        {more}
      </div>
    </AriaForm>
  );
}
