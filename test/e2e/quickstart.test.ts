/** Each mode of docs/quickstart.md and of the README: its commands run in their order, from an empty folder. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ROOT } from '../../scripts/program-files.ts';
import { listBuiltinNetworks } from '../../src/config/builtin-config.ts';
import { type CodeBlock, listSections, Reader } from '../support/documented-commands.ts';
import { type RunningService, startService } from '../support/service.ts';

const QUICKSTART = readFileSync(join(ROOT, 'docs/quickstart.md'), 'utf8');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

/** Serves the built-in networks as the nodes of the documents. */
let nodes: RunningService;
before(async () => {
  nodes = await startService({ ...listBuiltinNetworks() });
});
after(() => nodes.close());

function createReader(): Reader {
  const url = (network: string): string => `http://${nodes.authority}/${network}/v3/demo`;
  const [devnet, rollup] = [url('devnet'), url('rollup')];
  return new Reader({
    'https://node.example.org/v1/${NODE_KEY}': devnet,
    'https://rollup.example.org/v1/${NODE_KEY}': rollup,
  });
}

type Servers = { readonly mcpServers: { readonly portcullis: { command: string; args: string[] } } };

/** Starts the server of an agent's file as the agent does, and calls a tool. */
async function callTool(reader: Reader, { mcpServers: { portcullis } }: Servers): Promise<string> {
  const client = new Client({ name: 'test', version: '1' });
  const { environment, path } = reader;
  await client.connect(
    new StdioClientTransport({ ...portcullis, env: { ...environment }, cwd: path, stderr: 'ignore' }),
  );
  try {
    return JSON.stringify(await client.callTool({ name: 'networks', arguments: {} }));
  } finally {
    await client.close();
  }
}

async function follow(reader: Reader, { language, text }: CodeBlock): Promise<void> {
  if (language === 'sh') await reader.runShell(text);
  else if (language === 'diff') reader.edit('portcullis.yaml', text);
  else if (language === 'js') reader.write(/^\/\/ (\S+)\n/.exec(text)?.[1] ?? '', text);
  else if (text.includes('mcpServers')) assert.match(await callTool(reader, JSON.parse(text)), /devnet/);
  else assert.equal(reader.printed.trim(), text.trim());
}

const sections = [...listSections(QUICKSTART, 2)];

test('the page has a section for each mode', () => {
  assert.deepEqual(
    sections.map(([heading]) => heading),
    ['Development networks', 'My own chain', 'In front of nodes', 'A rollup', 'A test suite', 'Agents'],
  );
});

describe('docs/quickstart.md', () => {
  for (const [heading, blocks] of sections)
    test(`the commands of "${heading}" run in their order`, async (t) => {
      const reader = createReader();
      t.after(() => reader.close());
      for (const block of blocks) await follow(reader, block);
      assert.ok(reader.commands > 0 || heading === 'Agents');
      await reader.stop();
    });
});

/** Edits that the README describes in the comments of its commands, as quickstart.md shows them. */
const EDITS: Readonly<Record<string, CodeBlock | undefined>> = Object.fromEntries(
  sections.map(([heading, blocks]) => [heading, blocks.find(({ language }) => language === 'diff')]),
);

describe('README.md', () => {
  for (const heading of ['In front of nodes', 'My own chain'])
    test(`the commands of "${heading}" run in their order`, async (t) => {
      const reader = createReader();
      t.after(() => reader.close());
      const edit = EDITS[heading]?.text ?? '';
      for (const { text } of listSections(README, 3).get(heading) ?? []) {
        const [before, last = ''] = text.split(/(?<=^portcullis init .*\n)/m);
        await reader.runShell(before ?? '');
        if (last === '') continue;
        reader.edit('portcullis.yaml', edit);
        await reader.runShell(last);
      }
      assert.ok(reader.commands >= 4);
      await reader.stop();
    });
});

test('documents name the tarball of this version', () => {
  for (const page of ['README.md', 'docs/quickstart.md', 'docs/embedding.md']) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const named = [...text.matchAll(/portcullis-(\d[\w.-]*)\.tgz/g)].map(([, found]) => found);
    assert.ok(named.length > 0, page);
    assert.deepEqual([...new Set(named)], [version], page);
  }
});
