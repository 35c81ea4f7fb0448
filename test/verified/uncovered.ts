/** Members that no root covers: an answer may have them wrong without contradicting the hash of its block. */

export type ObjectKind = 'block' | 'transaction' | 'receipt' | 'log' | 'withdrawal' | 'other';

/** Reason why `kind.member` is not covered, and its treatment. */
export const UNCOVERED: Readonly<Record<string, string>> = {
  'block.notKnownHere': 'a member that no known chain has: passed on unverified',
  'transaction.notKnownHere': 'a member that no known chain has: passed on unverified',
  'receipt.notKnownHere': 'a member that no known chain has: passed on unverified',
  'block.size': 'length of the RLP of the block, which answers do not contain: passed on unverified',
  'block.totalDifficulty': 'sum over all earlier blocks: passed on unverified',
  'block.author': 'equals `miner` on some clients, but not on all: passed on unverified',
  'block.l1BlockNumber': 'Nitro: one of several values packed into `mixHash`: passed on unverified',
  'block.sendCount': 'Nitro: one of several values packed into `mixHash`: passed on unverified',
  'block.sendRoot': 'Nitro: equals `extraData`: passed on unverified',
  'block.blockExtraData': 'Avalanche: passed on unverified',
  'block.timestampMillis': 'Tempo: passed on unverified',
  'block.auraSeal': 'AuRa: headers after the merge do not contain it: passed on unverified',
  'block.sealFields': 'OpenEthereum: the RLP of `mixHash` and `nonce`: passed on unverified',
  'block.signature': 'AuRa: passed on unverified if the header does not contain it',
  'block.step': 'AuRa: passed on unverified if the header does not contain it',
  'transaction.creates': 'OpenEthereum: passed on unverified',
  'transaction.condition': 'OpenEthereum: passed on unverified',
  'transaction.publicKey': 'OpenEthereum: passed on unverified',
  'transaction.raw': 'OpenEthereum: passed on unverified',
  'transaction.standardV': 'OpenEthereum: passed on unverified',
  'transaction.queueOrigin': 'OVM: passed on unverified',
  'transaction.l1TxOrigin': 'OVM: passed on unverified',
  'transaction.l1BlockNumber': 'OVM: passed on unverified',
  'transaction.l1Timestamp': 'OVM: passed on unverified',
  'transaction.index': 'OVM: passed on unverified',
  'transaction.queueIndex': 'OVM: passed on unverified',
  'transaction.rawTransaction': 'OVM: passed on unverified',
  'transaction.depositReceiptVersion':
    'OP Stack: a member of the receipt, not of the transaction: passed on unverified',
  'transaction.nonce of a deposit':
    'OP Stack: a member of the receipt, not of the transaction: passed on unverified',
  'transaction.authority': 'passed on unverified',
  'transaction.chainId of no replay protection':
    'some nodes add the chain id of the network to a signature without EIP-155: passed on unverified',
  'transaction.from of no one': 'Tempo: unsigned transactions of the system: passed on unverified',
  'receipt.from of no one': 'Tempo: unsigned transactions of the system: passed on unverified',
  'receipt.l1Fee': 'OP Stack: depends on state of layer 1: passed on unverified',
  'receipt.l1FeeScalar': 'OP Stack: passed on unverified',
  'receipt.l1GasPrice': 'OP Stack: passed on unverified',
  'receipt.l1GasUsed': 'OP Stack: passed on unverified',
  'receipt.gasUsedForL1': 'Nitro: not part of the hashed receipt: passed on unverified',
  'receipt.feeToken': 'Tempo: passed on unverified',
  'receipt.feePayer': 'Tempo: passed on unverified',
  'receipt.blobGasPrice':
    'depends on `excessBlobGas` and the blob schedule of the chain, which the service does not know: passed on unverified',
  'log.transactionLogIndex': 'OpenEthereum: passed on unverified',
  'log.type': 'OpenEthereum: passed on unverified',
};

