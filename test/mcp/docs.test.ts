/** docs/mcp.md describes the tools that exist. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/program-files.ts';
import { MAX_TOOL_ANSWER_BYTES } from '../../src/mcp/bounded-text.ts';
import { listTools } from '../../src/mcp/tools.ts';
import { METHOD_NAMES } from '../../src/methods/method-names.ts';
import { FACTS } from '../support/development.ts';

const TEXT = readFileSync(join(ROOT, 'docs/mcp.md'), 'utf8');

test('the table has a row for each tool', () => {
  const [, table = ''] = TEXT.split('| tool | does | methods |\n|---|---|---|\n');
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n');
  const wanted = listTools(false).map(({ name, description, methods }) => {
    const names = methods.includes('*') ? 'the method that `method` names' : methods.map(quote).join(', ');
    // The description of `rpc` ends with a list of methods, which only models need.
    return `| \`${name}\` | ${description.replace(/ Methods: .*/, '')} | ${names} |`;
  });
  assert.equal(rows.join('\n'), wanted.join('\n'));
});

test('the table of arguments has a row for each argument', () => {
  const [, table = ''] = TEXT.split('| argument | of | value | meaning |\n|---|---|---|---|\n');
  assert.equal(table.slice(0, table.indexOf('\n\n')), listArguments().join('\n'));
});

test('the bound of an answer is stated', () => {
  assert.match(TEXT, new RegExp(`more than ${MAX_TOOL_ANSWER_BYTES.toLocaleString('en-US')} bytes`));
});

test('the example is an answer at the head of the built-in network', () => {
  const [, example = ''] = /```json\n(\{\n {2}"network"[^`]*)```/.exec(TEXT) ?? [];
  const { block } = JSON.parse(example) as { readonly block: { readonly hash: string } };
  assert.equal(block.hash, FACTS.devnet.headHash);
});

test('tools request methods of the method table', () => {
  const methods = listTools(true).flatMap((tool) => tool.methods.filter((name) => name !== '*'));
  assert.deepEqual(
    methods.filter((name) => !METHOD_NAMES.includes(name)),
    [],
  );
});

function quote(name: string): string {
  return `\`${name}\``;
}

/** Members of JSON Schema that describe an argument. */
type Schema = {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
};

/** Rows of the table of arguments. Equal arguments of several tools share a row. */
function listArguments(): string[] {
  const tools = new Map<string, string[]>();
  for (const { name, inputSchema } of listTools(false)) {
    const { properties, required = [] } = inputSchema as {
      readonly properties: Readonly<Record<string, Schema>>;
      readonly required?: readonly string[];
    };
    for (const [argument, schema] of Object.entries(properties)) {
      const value = `${describeValue(schema)}${required.includes(argument) ? ', required' : ''}`;
      const row = `| \`${argument}\` | {} | ${value} | ${schema.description ?? ''} |`;
      tools.set(row, [...(tools.get(row) ?? []), quote(name)]);
    }
  }
  return [...tools].map(([row, names]) => row.replace('{}', names.join(', ')));
}

const KINDS: Readonly<Record<string, string>> = { string: 'text', boolean: 'true or false' };

function describeValue({ type = 'any value', title, anyOf, items }: Schema): string {
  if (title !== undefined) return title;
  if (anyOf !== undefined) return anyOf.map(describeValue).join(' or ');
  if (type === 'array') return `list of ${describeValue(items ?? {})}`;
  return KINDS[type] ?? type;
}
