import { LANGUAGES, type Language } from '../../shared/languages.ts';
import { Actions, Button, Frame, Spinner } from '../frame.tsx';
import { usePage } from '../page-context.ts';

export function LoadingScreen() {
  const { text } = usePage();
  return (
    <Frame heading={text('loading')}>
      <Spinner />
    </Frame>
  );
}

export function SimulatedScreen() {
  const { text } = usePage();
  return (
    <Frame heading={text('simulated_title')} lead={text('simulated_lead')}>
      <Spinner />
    </Frame>
  );
}

/** States what is recorded before the recording. */
export function ConsentScreen() {
  const { flow, text } = usePage();
  return (
    <Frame heading={text('consent_title')} lead={text('consent_lead')}>
      <h2>{text('consent_what')}</h2>
      <ul>
        <li>{text('consent_face')}</li>
        <li>{text('consent_document')}</li>
        <li>{text('consent_device')}</li>
      </ul>
      <p>{text('consent_use')}</p>
      <p>{text('consent_refuse')}</p>
      <Actions>
        <Button onClick={flow.agree}>{text('consent_agree')}</Button>
      </Actions>
      <LanguageChoice />
    </Frame>
  );
}

function LanguageChoice() {
  const { flow, text } = usePage();
  return (
    <label class="language">
      <span>{text('language')}</span>
      <select
        value={flow.language()}
        onChange={({ currentTarget }) => flow.speak(currentTarget.value as Language)}
      >
        {Object.entries(LANGUAGES).map(([language, name]) => (
          <option key={language} value={language} lang={language}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
