import { authRequest } from './auth-request.ts';

/** Session of the signed-in person. */
export type Session = {
  session: { id: string; createdAt: string; expiresAt: string };
  user: { id: string; name: string; email: string; twoFactorEnabled: boolean };
};

/** The session of this browser, read once until it changes. */
export type SessionState = {
  /** Null: nobody is signed in. */
  current: () => Promise<Session | null>;
  /** Call it when the session began, ended or changed. */
  forget: () => void;
};

export function createSessionState(read = () => authRequest<Session | null>('get-session')): SessionState {
  let known: Promise<Session | null> | undefined;
  return {
    current() {
      const pending = known ?? read();
      known = pending;
      pending.catch(() => {
        if (known === pending) known = undefined;
      });
      return pending;
    },
    forget() {
      known = undefined;
    },
  };
}
