import { useTexts } from '../texts/texts-context.tsx';

/** Shows that something loads. Its text is for screen readers. */
export function Spinner() {
  const { text } = useTexts();
  return (
    <div className="spinner" role="status">
      <span className="unseen">{text('loading')}</span>
    </div>
  );
}
