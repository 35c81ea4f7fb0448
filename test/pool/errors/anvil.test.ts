import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import { classifyError } from '../../../src/pool/errors/classify-error.ts';
import { readCases } from './fixtures.ts';

const CASES = readCases().filter(({ client, params }) => client === 'anvil' && params !== undefined);
const LISTENING = /Listening on 127\.0\.0\.1:(\d+)/;

const path = findAnvil();
let node: ChildProcess | undefined;
after(async () => {
  if (node === undefined || node.exitCode !== null || node.signalCode !== null) return;
  node.kill('SIGKILL');
  await once(node, 'exit');
});

test('the installed anvil returns the errors of the fixtures', {
  skip: path === undefined && 'no anvil for this platform',
}, async () => {
  assert.ok(path !== undefined);
  node = spawn(path, ['--host', '127.0.0.1', '--port', '0'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const port = await readPort(node);
  assert.ok(CASES.length >= 20);
  for (const { method, params, situation, error, expect } of CASES) {
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const answer = (await response.json()) as { error?: typeof error };
    assert.deepEqual(answer.error, error, situation);
    assert.deepEqual(classifyError(answer.error, method), expect, situation);
  }
});

function findAnvil(): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    return require.resolve(
      `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}/bin/anvil`,
    );
  } catch {
    return undefined;
  }
}

async function readPort(child: ChildProcess): Promise<number> {
  let output = '';
  assert.ok(child.stdout !== null);
  for await (const piece of child.stdout) {
    output += piece;
    const match = LISTENING.exec(output);
    if (match !== null) {
      child.stdout.resume();
      return Number(match[1]);
    }
  }
  throw new Error(`anvil ended before it listened: ${output}`);
}
