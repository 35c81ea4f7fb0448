/** A key at its filter limit: further requests cost the service almost nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RpcError } from '../../src/rpc/errors.ts';
import { makeFolder } from '../access/key-tables.ts';
import { countLmdbOf } from '../shared-store/records/count-reads.ts';
import { openLmdbRecords } from '../shared-store/records/tables.ts';
import { ModelFeed } from '../support/model-feed.ts';
import { FilterProcess } from './filter-client.ts';

const TIMES = 20;

function isRefused(error: unknown): boolean {
  return error instanceof RpcError && error.row.code === -32005;
}

describe('a key at its limit of filters', () => {
  for (const [what, addresses, maxOfKey] of [
    ['of 8 MiB together', 900, 1_000],
    ['by their number', 1, 200],
  ] as const) {
    test(`${what} is refused without reading a row and without a write`, async (t) => {
      const records = openLmdbRecords(t, makeFolder(t));
      const ask = new FilterProcess({ feed: new ModelFeed(), records, maxOfKey }).connect();
      const address = Array.from({ length: addresses }, (_, i) => `0x${String(i).padStart(40, '0')}`);
      const ids: unknown[] = [];
      try {
        for (;;) ids.push(await ask('eth_newFilter', { address }));
      } catch (error) {
        assert.ok(isRefused(error), String(error));
      }
      assert.ok(addresses === 1 ? ids.length === maxOfKey : ids.length > 150, `${ids.length} filters`);
      // Small filters may still fit into the last bytes.
      const small = { address: address.slice(0, Math.ceil(addresses / 2)) };
      for (let isFull = false; !isFull; ) {
        const made = await ask('eth_newFilter', small).catch((error: unknown) => error);
        isFull = isRefused(made);
      }
      const reads = await countLmdbOf(async () => {
        for (let i = 0; i < TIMES; i++) await assert.rejects(ask('eth_newFilter', small), isRefused);
      });
      // Each refusal checks the expiry of the owner's first record and its last record; neither takes a counted read.
      assert.deepEqual(reads, { rows: 0, writes: 0 });
      assert.equal(await ask('eth_uninstallFilter', ids[0]), true);
      assert.match(String(await ask('eth_newFilter', small)), /^0x/);
    });
  }
});
