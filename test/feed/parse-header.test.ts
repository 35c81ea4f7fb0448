import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChainError } from '../../src/chain/errors.ts';
import { parseFeedHeader } from '../../src/feed/parse-header.ts';
import { ModelChain } from '../support/model-chain.ts';

const { head } = new ModelChain(12);

describe('parseFeedHeader', () => {
  it('returns the number, hash and parent of a header', () => {
    const { number, hash, parentHash, header } = head;
    assert.deepEqual(parseFeedHeader(header, { hash, number }), { number, hash, parentHash, header });
  });

  it('rejects a malformed header, and that of another block', () => {
    const members = JSON.parse(head.header) as Record<string, unknown>;
    const broken = [
      '',
      'null',
      '[]',
      '7',
      ...Object.keys(members).flatMap((name) =>
        [undefined, null, 7, '0x', '0xZ', head.header].map((value) =>
          JSON.stringify({ ...members, [name]: value }),
        ),
      ),
    ];
    const isUnavailable = (error: unknown): boolean =>
      error instanceof ChainError && error.kind === 'unavailable';
    for (const header of broken) assert.throws(() => parseFeedHeader(header, {}), isUnavailable, header);
    assert.throws(() => parseFeedHeader(head.header, { number: 4n }), isUnavailable);
    assert.throws(() => parseFeedHeader(head.header, { hash: head.parentHash }), isUnavailable);
  });
});
