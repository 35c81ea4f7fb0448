import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERRORS } from '../../src/rpc/errors.ts';

test('rows of the error table have only known members', () => {
  const members = new Set(['code', 'status', 'message', 'meaning', 'retryAfter', 'isFault']);
  for (const [name, row] of Object.entries(ERRORS)) {
    assert.deepEqual(
      Object.keys(row).filter((member) => !members.has(member)),
      [],
      name,
    );
    assert.ok(Number.isInteger(row.code) && row.status >= 200 && row.message !== '', name);
  }
});
