import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeRefusal } from '../../../src/chain/node-refusal.ts';
import { readPassedError } from '../../../src/pool/errors/read-passed-error.ts';

const SECRETS = ['sekret-key-123'];

function read(message: string, data: unknown): NodeRefusal {
  const error = readPassedError({ code: -32602, message, data }, 'debug_traceCall', SECRETS, SECRETS);
  assert.ok(error instanceof NodeRefusal);
  return error;
}

test('the key of a node is masked in message and data', () => {
  assert.equal(read('no access to sekret-key-123', undefined).message, 'no access to ***');
  assert.equal(read('x', 'at sekret-key-123').nodeData, 'at ***');
  assert.deepEqual(read('x', { at: ['SEKRET-key-123'] }).nodeData, { at: ['***'] });
});

test('data is passed on up to its bounds', () => {
  for (const data of [{ a: [1, null, 'b'] }, [1], 7, false, null, 'words', ''])
    assert.deepEqual(read('x', data).nodeData, data);
  assert.equal(read('x', ['y'.repeat(64 * 1024)]).nodeData, undefined);
  const bytes = `0x${'ab'.repeat(100_000)}`;
  assert.equal(read('x', bytes).nodeData, bytes);
  assert.equal(String(read('x', 'y'.repeat(100_000)).nodeData).length, 1_000);
});
