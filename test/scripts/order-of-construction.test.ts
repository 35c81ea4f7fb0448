/** Files that connect the parts of a network construct each part once, from parts that exist already. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type AnonymousFunctionDeclaration,
  type AnyNode,
  type ArrowFunctionExpression,
  type FunctionDeclaration,
  type FunctionExpression,
  type Pattern,
  parse,
} from 'acorn';
import { ancestor } from 'acorn-walk';
import { ROOT } from '../../scripts/program-files.ts';

const WIRING = [
  'open-upstream-chain',
  'open-network-nodes',
  'open-network-requests',
  'open-log-requests',
  'connect-events',
  'node-answers',
  'agreement/open-agreement',
  'sending/aim-pending',
  'verifying/open-verification',
];

type FunctionNode =
  | AnonymousFunctionDeclaration
  | ArrowFunctionExpression
  | FunctionDeclaration
  | FunctionExpression;

/** Names that a function declares: parameters and variables, each with the offset from which it may be read. */
type Scope = Map<string, number>;

function listNames(pattern: Pattern): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((each) =>
        listNames(each.type === 'RestElement' ? each.argument : each.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((each) => (each === null ? [] : listNames(each)));
    case 'AssignmentPattern':
      return listNames(pattern.left);
    case 'RestElement':
      return listNames(pattern.argument);
    default:
      return [];
  }
}

const isFunction = (node: AnyNode): node is FunctionNode =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);

/**
 * Finds variables that a function, or a function in it, reads above the end of their declaration; variables without an initial value; and getters.
 * @param text JavaScript
 */
function findBackwardReads(text: string): string[] {
  const program = parse(text, { ecmaVersion: 'latest', sourceType: 'module' });
  const scopes = new Map<FunctionNode, Scope>();
  const found: string[] = [];
  const scopeOf = (owner: FunctionNode): Scope => {
    const known = scopes.get(owner) ?? new Map(owner.params.flatMap(listNames).map((name) => [name, 0]));
    scopes.set(owner, known);
    return known;
  };
  ancestor(program, {
    VariableDeclaration(declaration, _, above) {
      const owner = (above as AnyNode[]).findLast(isFunction);
      if (owner === undefined) return;
      const isLoop = above.at(-2)?.type.startsWith('For') === true;
      for (const { id, init, end } of declaration.declarations) {
        const names = listNames(id);
        for (const name of names) scopeOf(owner).set(name, isLoop ? 0 : end);
        if (!isLoop && init == null) found.push(...names.map((name) => `let ${name}`));
      }
    },
    Property({ kind, key }) {
      if (kind === 'get') found.push(`get ${key.type === 'Identifier' ? key.name : ''}`);
    },
  });
  ancestor(program, {
    Identifier({ name, start }, _, above) {
      const owner = (above as AnyNode[]).findLast((node) => isFunction(node) && scopeOf(node).has(name));
      if (owner !== undefined && start < (scopeOf(owner as FunctionNode).get(name) ?? 0)) found.push(name);
    },
  });
  return found;
}

test('reads of variables that are declared below are found', () => {
  const wired = `function open(a) {
    const b = new B(() => c, { get d() { return e; } });
    let f;
    const { c, e = a } = b;
    for (const g of [a]) b.add(g, (c) => c, b);
    return () => { let own = 0; own++; return own + c; };
  }`;
  assert.deepEqual(findBackwardReads(wired).toSorted(), ['c', 'e', 'get d', 'let f']);
});

for (const file of WIRING)
  test(`${file} constructs each part from parts that exist`, () => {
    const text = readFileSync(join(ROOT, 'build/src/chains/upstream', `${file}.js`), 'utf8');
    assert.deepEqual(findBackwardReads(text), []);
  });
