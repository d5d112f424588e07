import { shortHash } from '../hash.ts';

/** Hashes of two renders of one image. */
export type CanvasRenders = { first: string; second: string; isBlank: boolean };

const WIDTH = 160;
const HEIGHT = 48;

/**
 * Renders an image twice. Different or blank results are caused by noise that a browser or an extension adds to the canvas.
 */
export function renderTwice(): CanvasRenders | undefined {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  // Read several times: a canvas of the graphics card would be copied each time.
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return undefined;
  const first = render(canvas, context);
  const pixels = context.getImageData(0, 0, WIDTH, HEIGHT).data;
  const second = render(canvas, context);
  return {
    first: shortHash(first),
    second: shortHash(second),
    isBlank: pixels.every((value, index) => value === pixels[index % 4]),
  };
}

function render(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D): string {
  context.clearRect(0, 0, WIDTH, HEIGHT);
  const shade = context.createLinearGradient(0, 0, WIDTH, HEIGHT);
  shade.addColorStop(0, '#0b7285');
  shade.addColorStop(1, '#f59f00');
  context.fillStyle = shade;
  context.fillRect(4, 4, WIDTH - 30, HEIGHT - 10);
  context.font = '17px serif';
  context.fillStyle = '#212529';
  context.fillText('Vouch \u00df\u03a9 31 \ud83d\ude03', 9.5, 28.25);
  context.strokeStyle = 'rgba(214, 51, 108, 0.6)';
  context.lineWidth = 2.5;
  context.beginPath();
  context.arc(WIDTH - 40, HEIGHT / 2, 17.3, 0.3, 5.1);
  context.stroke();
  return canvas.toDataURL();
}
