import './styles/console.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createConsoleRouter } from './app/router.tsx';
import { storedChoice } from './app/stored-choice.ts';
import { takeInvitationSecret } from './auth/invitation-secret.ts';
import { createSessionState } from './auth/session-state.ts';
import { initialLanguage, loadTexts } from './texts/load-texts.ts';
import { TextsProvider } from './texts/texts-context.tsx';

// Before anything else can read or send the address.
const invitationSecret = takeInvitationSecret();
const router = createConsoleRouter({ session: createSessionState(), invitationSecret });
const language = initialLanguage(storedChoice('language'), navigator.languages);

createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <TextsProvider language={language} texts={await loadTexts(language)}>
      <RouterProvider router={router} />
    </TextsProvider>
  </StrictMode>,
);
