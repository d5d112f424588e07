import { Outlet } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { useTexts } from '../texts/texts-context.tsx';

/** Every page, below a banner while the browser is offline. */
export function Root() {
  const { text } = useTexts();
  const isOnline = useSyncExternalStore(subscribeToConnection, () => navigator.onLine);
  return (
    <>
      <div role="status">{!isOnline && <p className="banner">{text('offline')}</p>}</div>
      <Outlet />
    </>
  );
}

function subscribeToConnection(onChange: () => void): () => void {
  window.addEventListener('online', onChange);
  window.addEventListener('offline', onChange);
  return () => {
    window.removeEventListener('online', onChange);
    window.removeEventListener('offline', onChange);
  };
}
