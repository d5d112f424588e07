/** Secret of an invitation link, which only this page keeps, until it is reloaded. */
export type InvitationSecret = {
  current: () => string;
  subscribe: (onChange: () => void) => () => void;
};

const PATH = '/console/invitation';

/**
 * Takes the secret from the fragment of the address and removes it there at once. Also takes the secret of another link that is
 * opened in the same tab, which does not reload the page.
 */
export function takeInvitationSecret(): InvitationSecret {
  let secret = '';
  const listeners = new Set<() => void>();
  const take = () => {
    if (location.pathname !== PATH || location.hash.length < 2) return;
    secret = location.hash.slice(1);
    history.replaceState(history.state, '', location.pathname);
    for (const listener of listeners) listener();
  };
  take();
  window.addEventListener('hashchange', take);
  return {
    current: () => secret,
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
  };
}
