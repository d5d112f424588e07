import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type Node, parseSync } from 'oxc-parser';

export type SourceFile = { readonly path: string; readonly lines: number };
export type SourceFunction = {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly lines: number;
};
/** A file and one that it imports, both relative to the root. */
export type Import = { readonly from: string; readonly to: string };

export type Sources = {
  /** Hand-written files of the product, without tests. */
  readonly files: readonly SourceFile[];
  readonly functions: readonly SourceFunction[];
  /** Prepared statements of SQL: objects with a name and a text, and calls of `namedStatement`. */
  readonly statements: number;
  readonly imports: readonly Import[];
  /** Lines of generated TypeScript that git keeps. */
  readonly generatedLines: number;
  /** Lines of tables of data: JSON beside the code that reads it. */
  readonly dataLines: number;
};

const IS_SOURCE = /^(packages|src|clients)\/.*[.]tsx?$/;
const IS_DATA = /^(packages\/[^/]+\/data|src)\/.*[.]json$/;
/** Written by `npm run generate` and `npm run build:lists`. */
const IS_WRITTEN_DATA = /\/(openapi-examples|vpn-hosting)[.]json$/;
const IS_GENERATED = /\/generated\//;
const IS_TEST = /[.]test[.]ts$|-for-tests[.]ts$/;

/** Reads the sources that git knows below a root. */
export function readSources(root: string): Sources {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const known = listed.split('\0').filter((path) => existsSync(join(root, path)));
  const tracked = known.filter((path) => IS_SOURCE.test(path));
  const data = known.filter((path) => IS_DATA.test(path) && !IS_WRITTEN_DATA.test(path));
  const generated = tracked.filter((path) => IS_GENERATED.test(path));
  const paths = tracked.filter(
    (path) => !IS_GENERATED.test(path) && !IS_TEST.test(path) && !path.endsWith('.d.ts'),
  );
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const parsed = paths.map((path) => readSource(path, read(path)));
  return {
    files: parsed.map(({ file }) => file),
    functions: parsed.flatMap(({ functions }) => functions),
    statements: parsed.reduce((sum, { statements }) => sum + statements, 0),
    imports: parsed.flatMap(({ imports }) => imports),
    generatedLines: generated.reduce((sum, path) => sum + countLines(read(path)), 0),
    dataLines: data.reduce((sum, path) => sum + countLines(read(path)), 0),
  };
}

function countLines(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function readSource(path: string, text: string) {
  const { program, module } = parseSync(path, text);
  const functions: SourceFunction[] = [];
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  let statements = 0;
  visit(program, '', (node, name) => {
    if (node.type === 'ObjectExpression' || node.type === 'CallExpression') {
      if (isStatement(node)) statements += 1;
      return;
    }
    const line = lineAt(node.start);
    functions.push({ path, line, name, lines: lineAt(node.end) - line + 1 });
  });
  const imports = [...module.staticImports, ...module.staticExports.flatMap(({ entries }) => entries)]
    .flatMap(({ moduleRequest }) => (moduleRequest?.value.startsWith('.') ? [moduleRequest.value] : []))
    .map((request) => ({ from: path, to: normalize(join(dirname(path), request)) }));
  return { file: { path, lines: countLines(text) }, functions, statements, imports };
}

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

/** Calls `found` for every object and call, and for every function with a body, with its own name or that of what holds it. */
function visit(node: unknown, name: string, found: (node: Node, name: string) => void): void {
  if (Array.isArray(node)) {
    for (const one of node) visit(one, name, found);
    return;
  }
  if (!isNode(node)) return;
  const inner = nameOf(node) ?? name;
  if (FUNCTIONS.includes(node.type) && 'body' in node && node.body) found(node, inner);
  if (node.type === 'ObjectExpression' || node.type === 'CallExpression') found(node, inner);
  for (const [key, child] of Object.entries(node)) if (key !== 'type') visit(child, inner, found);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function isStatement(node: Extract<Node, { type: 'ObjectExpression' | 'CallExpression' }>): boolean {
  if (node.type === 'CallExpression')
    return node.callee.type === 'Identifier' && node.callee.name === 'namedStatement';
  const keys = node.properties.map((property) =>
    property.type === 'Property' && property.key.type === 'Identifier' ? property.key.name : '',
  );
  return keys.includes('name') && keys.includes('text');
}

function nameOf(node: Node): string | null {
  const named = 'id' in node ? node.id : 'key' in node ? node.key : null;
  return isNode(named) && 'name' in named && typeof named.name === 'string' ? named.name : null;
}
