import { useState } from 'react';
import { addPasskey, deletePasskey, ownPasskeys, type Passkey, renamePasskey } from '../auth/account-api.ts';
import { describeUserAgent } from '../auth/user-agent.ts';
import { ActionButton } from '../components/action-button.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Form, type FormValues } from '../components/form.tsx';
import { InputField } from '../components/input-field.tsx';
import { LoadedView } from '../components/loaded-view.tsx';
import { Section } from '../components/page.tsx';
import { type Result, StatusMessage } from '../components/status-message.tsx';
import { useAction } from '../components/use-action.ts';
import { useLoaded } from '../components/use-loaded.ts';
import type { TextKey } from '../texts/en.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { PasskeyRow } from './passkey-row.tsx';

/** What the person does at the moment. */
type Task = { kind: 'add' } | { kind: 'rename' | 'delete'; passkey: Passkey };

/** Lists, adds, renames and deletes the own passkeys. */
export function PasskeySection() {
  const { text } = useTexts();
  const [loaded, reload] = useLoaded(ownPasskeys);
  const [task, setTask] = useState<Task | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  // What was closed without a change: its button takes the focus again.
  const [canceled, setCanceled] = useState<Task | null>(null);
  const begin = (next: Task) => {
    setCanceled(null);
    setTask(next);
  };
  const cancel = () => {
    setCanceled(task);
    setTask(null);
  };
  const done = async (key: TextKey) => {
    await reload();
    setTask(null);
    setResult({ text: text(key) });
  };
  return (
    <Section title={text('passkeys_title')} lead={text('passkeys_lead')}>
      <StatusMessage result={result} takesFocus />
      <LoadedView loaded={loaded} reload={reload}>
        {(passkeys) => (
          <>
            {passkeys.length === 0 && <p>{text('passkeys_none')}</p>}
            <ul className="rows">
              {passkeys.map((passkey) =>
                task?.kind === 'rename' && task.passkey.id === passkey.id ? (
                  <li key={passkey.id} className="row">
                    <RenamePasskey passkey={passkey} onDone={done} onCancel={cancel} />
                  </li>
                ) : (
                  <PasskeyRow
                    key={passkey.id}
                    passkey={passkey}
                    focusesRename={canceled?.kind === 'rename' && canceled.passkey.id === passkey.id}
                    onRename={() => begin({ kind: 'rename', passkey })}
                    onDelete={() => begin({ kind: 'delete', passkey })}
                  />
                ),
              )}
            </ul>
          </>
        )}
      </LoadedView>
      {task?.kind === 'delete' && <DeletePasskey passkey={task.passkey} onDone={done} onClose={cancel} />}
      {task?.kind === 'add' ? (
        <AddPasskey onDone={done} onCancel={cancel} />
      ) : (
        <div className="actions">
          <ActionButton autoFocus={canceled?.kind === 'add'} onPress={() => begin({ kind: 'add' })}>
            {text('passkey_add')}
          </ActionButton>
        </div>
      )}
    </Section>
  );
}

type TaskProps = { onDone: (message: TextKey) => Promise<void>; onCancel: () => void };

function AddPasskey({ onDone, onCancel }: TaskProps) {
  const { text } = useTexts();
  const device = describeUserAgent(navigator.userAgent);
  const add = useAction(async (value: FormValues) => {
    await addPasskey(value('name').trim());
    await onDone('passkey_added');
  });
  return (
    <Form
      action={add}
      submitLabel={text('passkey_add')}
      more={<ActionButton onPress={onCancel}>{text('cancel')}</ActionButton>}
    >
      <PasskeyName defaultValue={device ? text('session_browser', device) : ''} />
    </Form>
  );
}

function RenamePasskey({ passkey, onDone, onCancel }: TaskProps & { passkey: Passkey }) {
  const { text } = useTexts();
  const rename = useAction(async (value: FormValues) => {
    await renamePasskey(passkey.id, value('name').trim());
    await onDone('passkey_renamed');
  });
  return (
    <Form
      action={rename}
      submitLabel={text('save')}
      more={<ActionButton onPress={onCancel}>{text('cancel')}</ActionButton>}
    >
      <PasskeyName defaultValue={passkey.name ?? ''} />
    </Form>
  );
}

function PasskeyName({ defaultValue }: { defaultValue: string }) {
  const { text } = useTexts();
  return (
    <InputField
      name="name"
      label={text('passkey_name')}
      hint={text('passkey_name_hint')}
      autoComplete="off"
      defaultValue={defaultValue}
      maxLength={64}
      autoFocus
    />
  );
}

function DeletePasskey(props: {
  passkey: Passkey;
  onDone: (message: TextKey) => Promise<void>;
  onClose: () => void;
}) {
  const { passkey, onDone, onClose } = props;
  const { text } = useTexts();
  const remove = useAction(async () => {
    await deletePasskey(passkey.id);
    await onDone('passkey_deleted');
  });
  return (
    <ConfirmDialog
      title={text('passkey_delete_title', { name: passkey.name || text('passkey_unnamed') })}
      confirmLabel={text('passkey_delete')}
      action={remove}
      onClose={onClose}
    >
      <p>{text('passkey_delete_lead')}</p>
    </ConfirmDialog>
  );
}
