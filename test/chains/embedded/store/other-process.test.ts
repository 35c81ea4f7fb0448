/** A served store shows blocks that another process imports into it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeBlock } from '../../../../packages/ethereum/codecs/block.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { MAIN } from '../../../../scripts/program-files.ts';
import type { BlockReference } from '../../../../src/chain/requests.ts';
import { ChainBuilder, signTransaction } from '../../../support/chain-builder.ts';
import { makeTemporaryFolder } from '../../../support/embedded.ts';
import { ALICE_KEY, createGenesis, limitTo, openBuiltChain } from '../../../support/test-chain.ts';

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
const TIME_LIMIT_MS = 60_000;
const RECEIVER = '0x00000000000000000000000000000000000000ab';

test('blocks that another process imports are served without reopening the store', async () => {
  const genesis = createGenesis({ revision: 'cancun' });
  const builder = new ChainBuilder(genesis);
  const opened = await openBuiltChain(genesis, builder);
  const folder = makeTemporaryFolder();
  const genesisFile = join(folder.path, 'genesis.json');
  writeFileSync(genesisFile, genesis);

  const readNumber = async (): Promise<bigint | undefined> =>
    (await opened.chain.blocks.getHeader(LATEST))?.number;
  /** Reads the receiver's balance by a call, which runs code on a thread of the pool. */
  const readBalance = async (): Promise<bigint> => {
    const call = { data: `0x73${RECEIVER.slice(2)}3160005260206000f3` };
    return BigInt(
      JSON.parse(
        (await opened.chain.execution.call({ block: LATEST, call }, limitTo(TIME_LIMIT_MS))) as string,
      ),
    );
  };

  assert.equal(await readNumber(), 0n);
  assert.equal(await readBalance(), 0n);
  for (let number = 1n; number <= 3n; number++) {
    const to = Uint8Array.from(Buffer.from(RECEIVER.slice(2), 'hex'));
    const transfer = signTransaction(ALICE_KEY, { nonce: number - 1n, to, value: 5n });
    const block = await builder.add({ transactions: [transfer] });
    const blocks = join(folder.path, `${number}.rlp`);
    writeFileSync(blocks, encodeBlock(block));
    const args = ['import', '--genesis', genesisFile, '--blocks', blocks, '--data', opened.store];
    // A read transaction lasts for one turn of the event loop: waiting must not block it.
    const [code] = await once(spawn(process.execPath, [MAIN, ...args]), 'exit');
    assert.equal(code, 0);
    assert.equal(await readNumber(), number);
    assert.equal(await readBalance(), 5n * number);
    const hash = bytesToHex(builder.hashAt(Number(number)));
    const byHash = { kind: 'hash', hash, requireCanonical: true } as const;
    assert.equal((await opened.chain.blocks.getHeader(byHash))?.number, number);
  }
  await opened.close();
  folder.remove();
  assert.deepEqual(opened.faults, []);
});
