import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdText } from '../../src/upstream/hold-text.ts';
import { createStream } from './support/scripted-stream.ts';

const MiB = 1024 * 1024;

test('a result is held whatever its length: the transport bounds it by the setting', async () => {
  const text = `"0x${'ab'.repeat(17 * MiB)}"`;
  const held = await holdText(createStream(text, { pieceBytes: MiB }));
  assert.equal(held.length, text.length);
  assert.ok(held === text);
});
