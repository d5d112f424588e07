/*
 * Files inside packages that the product, its build and its tests never open. No lock file can leave them out.
 */

/** A kind of unused files; paths are relative to node_modules, with forward slashes. */
export type UnusedFiles = { readonly what: string; readonly matches: (path: string) => boolean };

type Platform = { readonly platform: string; readonly arch: string };

// Entry points stay, since a package's folder is found by them.
const FACE_NETWORKS = /^(?:blazeface|facemesh)\.(?:json|bin)$/;
const FACE_API_MODELS = /^(?:ssd_mobilenetv1|face_recognition|face_landmark_68|age_gender)_model[.-]/;
const QUERY_COMPILER = 'query_compiler_fast_bg.postgresql.';

export function unusedFiles({ platform, arch }: Platform): readonly UnusedFiles[] {
  return [
    { what: 'source maps', matches: (path) => /\.(?:[cm]?[jt]s|css)\.map$/.test(path) },
    { what: 'C headers of Node', matches: (path) => /^node-[\w-]+\/include\//.test(path) },
    {
      what: 'onnxruntime for other systems',
      matches: (path) =>
        /^onnxruntime-node\/bin\/napi-v\d+\//.test(path) &&
        path.split('/').slice(3, 5).join('/') !== `${platform}/${arch}`,
    },
    {
      what: 'TensorFlow.js for browsers',
      matches: (path) =>
        /^@tensorflow\/[\w-]+\/dist\/tf[\w.-]*\.js(?:\.html)?$/.test(path) && !path.endsWith('.node.js'),
    },
    {
      what: 'networks and bundles of @vladmandic/human',
      matches: (path) =>
        isBelow(
          path,
          '@vladmandic/human',
          /^(?:assets|demo|dist(?!\/human\.node(?:-wasm)?\.js$)|samples|src|typedoc|wiki)\//,
        ) ||
        (isBelow(path, '@vladmandic/human', /^models\//) && !FACE_NETWORKS.test(path.split('/')[3]!)),
    },
    {
      what: 'networks and bundles of @vladmandic/face-api',
      matches: (path) =>
        isBelow(path, '@vladmandic/face-api', /^(?:demo|typedoc)\//) ||
        isBelow(path, '@vladmandic/face-api', /^dist\/(?!face-api\.node(?:-wasm)?\.js$|.*\.d\.ts$)/) ||
        (isBelow(path, '@vladmandic/face-api', /^model\//) && !FACE_API_MODELS.test(path.split('/')[3]!)),
    },
    {
      what: 'query compilers of other databases',
      matches: (path) =>
        isBelow(path, '@prisma/client', /^runtime\/(?:query_compiler_|wasm-compiler-edge)/) &&
        !path.includes(QUERY_COMPILER),
    },
  ];
}

function isBelow(path: string, name: string, rest: RegExp): boolean {
  return path.startsWith(`${name}/`) && rest.test(path.slice(name.length + 1));
}
