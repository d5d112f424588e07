import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts-context.tsx';
import { ActionButton } from './action-button.tsx';
import { ProblemMessage } from './problem-message.tsx';
import { Spinner } from './spinner.tsx';
import type { Loaded } from './use-loaded.ts';

/** Shows loaded data, or that they are loading, or why they could not be loaded. */
export function LoadedView<Data>(props: {
  loaded: Loaded<Data>;
  reload: () => Promise<void>;
  children: (data: Data) => ReactNode;
}) {
  const { text } = useTexts();
  const { loaded, reload, children } = props;
  if (loaded.state === 'loading') return <Spinner />;
  if (loaded.state === 'ready') return children(loaded.data);
  return (
    <>
      <ProblemMessage problem={loaded.problem} />
      <div className="actions">
        <ActionButton onPress={() => void reload()}>{text('try_again')}</ActionButton>
      </div>
    </>
  );
}
