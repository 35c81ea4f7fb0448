import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillMemory, REST_BYTES } from './fill-memory.ts';

test('calls of many contracts stay within the memory bound, and have correct results', async () => {
  const bytes = 4 << 20;
  const { counted, growth } = await fillMemory(1_200, bytes);
  assert.ok(counted > bytes / 2);
  assert.ok(growth <= bytes + REST_BYTES, `${growth} bytes`);
});
