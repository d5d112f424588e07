import { describe, expect, it } from 'vitest';
import { foldersInCycles, layersOf, sortLayers } from './folder-cycles.ts';

const imports = (...pairs: string[]) =>
  pairs.map((pair) => {
    const [from, to] = pair.split(' > ').map((path) => `base/${path}`);
    return { from: from!, to: to! };
  });

describe('folders that import each other', () => {
  it('are those with an import cycle, directly or through others', () => {
    const folders = layersOf(
      imports('a/x.ts > b/x.ts', 'b/y.ts > c/x.ts', 'c/x.ts > a/y.ts', 'd/x.ts > a/x.ts'),
      'base',
    );
    expect(foldersInCycles(folders)).toEqual(['a', 'b', 'c']);
    expect(() => sortLayers(folders)).toThrow('cycle');
  });

  it('exclude folders whose files import each other within the folder, or a file above the folders', () => {
    const folders = layersOf(
      imports('a/x.ts > a/deep/y.ts', 'a/deep/y.ts > a/x.ts', 'a/x.ts > main.ts'),
      'base',
    );
    expect(foldersInCycles(folders)).toEqual([]);
  });
});

it('a folder is one layer above the highest one that it imports', () => {
  const folders = layersOf(
    imports('a/x.ts > b/x.ts', 'b/x.ts > c/x.ts', 'a/x.ts > c/x.ts', 'd/x.ts > c/x.ts'),
    'base',
  );
  expect(sortLayers(folders)).toEqual([['c'], ['b', 'd'], ['a']]);
});
