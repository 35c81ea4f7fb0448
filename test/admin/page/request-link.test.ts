/** Requests in the fragment of the page's URL. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatLink, parseLink } from '../../../src/admin/page/console/request-link.ts';

const REQUEST = { network: 'devnet', method: 'eth_call', params: [{ to: '0x12' }, 'latest'], abi: '' };

test('a link restores its request', () => {
  const request = fc.record({
    network: fc.string(),
    method: fc.string(),
    params: fc.array(fc.jsonValue(), { maxLength: 3 }),
    abi: fc.string({ unit: 'grapheme' }),
  });
  fc.assert(
    fc.property(request, (one) => {
      const fragment = formatLink(one, []);
      // JSON has no negative zero.
      const expected = { ...one, params: JSON.parse(JSON.stringify(one.params)) };
      assert.deepEqual(fragment && parseLink(fragment), fragment && expected);
    }),
  );
});

test('a request that contains a credential has no link', () => {
  const link = (params: readonly unknown[], credential: string): string | undefined =>
    formatLink({ ...REQUEST, params }, ['', credential]);
  assert.ok(link(['latest'], 'a-long-secret'));
  assert.equal(link([{ to: ['xa-long-secretx'] }], 'a-long-secret'), undefined);
  assert.equal(link(['quoted"secret'], 'quoted"secret'), undefined);
  assert.equal(link(['test'], 'test'), undefined);
  assert.ok(link(['latest'], 'test'), 'a short key may be a part of a word');
});

test('a fragment without a request, or a long one, is not parsed', () => {
  for (const fragment of [
    '',
    '#networks-part',
    '#network=a',
    '#network=a&method=b&params=x',
    '#network=a&method=b&params={}',
  ]) {
    assert.equal(parseLink(fragment), undefined, fragment);
  }
  const params = ['x'.repeat(8_000)];
  assert.equal(formatLink({ ...REQUEST, params }, []), undefined);
  assert.equal(parseLink(`#network=a&method=b&params=${JSON.stringify(params)}`), undefined);
});
