import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs';
import { packageFolder, startTensorEngine } from './tensor-engine.ts';

const loading = new Map<string, Promise<tf.GraphModel>>();

/** A network that @vladmandic/human ships, read from its package once. */
export function loadGraph(name: 'blazeface' | 'facemesh'): Promise<tf.GraphModel> {
  const graph = loading.get(name) ?? load(name);
  loading.set(name, graph);
  return graph;
}

async function load(name: string): Promise<tf.GraphModel> {
  await startTensorEngine();
  const file = join(packageFolder('@vladmandic/human'), 'models', name);
  const [text, weights] = await Promise.all([readFile(`${file}.json`, 'utf8'), readFile(`${file}.bin`)]);
  const model = JSON.parse(text) as tf.io.ModelJSON;
  return tf.loadGraphModel(
    tf.io.fromMemory({
      modelTopology: model.modelTopology,
      format: model.format,
      weightSpecs: model.weightsManifest.flatMap((group) => group.weights),
      weightData: new Uint8Array(weights).buffer,
    }),
  );
}
