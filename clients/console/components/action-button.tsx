import type { ReactNode } from 'react';
import { Button, type ButtonProps } from 'react-aria-components/Button';

/** Weight of an action: one `main` per form, `quiet` beside others, `danger` for what cannot be undone. */
export type ActionKind = 'main' | 'plain' | 'quiet' | 'danger';

/** A button. While pending it keeps the focus and cannot be pressed. */
export function ActionButton(
  props: Omit<ButtonProps, 'className' | 'children'> & { kind?: ActionKind; children: ReactNode },
) {
  const { kind = 'plain', children, ...rest } = props;
  return (
    <Button {...rest} className={`button ${kind}`}>
      {children}
    </Button>
  );
}
