/** Callers that need the same block at the same time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BLANK_HEADER, encodeHeader } from '../../../../packages/ethereum/codecs/header.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { Collector } from '../../../../src/chains/local-execution/remote/collector.ts';
import type { FetchedRules } from '../../../../src/chains/local-execution/remote/fetched-rules.ts';
import type { ForkRules } from '../../../../src/chains/local-execution/remote/fork-rules.ts';
import { RemoteBlocks } from '../../../../src/chains/local-execution/remote/remote-blocks.ts';
import type { RemoteStateSource } from '../../../../src/chains/local-execution/remote/state-source.ts';
import { RequestScope } from '../../../../src/util/request-scope.ts';

const LIMIT_MS = 60_000;
const ENCODED = encodeHeader(BLANK_HEADER);
const PLACE = { number: 0n, hash: bytesToHex(keccak256(ENCODED)) };

/** Completes one request. */
type Answer = {
  readonly resolve: (encoded: Uint8Array) => void;
  readonly reject: (error: Error) => void;
};

/** Remote blocks whose header requests the test answers one by one. */
function open() {
  const requested: Answer[] = [];
  const collector = {
    requestHeader: () =>
      new Promise<Uint8Array>((resolve, reject) => {
        requested.push({ resolve, reject });
      }),
  };
  const blocks = new RemoteBlocks(
    { isOutage: () => false } as unknown as RemoteStateSource,
    collector as unknown as Collector,
    { find: () => ({ config: {}, whyUnverifiable: undefined }) } as unknown as ForkRules,
    { learn: () => undefined } as unknown as FetchedRules,
  );
  return { blocks, requested };
}

const scopeOf = (limitMs: number): RequestScope => new RequestScope(performance.now() + limitMs);

describe('a block that several callers need', () => {
  it('is requested once', async () => {
    const { blocks, requested } = open();
    const found = [1, 2].map(() => blocks.find(PLACE, undefined, scopeOf(LIMIT_MS)));
    requested[0]?.resolve(ENCODED);
    const [own, other] = await Promise.all(found);
    assert.equal(own, other);
    assert.equal(requested.length, 1);
  });

  it('is cached until later headers exceed the bound', async () => {
    const { blocks, requested } = open();
    const hashes: string[] = [];
    for (let number = 0n; number < 5n; number++) {
      const encoded = encodeHeader({ ...BLANK_HEADER, number, extraData: new Uint8Array(1 << 20) });
      const hash = bytesToHex(keccak256(encoded));
      const found = blocks.find({ number, hash }, undefined, scopeOf(LIMIT_MS));
      requested.at(-1)?.resolve(encoded);
      await found;
      hashes.push(hash);
    }
    const reserved = hashes.filter((hash) => blocks.get(hash) !== undefined);
    assert.deepEqual(reserved, hashes.slice(-3));
  });

  it('is requested again by a caller with more time than the first, or when the first caller cancels', async () => {
    for (const end of ['time', 'abort']) {
      const { blocks, requested } = open();
      const short = end === 'time' ? scopeOf(0) : scopeOf(LIMIT_MS);
      const first = Promise.resolve(blocks.find(PLACE, undefined, short));
      const second = blocks.find(PLACE, undefined, scopeOf(LIMIT_MS));
      if (end === 'abort') short.abort();
      requested[0]?.reject(new Error('out of time'));
      await assert.rejects(first, /out of time/);
      // After a turn of the event loop the header is requested again.
      await new Promise(setImmediate);
      requested[1]?.resolve(ENCODED);
      assert.equal((await second).stored.hashText, PLACE.hash);
    }
  });

  it('is not waited for past the deadline of a caller', async () => {
    const { blocks, requested } = open();
    const first = blocks.find(PLACE, undefined, scopeOf(LIMIT_MS));
    await assert.rejects(
      Promise.resolve(blocks.find(PLACE, undefined, scopeOf(0))),
      /no node has returned the header of the block in time/,
    );
    requested[0]?.resolve(ENCODED);
    await first;
  });

  it('fails for all callers if the error is not a lack of time', async () => {
    const { blocks, requested } = open();
    const found = [1, 2].map(() => Promise.resolve(blocks.find(PLACE, undefined, scopeOf(LIMIT_MS))));
    requested[0]?.reject(new Error('no node has it'));
    for (const each of found) await assert.rejects(each, /no node has it/);
    assert.equal(requested.length, 1);
  });
});
