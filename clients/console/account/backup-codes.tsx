import { useEffect, useRef, useState } from 'react';
import { ActionButton } from '../components/action-button.tsx';
import { type Result, StatusMessage } from '../components/status-message.tsx';
import { useTexts } from '../texts/texts-context.tsx';

/** Backup codes, which the gateway returns once. */
export function BackupCodes({ codes, onSaved }: { codes: readonly string[]; onSaved: () => void }) {
  const { text } = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  const [copied, setCopied] = useState<Result | null>(null);
  useEffect(() => heading.current?.focus(), []);
  const copy = () =>
    navigator.clipboard.writeText(codes.join('\n')).then(
      () => setCopied({ text: text('backup_codes_copied') }),
      () => setCopied(null),
    );
  return (
    <>
      <h3 tabIndex={-1} ref={heading}>
        {text('backup_codes_title')}
      </h3>
      <p>{text('backup_codes_lead')}</p>
      <ul className="codes" dir="ltr">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <StatusMessage result={copied} />
      <div className="actions">
        <ActionButton kind="main" onPress={onSaved}>
          {text('backup_codes_saved')}
        </ActionButton>
        {'clipboard' in navigator && (
          <ActionButton onPress={() => void copy()}>{text('backup_codes_copy')}</ActionButton>
        )}
      </div>
    </>
  );
}
