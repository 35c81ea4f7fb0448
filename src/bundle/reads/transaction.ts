import { bytesEqual } from '../../../packages/ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { EMPTY_TRIE_ROOT } from '../../../packages/ethereum/primitives/keccak.ts';
import { proveKey } from '../../../packages/ethereum/primitives/merkle-proof.ts';
import { MerkleTrie } from '../../../packages/ethereum/primitives/merkle-trie.ts';
import { encodeRlp } from '../../../packages/ethereum/primitives/rlp.ts';
import { isMembers } from '../../../packages/proofs/members.ts';
import { verifyPlace, verifySender, verifyTransaction } from '../../../packages/proofs/verify-transaction.ts';
import { listPieces, readPieces, readTrie } from '../evidence.ts';
import { BundleError } from '../format.ts';
import { readResult } from '../request-block.ts';
import { noteTransaction, UncoveredMembers } from '../uncovered-members.ts';
import { byHash, type ReadKind } from './read-kind.ts';
import { encodeTransactions, openTools, recoverWithLibrary, refuseFindings } from './transactions.ts';

/** Verifies the transaction at a position, or its absence, with a proof in the transactions trie. */
export const transactionRead: ReadKind = {
  uses: ['nodes'],
  async collect({ chain, scope }, block, index) {
    const answer = await chain.transactions.getTransaction({ block: byHash(block), index }, scope);
    return {
      result: answer === null ? null : await readResult(answer),
      evidence: { nodes: listPieces(proveIndex(encodeTransactions(block), index)) },
    };
  },
  check({ header, index, result, evidence }) {
    const nodes = readPieces(evidence.nodes);
    const root = hexToBytes(String(header.members['transactionsRoot']));
    const encoded = readTrie(root, encodeRlp(index), nodes);
    nodes.refuseUnused('trie node');
    if (encoded === undefined) {
      if (result !== null) throw new BundleError('the block has no transaction at this position');
      return [];
    }
    if (!isMembers(result)) throw new BundleError('the block has a transaction at this position');
    const tools = openTools();
    const verified = verifyTransaction(result, tools, header.verified.baseFeePerGas);
    verifySender(result, tools, recoverWithLibrary);
    verifyPlace(result, header.verified, Number(index), tools.findings);
    refuseFindings(tools);
    if (verified === undefined || !bytesEqual(verified.encoded, encoded))
      throw new BundleError('the block has another transaction at this position');
    const told = new UncoveredMembers();
    noteTransaction(told, result, verified.facts);
    return told.list;
  },
};

/** Builds the trie of a list of values, and returns the trie nodes that prove the value at an index, or that the index is absent. */
function proveIndex(values: readonly Uint8Array[], index: bigint): readonly Uint8Array[] {
  const trie = new MerkleTrie(EMPTY_TRIE_ROOT, () => undefined);
  for (const [at, value] of values.entries()) trie.put(encodeRlp(BigInt(at)), value);
  const nodes = new Map<string, Uint8Array>();
  trie.commit((path, encoded) => {
    if (encoded !== undefined) nodes.set(path.join(), encoded);
  });
  return proveKey(encodeRlp(index), (path) => nodes.get(path.join())).nodes;
}
