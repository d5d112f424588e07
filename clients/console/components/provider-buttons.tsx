import type { Provider } from '../auth/sign-in-api.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { ActionButton } from './action-button.tsx';
import { ProblemMessage } from './problem-message.tsx';
import { useAction } from './use-action.ts';

/** A button for each provider. `urlOf` requests the address at which the browser continues. */
export function ProviderButtons(props: {
  providers: readonly Provider[];
  urlOf: (provider: string) => Promise<string>;
}) {
  const { text } = useTexts();
  const open = useAction(async ({ id }: Provider) => {
    location.assign(await props.urlOf(id));
  });
  return (
    <>
      <div className="stack">
        {props.providers.map((one) => (
          <ActionButton key={one.id} isPending={open.isPending} onPress={() => open.run(one)}>
            {text('sign_in_provider', { provider: one.name })}
          </ActionButton>
        ))}
      </div>
      <ProblemMessage problem={open.problem} />
    </>
  );
}
