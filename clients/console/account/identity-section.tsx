import { useCallback, useState } from 'react';
import { joinUrl, type OwnIdentity, ownIdentities, removeIdentity } from '../auth/account-api.ts';
import { FAILURE_TEXTS, type ProviderFailure } from '../auth/provider-failure.ts';
import { signInMethods } from '../auth/sign-in-api.ts';
import { ActionButton } from '../components/action-button.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { LoadedView } from '../components/loaded-view.tsx';
import { Section } from '../components/page.tsx';
import { ProviderButtons } from '../components/provider-buttons.tsx';
import { type Result, StatusMessage } from '../components/status-message.tsx';
import { useAction } from '../components/use-action.ts';
import { useLoaded } from '../components/use-loaded.ts';
import { useTexts } from '../texts/texts-context.tsx';

/** Lists, joins and removes identities at the providers of the installation. Nothing where there is none. */
export function IdentitySection({ failure }: { failure: ProviderFailure | undefined }) {
  const { text } = useTexts();
  const load = useCallback(
    async () => ({ own: await ownIdentities(), providers: (await signInMethods()).providers }),
    [],
  );
  const [loaded, reload] = useLoaded(load);
  const [removed, setRemoved] = useState<OwnIdentity | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  if (loaded.state === 'ready' && loaded.data.providers.length === 0) return null;
  const onRemoved = async () => {
    await reload();
    setRemoved(null);
    setResult({ text: text('identity_removed') });
  };
  return (
    <Section title={text('identities_title')} lead={text('identities_lead')}>
      <StatusMessage result={result} takesFocus />
      {failure && !result && (
        <p className="problem" role="alert">
          {text(FAILURE_TEXTS[failure])}
        </p>
      )}
      <LoadedView loaded={loaded} reload={reload}>
        {({ own, providers }) => (
          <>
            {own.identities.length === 0 && <p>{text('identities_none')}</p>}
            <ul className="rows">
              {own.identities.map((identity) => (
                <IdentityRow key={identity.id} identity={identity} onRemove={() => setRemoved(identity)} />
              ))}
            </ul>
            <ProviderButtons
              providers={providers.filter(({ id }) =>
                own.identities.every(({ provider }) => provider !== id),
              )}
              urlOf={joinUrl}
            />
          </>
        )}
      </LoadedView>
      {removed && <RemoveIdentity identity={removed} onDone={onRemoved} onClose={() => setRemoved(null)} />}
    </Section>
  );
}

function IdentityRow({ identity, onRemove }: { identity: OwnIdentity; onRemove: () => void }) {
  const { text, time } = useTexts();
  return (
    <li className="row">
      <div>
        <p className="row-title">{identity.name}</p>
        <ul className="details">
          <li>{text('identity_joined', { time: time(identity.joinedAt) })}</li>
        </ul>
      </div>
      <ActionButton aria-label={text('identity_remove_label', { name: identity.name })} onPress={onRemove}>
        {text('identity_remove')}
      </ActionButton>
    </li>
  );
}

function RemoveIdentity(props: { identity: OwnIdentity; onDone: () => Promise<void>; onClose: () => void }) {
  const { identity, onDone, onClose } = props;
  const { text } = useTexts();
  const remove = useAction(async () => {
    await removeIdentity(identity.id);
    await onDone();
  });
  return (
    <ConfirmDialog
      title={text('identity_remove_title', { name: identity.name })}
      confirmLabel={text('identity_remove')}
      action={remove}
      onClose={onClose}
    >
      <p>{text('identity_remove_lead', { name: identity.name })}</p>
    </ConfirmDialog>
  );
}
