import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type ArrowFunctionExpression, type Node, type Function as OxcFunction, parseSync } from 'oxc-parser';

/** Functions of the services with a `Viewer` parameter, as their sources declare them. */
type ServiceFunction = { readonly name: string; readonly asserts: boolean };

type FunctionNode = ArrowFunctionExpression | OxcFunction;
/** A function and the scope that the names in it are looked up in. */
type Declared = { readonly node: FunctionNode; readonly scope: Scope };
type Scope = {
  readonly functions: Map<string, FunctionNode>;
  /** Local names of imports: the file and the name in it. */
  readonly imports: Map<string, { path: string; name: string }>;
  readonly outer: Scope | null;
};
type Module = { readonly scope: Scope; readonly exported: Map<string, FunctionNode> };

const modules = new Map<string, Module>();

/** Reads the files of `root` that match the pattern. */
export function readServiceFunctions(root: string, pattern: string): ServiceFunction[] {
  return globSync(pattern, { cwd: root })
    .sort()
    .flatMap((path) =>
      functionsOf(resolve(root, path)).map((each) => ({ ...each, name: `${path} ${each.name}` })),
    );
}

function functionsOf(path: string): ServiceFunction[] {
  const { scope, exported } = readModule(path);
  const found: ServiceFunction[] = [];
  const add = (name: string, declared: Declared) => {
    if (viewerOf(declared.node) !== null) found.push({ name, asserts: asserts(declared) });
  };
  for (const [name, node] of exported) add(name, { node, scope });
  // Factories that are not exported count too: an exported function returns what they return.
  for (const [name, node] of scope.functions)
    for (const [method, declared] of methodsOf(node, scope)) add(`${name}.${method}`, declared);
  return found;
}

function readModule(path: string): Module {
  const known = modules.get(path);
  if (known) return known;
  const { program, errors } = parseSync(path, readFileSync(path, 'utf8'));
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const scope = scopeOf(program.body, null);
  const exported = new Map<string, FunctionNode>();
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration' && statement.source.value.startsWith('.')) {
      const from = join(dirname(path), statement.source.value);
      for (const specifier of statement.specifiers) {
        if (specifier.type !== 'ImportSpecifier' || specifier.imported.type !== 'Identifier') continue;
        scope.imports.set(specifier.local.name, { path: from, name: specifier.imported.name });
      }
    }
    if (statement.type !== 'ExportNamedDeclaration') continue;
    const declared = statement.declaration ? declaredIn(statement.declaration) : [];
    for (const [name, node] of declared) exported.set(name, node);
    for (const { local, exported: as } of statement.source ? [] : statement.specifiers) {
      const node = local.type === 'Identifier' ? scope.functions.get(local.name) : undefined;
      if (node && as.type === 'Identifier') exported.set(as.name, node);
    }
  }
  const module = { scope, exported };
  modules.set(path, module);
  return module;
}

function scopeOf(statements: readonly Node[], outer: Scope | null): Scope {
  const functions = new Map<string, FunctionNode>();
  for (const statement of statements) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    for (const [name, node] of declaration ? declaredIn(declaration) : []) functions.set(name, node);
  }
  return { functions, imports: new Map(), outer };
}

function declaredIn(node: Node): [string, FunctionNode][] {
  if (node.type === 'FunctionDeclaration') return node.id && node.body ? [[node.id.name, node]] : [];
  if (node.type !== 'VariableDeclaration') return [];
  return node.declarations.flatMap(({ id, init }): [string, FunctionNode][] =>
    id.type === 'Identifier' && init && isFunction(init) ? [[id.name, init]] : [],
  );
}

/**
 * Functions of the object that a factory returns; those created by another function are checked where they are
 * exported.
 */
function methodsOf(factory: FunctionNode, outer: Scope): [string, Declared][] {
  const body = statementsOf(factory);
  const scope = scopeOf(body, outer);
  const last = body.at(-1);
  const returned = last?.type === 'ReturnStatement' ? last.argument : null;
  if (returned?.type !== 'ObjectExpression') return [];
  return returned.properties.flatMap((property): [string, Declared][] => {
    if (property.type !== 'Property' || property.key.type !== 'Identifier') return [];
    const { value } = property;
    const declared = isFunction(value) ? { node: value, scope } : resolveName(value, scope);
    return declared ? [[property.key.name, declared]] : [];
  });
}

function isFunction(node: Node): node is FunctionNode {
  return ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);
}

function resolveName(node: Node, scope: Scope): Declared | null {
  if (node.type !== 'Identifier') return null;
  for (let at: Scope | null = scope; at; at = at.outer) {
    const local = at.functions.get(node.name);
    if (local) return { node: local, scope: at };
    const from = at.imports.get(node.name);
    if (!from || !existsSync(from.path)) continue;
    const module = readModule(from.path);
    const imported = module.exported.get(from.name);
    if (imported) return { node: imported, scope: module.scope };
  }
  return null;
}

/** Statements of a body; an arrow function's expression counts as a return statement. */
function statementsOf({ body }: FunctionNode): readonly Node[] {
  if (!body) return [];
  if (body.type === 'BlockStatement') return body.body;
  return [{ type: 'ReturnStatement', argument: body, start: body.start, end: body.end } as Node];
}

/** Index of the parameter with the type `Viewer`, which may be destructured; or with no type and the name `viewer`. */
function viewerOf({ params }: FunctionNode): number | null {
  const index = params.findIndex((param) => {
    const pattern = param.type === 'AssignmentPattern' ? param.left : param;
    if (!('typeAnnotation' in pattern)) return false;
    const type = pattern.typeAnnotation?.typeAnnotation;
    if (!type) return pattern.type === 'Identifier' && pattern.name === 'viewer';
    return (
      type.type === 'TSTypeReference' &&
      type.typeName.type === 'Identifier' &&
      type.typeName.name === 'Viewer'
    );
  });
  return index < 0 ? null : index;
}

/** Whether the first statement is `assertMay` with the viewer, or the only one calls such a function. */
function asserts({ node, scope }: Declared): boolean {
  const index = viewerOf(node);
  const viewer = index === null ? undefined : node.params[index];
  const statements = statementsOf(node);
  const [first] = statements;
  if (viewer?.type !== 'Identifier' || !first) return false;
  if (first.type !== 'ExpressionStatement' && first.type !== 'ReturnStatement') return false;
  const value = first.type === 'ExpressionStatement' ? first.expression : first.argument;
  const call = value?.type === 'AwaitExpression' ? value.argument : value;
  if (call?.type !== 'CallExpression' || call.callee.type !== 'Identifier') return false;
  const passed = call.arguments.findIndex((each) => each.type === 'Identifier' && each.name === viewer.name);
  if (call.callee.name === 'assertMay') return passed === 0;
  const target = statements.length === 1 ? resolveName(call.callee, scope) : null;
  return target !== null && passed === viewerOf(target.node) && asserts(target);
}
