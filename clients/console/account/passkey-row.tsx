import type { Passkey } from '../auth/account-api.ts';
import { ActionButton } from '../components/action-button.tsx';
import { useTexts } from '../texts/texts-context.tsx';

/** A passkey with its actions. */
export function PasskeyRow(props: {
  passkey: Passkey;
  focusesRename: boolean;
  onRename: () => void;
  onDelete: () => void;
}) {
  const { passkey, focusesRename, onRename, onDelete } = props;
  const { text, time } = useTexts();
  const name = passkey.name || text('passkey_unnamed');
  return (
    <li className="row">
      <div>
        <p className="row-title">
          <bdi>{name}</bdi>
        </p>
        <ul className="details">
          <li>{text('passkey_added_at', { time: time(passkey.createdAt) })}</li>
          <li>{text(passkey.backedUp ? 'passkey_synced' : 'passkey_bound')}</li>
        </ul>
      </div>
      <div className="row-actions">
        <ActionButton
          aria-label={text('passkey_rename_label', { name })}
          autoFocus={focusesRename}
          onPress={onRename}
        >
          {text('passkey_rename')}
        </ActionButton>
        <ActionButton aria-label={text('passkey_delete_label', { name })} onPress={onDelete}>
          {text('passkey_delete')}
        </ActionButton>
      </div>
    </li>
  );
}
