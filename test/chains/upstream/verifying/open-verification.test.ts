import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { Verification } from '../../../../src/chains/upstream/verifying/open-verification.ts';
import { Refutation, UpstreamFault } from '../../../../src/pool/fault.ts';
import type { BlockHeader } from '../../../../src/pool/heads/block.ts';
import { parseReportedHeader } from '../../../../src/pool/heads/parse-block.ts';
import { useDevnetNode } from '../../../support/devnet-node.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { createVerification } from './create-verification.ts';

const LOOK_MS = 20;

const node = useDevnetNode();

/** A node with blocks whose members the test can change. */
async function open(): Promise<{
  readonly verification: Verification;
  readonly script: { change: (block: object) => object; calls: number };
}> {
  const script = { change: (block: object): object => block, calls: 0 };
  const request = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    script.calls++;
    // Requests in flight at the end of a test find the node closed.
    const result = await node.ask(method, ...params).catch(() => {
      throw new UpstreamFault('unreachable', 'the node does not answer');
    });
    return typeof result === 'object' && result !== null && 'parentHash' in result
      ? script.change(result)
      : result;
  };
  const head: BlockHeader = parseReportedHeader(await request('eth_getBlockByNumber', ['latest', false]));
  const verification = createVerification('auto', {
    ask: async ({ call }): Promise<JsonText> =>
      JSON.stringify(await request(call.method, JSON.parse(call.params) as unknown[])),
    head: () => head,
    lookMs: LOOK_MS,
  });
  return { verification, script };
}

function isVerifiable(verification: Verification, subject: string): boolean | undefined {
  const row = verification.describe().verification?.rows.find((each) => each.subject === subject);
  return row?.state === 'untested' ? undefined : row?.state === 'verified';
}

describe('verification', () => {
  it('is calibrated again when the head’s header has a new member', async () => {
    const { verification, script } = await open();
    try {
      await verification.calibrate();
      assert.equal(isVerifiable(verification, 'header'), true);
      script.change = (block) => ({ ...block, futureRoot: '0x7', mixHash: `0x${'11'.repeat(32)}` });
      await waitUntil(() => isVerifiable(verification, 'header') === false);
      script.change = (block) => block;
      await waitUntil(() => isVerifiable(verification, 'header') === true);
    } finally {
      verification.close();
    }
  });

  it('is not calibrated again for blocks with the same header members', async () => {
    const { verification, script } = await open();
    try {
      await verification.calibrate();
      script.change = (block) => ({ ...block, mixHash: `0x${'11'.repeat(32)}` });
      const { calls } = script;
      await waitUntil(() => script.calls > calls + 3);
      assert.equal(isVerifiable(verification, 'header'), true);
    } finally {
      verification.close();
    }
  });

  describe('of blocks that were not checked before', () => {
    const FORK = 17n;
    const numberOf = (block: object): bigint => BigInt(String((block as { number: string }).number));
    /** Changes the blocks of a node where they follow unknown rules. */
    const changeWhere =
      (isOther: (number: bigint) => boolean) =>
      (block: object): object =>
        isOther(numberOf(block)) ? { ...block, mixHash: `0x${'11'.repeat(32)}` } : block;
    const rowOf = (verification: Verification) =>
      verification.describe().verification?.rows.find(({ subject }) => subject === 'header');

    it('is unavailable from the first block of an unknown fork on, even one long before the start', async () => {
      const { verification, script } = await open();
      try {
        script.change = changeWhere((number) => number >= FORK);
        await verification.calibrate();
        assert.deepEqual(
          [FORK - 1n, FORK, FORK + 30n].map((number) => verification.proofs.canVerify('header', number)),
          [true, false, false],
        );
        assert.equal(rowOf(verification)?.from, Number(FORK));
      } finally {
        verification.close();
      }
    });

    it('is calibrated after a failed answer about one of them, and again when their hashes match', async () => {
      const { verification, script } = await open();
      try {
        await verification.calibrate();
        script.change = changeWhere((number) => number < FORK);
        const block = { number: 5n, hash: `0x${'ab'.repeat(32)}` };
        const refutation = new Refutation(block.hash, 'header', 'it does not hash to that');
        assert.equal(verification.proofs.verifier?.acceptRules(refutation, block), undefined);
        await waitUntil(() => rowOf(verification)?.until === Number(FORK - 1n));
        assert.deepEqual(
          [1n, FORK - 1n, FORK, FORK + 30n].map((number) => verification.proofs.canVerify('header', number)),
          [false, false, true, true],
        );
        assert.equal(rowOf(verification)?.state, 'verified');
        script.change = (each) => each;
        await waitUntil(() => rowOf(verification)?.until === undefined);
        assert.equal(verification.proofs.canVerify('header', 5n), true);
      } finally {
        verification.close();
      }
    });
  });
});
