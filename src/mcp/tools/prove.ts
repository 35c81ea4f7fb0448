import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { Findings } from '../../../packages/proofs/findings.ts';
import { verifyStateAnswer } from '../../../packages/proofs/verify-answer.ts';
import { verifyHeader } from '../../../packages/proofs/verify-block.ts';
import type { JsonObject } from '../../rpc/codec/codec.ts';
import { listOf } from '../../rpc/codec/list-codec.ts';
import { objectOf, optional, required } from '../../rpc/codec/object-codec.ts';
import { address, boolean } from '../../rpc/schemas.ts';
import { amount, blockArgument } from '../arguments.ts';
import { describeWei } from '../format-values.ts';
import { defineTool, type Tool } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import { HEAD_BLOCK } from '../tool-run.ts';

type Proof = { readonly accountProof: readonly string[]; readonly storageProof: readonly JsonObject[] };

export const proveTool: Tool = defineTool({
  name: 'prove',
  title: 'Prove account and storage',
  description:
    'Requests a Merkle proof of an account and of storage slots, and verifies it here: from the values over the state root to the hash of the block. Pass the hash of a block that you trust as `block`, and the values need no trust in the gateway.',
  methods: ['eth_getBlockByNumber', 'eth_getBlockByHash', 'eth_getProof'],
  args: objectOf('prove', {
    address: required(address),
    slots: optional(listOf(amount), 'storage slots'),
    block: optional(blockArgument),
    withProof: optional(boolean, 'whether to return the nodes of the proof'),
  }),
  async handle({ address: account, slots = [], block = HEAD_BLOCK, withProof = false }, run) {
    if (block.text === 'pending')
      throw new ToolError('a pending block has no hash that a proof could lead to');
    const { header, param } = await run.stamp(block);
    const findings = new Findings();
    const verified = verifyHeader(header, block.kind === 'hash' ? block.text : param, {
      findings,
      writer: new RlpWriter(),
    });
    const [finding] = findings.list;
    if (verified === undefined || finding !== undefined)
      throw new ToolError(`the header of the block is not verified: ${finding?.text ?? 'unknown form'}`);
    const answer = (await run.request('eth_getProof', [account, slots, param])) as Proof;
    const {
      isVerified,
      findings: faults,
      account: leaf,
      words,
    } = verifyStateAnswer(answer, { address: account, slots }, verified.stateRoot);
    if (!isVerified) throw new ToolError(`the proof is wrong: ${faults.map(({ text }) => text).join('; ')}`);
    return {
      isVerified,
      stateRoot: verified.stateRoot,
      account:
        leaf == null
          ? 'the account does not exist'
          : {
              balance: describeWei(leaf.balance),
              nonce: Number(leaf.nonce),
              codeHash: bytesToHex(leaf.codeHash),
              storageRoot: bytesToHex(leaf.storageRoot),
            },
      slots: slots.map((slot, i) => ({
        slot,
        value: `0x${(words[i] ?? 0n).toString(16).padStart(64, '0')}`,
      })),
      ...(withProof && { accountProof: answer.accountProof, storageProof: answer.storageProof }),
    };
  },
});
