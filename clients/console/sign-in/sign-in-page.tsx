import { getRouteApi, useRouteContext, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { returnPath } from '../auth/return-path.ts';
import { EntryFrame } from '../components/entry-frame.tsx';
import { PasswordStep } from './password-step.tsx';
import { SecondFactorStep } from './second-factor-step.tsx';

const route = getRouteApi('/sign-in');

/** Signs a person in, and returns to the page from which the sign-in was requested. */
export function SignInPage() {
  const search = route.useSearch();
  const { session } = useRouteContext({ from: '__root__' });
  const router = useRouter();
  const [step, setStep] = useState<'password' | 'second-factor'>('password');
  const onSignedIn = async () => {
    session.forget();
    await router.navigate({ href: returnPath(search.back), replace: true });
  };
  return (
    <EntryFrame>
      {step === 'password' ? (
        <PasswordStep
          search={search}
          onSignedIn={onSignedIn}
          onSecondFactor={() => setStep('second-factor')}
        />
      ) : (
        <SecondFactorStep onSignedIn={onSignedIn} onStartAgain={() => setStep('password')} />
      )}
    </EntryFrame>
  );
}
