import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { renderBounds } from '../../scripts/docs/bound-docs.ts';
import { renderErrorsPage } from '../../scripts/docs/error-docs.ts';
import { renderMethodsPage } from '../../scripts/docs/method-docs.ts';
import { buildCurlLines } from '../../src/cli/curl-lines.ts';
import { METHODS } from '../../src/methods/table.ts';
import { encodeOpenRpc } from '../../src/rpc/openrpc.ts';

/** Reads a file of docs/; the test runs as build/test/rpc/docs.test.js. */
function readDocs(name: string): string {
  return readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
}

const HINT = 'run: npm run build && node build/scripts/write-docs.js';

test('docs/errors.md matches the error table', () => {
  assert.equal(readDocs('errors.md'), renderErrorsPage(), HINT);
});

test('the table in docs/bounds.md matches the list of bounds', () => {
  const page = readDocs('bounds.md');
  assert.equal(page, renderBounds(page), HINT);
});

test('docs/methods.md matches the methods', () => {
  assert.equal(
    readDocs('methods.md'),
    renderMethodsPage(METHODS, buildCurlLines({ host: '127.0.0.1', port: 8545 })),
    HINT,
  );
});

test('the OpenRPC document lists every method with the schemas that are enforced', () => {
  const document = JSON.parse(encodeOpenRpc(METHODS, '1.2.3'));
  assert.equal(document.info.version, '1.2.3');
  assert.deepEqual(
    document.methods.map(({ name }: { name: string }) => name),
    METHODS.map(({ name }) => name),
  );
  const call = document.methods.find(({ name }: { name: string }) => name === 'eth_call');
  assert.deepEqual(
    call.params.map(({ name, required }: { name: string; required: boolean }) => [name, required]),
    [
      ['call', true],
      ['block', false],
      ['stateOverrides', false],
      ['blockOverrides', false],
    ],
  );
  const fields = call.params[0].schema.properties;
  assert.equal(fields.to.pattern, '^0x[0-9a-fA-F]{40}$');
  assert.equal(fields.gas.pattern, '^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,15})$');
});
