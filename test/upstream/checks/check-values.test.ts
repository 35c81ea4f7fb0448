import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkData, checkQuantity } from '../../../src/upstream/checks/check-values.ts';

const WRONG = { name: 'UpstreamFault', kind: 'wrong' } as const;

describe('checkData', () => {
  it('takes hex data of any length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = `"0x${Buffer.from(bytes).toString('hex')}"`;
        return checkData(text) === text;
      }),
    );
    const long = `"0x${'ab'.repeat(4_000_000)}"`;
    assert.equal(checkData(long), long);
  });

  it('refuses anything else', () => {
    for (const text of ['""', '"0x0"', '"abcd"', '"0xzz"', '{}', '[]', '7', 'true', '"0x12" ,']) {
      assert.throws(() => checkData(text), WRONG, text);
    }
  });
});

describe('checkQuantity', () => {
  it('takes quantities', () => {
    for (const text of ['"0x0"', '"0x5208"', '"0xFF"', ` "0x1" `, `"0x${'f'.repeat(64)}"`]) {
      assert.equal(checkQuantity(text), text);
    }
  });

  it('refuses anything else', () => {
    for (const text of ['"0x"', '"0x00"', '"21000"', '21000', 'null', '{}', `"0x${'f'.repeat(65)}"`]) {
      assert.throws(() => checkQuantity(text), WRONG, text);
    }
  });
});
