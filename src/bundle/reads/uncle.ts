import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { RlpWriter } from '../../../packages/ethereum/primitives/rlp-writer.ts';
import { isMembers } from '../../../packages/proofs/members.ts';
import { verifyHeader } from '../../../packages/proofs/verify-block.ts';
import { describeFindings, readHeader } from '../evidence.ts';
import { BundleError } from '../format.ts';
import { encodeBlockHeader, readObject } from '../request-block.ts';
import { UncoveredMembers } from '../uncovered-members.ts';
import { byHash, type ReadKind, readList } from './read-kind.ts';
import { openTools } from './transactions.ts';

/** Verifies the uncle at a position. The header of the block commits to the list of uncles, and each uncle is a header. */
export const uncle: ReadKind = {
  uses: ['uncles'],
  async collect({ chain, scope }, block, index) {
    const uncles = [];
    for (let at = 0n; at < readList(block, 'uncles').length; at++) {
      const answer = await chain.blocks.getUncle(byHash(block), at, scope);
      uncles.push(await readObject(answer, `uncle ${at} of block ${String(block['hash'])}`));
    }
    const encoded = uncles.map((object) => bytesToHex(encodeBlockHeader(object)));
    return { result: uncles[Number(index)] ?? null, evidence: { uncles: encoded } };
  },
  check({ header, index, result, evidence }) {
    const encodings = evidence.uncles.map(hexToBytes);
    if (hashList(encodings) !== header.verified.unclesHash)
      throw new BundleError('the uncles do not hash to the uncles hash in the header');
    // The uncles hash does not show where one uncle ends. Decoding each encoding as exactly one header verifies these boundaries.
    const uncles = encodings.map((encoded) => readHeader(encoded, bytesToHex(keccak256(encoded))));
    const own = uncles[Number(index)];
    if (own === undefined) {
      if (result !== null) throw new BundleError('the block has no uncle at this position');
      return [];
    }
    if (!isMembers(result)) throw new BundleError('the block has an uncle at this position');
    const { members, verified } = own;
    const tools = openTools();
    // The member `uncles` of an uncle is not compared, because no answer includes the uncles of an uncle.
    if (verifyHeader(result, verified.hash, tools) === undefined)
      throw new BundleError(describeFindings(tools.findings));
    const told = new UncoveredMembers();
    told.note('', result, new Set([...Object.keys(members), 'hash']));
    return told.list;
  },
};

/** Returns the hash of the RLP list of encoded items. */
function hashList(items: readonly Uint8Array[]): string {
  const writer = new RlpWriter();
  for (const item of items.toReversed()) writer.raw(item);
  writer.list(0);
  return bytesToHex(keccak256(writer.view(0)));
}
