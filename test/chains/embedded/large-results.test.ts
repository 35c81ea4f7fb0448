/** Megabytes of return data and revert data: their bytes are transferred, and encoded as hex while they are sent. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../../src/chain/errors.ts';
import type { CallRequest } from '../../../src/chain/requests.ts';
import { limitTo, type OpenedChain, openBuiltChain } from '../../support/test-chain.ts';
import { buildCallChain, PROGRAM, withProgram } from './call-harness.ts';

const BYTES = 1_000_000;
const MARK = 0xcafe;
const PATIENCE_MS = 60_000;
const EXPECTED = `0x${MARK.toString(16).padStart(64, '0')}${'00'.repeat(BYTES - 32)}`;

/** Counts its calldata's first word down to zero and ends with `BYTES` bytes. */
function program(end: 'RETURN' | 'REVERT', from: number): CallRequest {
  const data = `0x${from.toString(16).padStart(64, '0')}`;
  const source = `0 CALLDATALOAD loop: 1 SWAP1 SUB DUP1 @loop JUMPI ${MARK} 0 MSTORE ${BYTES} 0 ${end}`;
  const call = { to: PROGRAM, gas: '0xffffffff', data };
  return { block: { kind: 'tag', tag: 'latest' }, call, ...withProgram(source) };
}

async function read(result: JsonResult): Promise<string> {
  assert.ok(typeof result !== 'string' && result.reservedBytes === BYTES);
  const pieces: Uint8Array[] = [];
  for await (const piece of result.pieces) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString()) as string;
}

describe('large results', () => {
  let opened: OpenedChain;
  before(async () => {
    const [genesis, builder] = await buildCallChain({ revision: 'prague' });
    opened = await openBuiltChain(genesis, builder);
  });
  after(() => opened.close());

  for (const [where, count] of [
    ['where they are asked for', 1],
    ['on a thread', 3_000_000],
  ] as const) {
    test(`return data of calls that end ${where} is streamed`, async () => {
      const result = await opened.chain.execution.call(program('RETURN', count), limitTo(PATIENCE_MS));
      assert.equal(await read(result), EXPECTED);
    });

    test(`revert data of calls that end ${where} remains bytes`, async () => {
      const scope = limitTo(PATIENCE_MS);
      await assert.rejects(
        async () => opened.chain.execution.call(program('REVERT', count), scope),
        (error) => {
          assert.ok(error instanceof ChainError && error.kind === 'reverted');
          assert.ok(error.data instanceof Uint8Array);
          assert.equal(`0x${Buffer.from(error.data).toString('hex')}`, EXPECTED);
          return true;
        },
      );
    });
  }
});
