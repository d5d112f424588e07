import { useEffect } from 'preact/hooks';
import { directionOf, fill } from '../shared/languages.ts';
import type { Flow } from './flow.ts';
import { PageContext } from './page-context.ts';
import { ConsentScreen, LoadingScreen, SimulatedScreen } from './screens/beginning.tsx';
import { CameraScreen } from './screens/camera.tsx';
import { DocumentReviewScreen, DocumentScreen, DocumentTypeScreen } from './screens/document.tsx';
import {
  GiveUpScreen,
  ResultScreen,
  SendingScreen,
  TroubleScreen,
  WaitingScreen,
} from './screens/ending.tsx';
import { FaceReviewScreen, FaceScreen } from './screens/face.tsx';
import { HandoverScreen } from './screens/handover.tsx';
import { textsOf } from './texts/texts.ts';

export function App({ flow }: { flow: Flow }) {
  const language = flow.language();
  const texts = textsOf(language);
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dir = directionOf(language);
  }, [language]);
  return (
    <PageContext.Provider value={{ flow, text: (key, values = {}) => fill(texts[key], values) }}>
      <main>
        <Screen key={flow.shown()} flow={flow} />
      </main>
    </PageContext.Provider>
  );
}

function Screen({ flow }: { flow: Flow }) {
  const view = flow.view();
  switch (view.screen) {
    case 'loading':
      return <LoadingScreen />;
    case 'simulated':
      return <SimulatedScreen />;
    case 'consent':
      return <ConsentScreen />;
    case 'camera':
      return <CameraScreen problem={view.problem} />;
    case 'handover':
      return <HandoverScreen url={view.url} handover={view.handover} />;
    case 'face': {
      const camera = flow.camera();
      return camera ? <FaceScreen camera={camera} /> : <CameraScreen problem="stopped" />;
    }
    case 'face-review':
      return <FaceReviewScreen shots={view.shots} />;
    case 'document-type':
      return <DocumentTypeScreen />;
    case 'document':
      return <DocumentScreen side={view.side} />;
    case 'document-review':
      return <DocumentReviewScreen side={view.side} image={view.image} />;
    case 'sending':
      return <SendingScreen />;
    case 'waiting':
      return <WaitingScreen />;
    case 'result':
      return <ResultScreen status={view.status} />;
    case 'give-up':
      return <GiveUpScreen reason={view.reason} back={view.back} />;
    case 'trouble':
      return <TroubleScreen trouble={view.trouble} tryAgain={view.tryAgain} />;
  }
}
