import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRequest } from '../../../../src/chain/requests.ts';
import { StateKeys } from '../../../../src/chains/local-execution/proven/state-keys.ts';
import { DeferredReads } from '../../../../src/chains/local-execution/remote/deferred-reads.ts';
import { limitOf } from '../../../../src/util/bounds.ts';

/** Half of the keys that one call may have nodes prove. */
const HALF = limitOf('call.provenKeys') / 2;

const callOf = (data: string): CallRequest => ({
  call: { to: `0x${'a'.repeat(40)}`, data },
  block: { kind: 'tag', tag: 'latest' },
});

function createKeys(count: number): StateKeys {
  const keys = new StateKeys();
  for (let at = 0; at < count; at++) keys.addAccount(`0x${at.toString(16).padStart(40, '0')}`);
  return keys;
}

test('deferred reads of a function are known for all its calls, and for no other function', () => {
  const late = new DeferredReads();
  late.note(callOf('0x1234567801'), createKeys(HALF));
  assert.equal(late.find(callOf('0x1234567802'))?.size, HALF);
  assert.equal(late.find(callOf('0x12345679')), undefined);
});

test('deferred reads of a function are reset above half of the keys that one call may request', () => {
  const late = new DeferredReads();
  late.note(callOf('0x12345678'), createKeys(HALF - 24));
  late.note(callOf('0x12345678'), createKeys(HALF + 1));
  assert.equal(late.find(callOf('0x12345678')), undefined);
});

test('an incomplete call is known at its block, and no other call', () => {
  const late = new DeferredReads();
  late.noteIncomplete('call', callOf('0x01'), '0xaa');
  assert.ok(late.isIncomplete('call', callOf('0x01'), '0xaa'));
  assert.ok(!late.isIncomplete('call', callOf('0x01'), '0xbb'));
  assert.ok(!late.isIncomplete('call', callOf('0x02'), '0xaa'));
  assert.ok(!late.isIncomplete('estimate', callOf('0x01'), '0xaa'));
});
