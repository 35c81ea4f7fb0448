import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { copyText, countTextBytes, isAscii } from '../../src/util/copy-text.ts';

test('a copy equals the text, including lone surrogates', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => assert.equal(copyText(text), text)));
  const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
  fc.assert(fc.property(units, (text) => assert.equal(copyText(text), text)));
});

test('a text takes one byte per character, or two if any character is not ASCII', () => {
  assert.equal(countTextBytes('0x1234'), 6);
  assert.equal(countTextBytes('0x12é4'), 12);
  assert.equal(countTextBytes('0x12語4'), 12);
  assert.equal(countTextBytes(''), 0);
  assert.equal(isAscii('\x7f'), true);
  assert.equal(isAscii('\x80'), false);
});