/** Members that an answer may lack or have as null: it then has less information, but no wrong one. */
export const MAY_BE_ABSENT: Readonly<Record<string, string>> = {
  'block.mixHash': 'OpenEthereum: part of `sealFields`: may be absent',
  'block.nonce': 'AuRa: headers do not contain it: may be absent',
  'transaction.to': 'null in a contract creation: may be absent',
  'transaction.blockTimestamp': 'added by recent clients: may be absent',
  'transaction.chainId': 'legacy transactions without EIP-155 have no chain id: may be absent',
  'transaction.gasPrice': 'some clients return only the fee caps: may be absent',
  'transaction.type': 'old clients omit it from legacy transactions: may be absent',
  'block.withdrawals of none': 'hashed as an empty list: may be null',
  'transaction.accessList of none': 'hashed as an empty list: may be null',
  'transaction.mint of zero': 'OP Stack: zero is hashed like an absent value: may be absent',
  'transaction.r of no signature': 'zero in unsigned transactions: may be absent',
  'transaction.s of no signature': 'zero in unsigned transactions: may be absent',
  'transaction.v': 'equals `yParity`: may be absent',
  'transaction.yParity': 'equals `v`: may be absent',
  'receipt.blobGasUsed': 'computed from the number of blobs: may be absent',
  'receipt.blockTimestamp': 'added by recent clients: may be absent',
  'receipt.contractAddress': 'null unless the transaction creates a contract: may be absent',
  'receipt.to': 'null in a contract creation: may be absent',
  'receipt.type': 'equals the type of the transaction: may be absent',
  'log.blockTimestamp': 'added by recent clients: may be absent',
  'log.removed': 'false in a block of the chain: may be absent',
};

const WITHOUT_BASE_FEE = 'chains whose headers lack the base fee (Substrate): passed on unverified';

/** Members that are not covered on chains without a base fee in their headers. */
export const UNCOVERED_FEES: Readonly<Record<string, string>> = {
  'block.baseFeePerGas': WITHOUT_BASE_FEE,
  'transaction.gasPrice': WITHOUT_BASE_FEE,
  'receipt.effectiveGasPrice': WITHOUT_BASE_FEE,
};

/** Members that follow from covered ones, and their derivation. */
export const DERIVED: Readonly<Record<string, string>> = {
  'transaction.from':
    'recovered from the signature; in whole blocks only for four transactions, under `require` for all',
  'transaction.blockHash, blockNumber, transactionIndex': 'from the block',
  'transaction.gasPrice': 'for types 2 to 4, from the fee caps and the base fee',
  'transaction.chainId': 'for legacy transactions, from `v` (EIP-155)',
  'transaction.yParity': 'from `v`',
  'receipt.gasUsed': 'the difference of `cumulativeGasUsed` to the previous receipt',
  'receipt.effectiveGasPrice': 'from the transaction and the base fee',
  'receipt.contractAddress':
    'from sender and nonce; the zero address, which some nodes return without a creation, counts as null',
  'receipt.from, to, type, transactionHash, transactionIndex, blockHash, blockNumber': 'from the transaction',
  'receipt.blobGasUsed': 'from the number of blobs',
  'log.logIndex': 'by counting the logs of the block',
  'log.transactionHash, transactionIndex, blockHash, blockNumber, removed': 'from the receipt',
};

/** Formats the members as a Markdown table for docs/upstreams.md; members with the same reason share a row. */
export function tabulateUncovered(): string {
  const rows = new Map<string, string[]>();
  const all = [UNCOVERED, UNCOVERED_FEES, MAY_BE_ABSENT].flatMap((each) => Object.entries(each));
  for (const [name, why] of all) {
    if (name.endsWith('.notKnownHere')) continue;
    rows.set(why, [...(rows.get(why) ?? []), `\`${name}\``]);
  }
  const derived = Object.entries(DERIVED).map(([names, how]) => `| \`${names}\` | derived: ${how} |`);
  const told = [...rows].map(([why, names]) => `| ${names.join(', ')} | ${why} |`);
  return ['| members | treatment |', '|---|---|', ...derived, ...told].join('\n');
}
