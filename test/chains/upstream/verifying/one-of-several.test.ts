/** A single node of several cannot decide what is verifiable on a network, whatever it answers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonResult, JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../../../src/chain/errors.ts';
import { StateClient } from '../../../../src/chains/upstream/state-client.ts';
import { UpstreamFault } from '../../../../src/pool/fault.ts';
import { parseReportedHeader } from '../../../../src/pool/heads/parse-block.ts';
import type { Send } from '../../../../src/pool/upstream-request.ts';
import { createScope } from '../../../pool/support/exchange.ts';
import { answer, createNode } from '../../../pool/support/scripted-node.ts';
import { useDevnetNode } from '../../../support/devnet-node.ts';
import { createVerification } from './create-verification.ts';

const node = useDevnetNode();

type Say = (method: string, result: unknown) => unknown;

/** Two nodes; requests go to the first one first, and its answer differs. */
async function open(say: Say) {
  const upstreams = [createNode(answer('1')).upstream, createNode(answer('1')).upstream];
  const ask: Send = async ({ call, except, witness }): Promise<JsonResult> => {
    const upstream = upstreams.find((each) => except?.has(each) !== true);
    if (upstream === undefined) throw new UpstreamFault('unreachable', 'no node is left');
    if (witness !== undefined) witness.upstream = upstream;
    const result = await node.ask(call.method, ...(JSON.parse(call.params) as unknown[]));
    const said = JSON.stringify(upstream === upstreams[0] ? say(call.method, result) : result) as JsonText;
    return call.check?.(said, upstream) ?? said;
  };
  const head = parseReportedHeader(await node.ask('eth_getBlockByNumber', 'latest', false));
  const verification = createVerification('auto', { ask, upstreams, head: () => head });
  await verification.calibrate();
  return { verification, ask, head };
}

const refuseProofs: Say = (method, result) => {
  if (method === 'eth_getProof') throw new ChainError('invalid', 'invalid argument 0');
  return result;
};

const LIES: Readonly<Record<string, Say>> = {
  'a block that is too long to be tried': (method, result) =>
    method === 'eth_getBlockByNumber' ? { ...(result as object), extra: '0'.repeat(5_000_000) } : result,
  'no block at all': (method, result) => (method === 'eth_getBlockByNumber' ? 'no block' : result),
  'an error for proofs': refuseProofs,
};

describe('one of two nodes', () => {
  for (const [name, say] of Object.entries(LIES))
    it(`does not prevent the other from calibrating verification: ${name}`, async () => {
      const { verification, head } = await open(say);
      try {
        const rows = verification.describe().verification?.rows ?? [];
        for (const { subject, state } of rows)
          if (['header', 'transactions', 'receipts', 'state'].includes(subject))
            assert.equal(state, 'verified', subject);
        assert.equal(verification.proofs.canVerify('state', head.number), true);
      } finally {
        verification.close();
      }
    });

  it('that refuses proofs does not prevent a proof of an account', async () => {
    const { verification, ask, head } = await open(refuseProofs);
    try {
      const client = new StateClient({ ask, proofs: verification.proofs });
      const address = `0x${'00'.repeat(19)}01`;
      const place = { number: head.number, hash: head.hash, isCanonical: true };
      const block = (await node.ask('eth_getBlockByNumber', 'latest', false)) as {
        readonly stateRoot: string;
      };
      const proven = await client.requestProof(
        { address, slots: [] },
        { ...place, stateRoot: block.stateRoot },
        createScope(),
      );
      assert.notEqual(proven, undefined);
    } finally {
      verification.close();
    }
  });
});
