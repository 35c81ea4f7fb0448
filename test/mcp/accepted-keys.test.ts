import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AcceptedKeys } from '../../src/mcp/accepted-keys.ts';

const TEN_MINUTES = 600_000;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an accepted key is an owner only while the gateway refuses invented keys, which is checked every ten minutes', async () => {
  let isSelective: boolean | undefined;
  let checks = 0;
  let now = 0;
  const keys = new AcceptedKeys(
    async () => {
      checks++;
      return isSelective;
    },
    () => now,
  );
  const introduce = async (): Promise<void> => {
    keys.accept('one');
    await settle();
  };
  await introduce();
  // An outcome that does not say whether the gateway refuses the key is no reason to give keys shares, and the check is repeated.
  assert.equal(keys.ownerOf('one', '10.0.0.1'), 'address:10.0.0.1');
  isSelective = true;
  await introduce();
  assert.equal(keys.ownerOf('one', '10.0.0.1'), 'key:one');
  assert.equal(keys.ownerOf('two', '2001:db8::1'), 'address:2001:db8:0:0::/64');
  await introduce();
  assert.equal(checks, 2);
  isSelective = false;
  now += TEN_MINUTES;
  await introduce();
  assert.deepEqual([checks, keys.ownerOf('one', '10.0.0.1')], [3, 'address:10.0.0.1']);
});
