/** Members that no root covers: an answer may have them wrong without contradicting the hash of its block. */

export type ObjectKind = 'block' | 'transaction' | 'receipt' | 'log' | 'withdrawal' | 'other';

/** Reason why `kind.member` is not covered, and its treatment. */
export const UNCOVERED: Readonly<Record<string, string>> = {
  'block.notKnownHere': 'a member that no chain known here has: left as told',
  'transaction.notKnownHere': 'a member that no chain known here has: left as told',
  'receipt.notKnownHere': 'a member that no chain known here has: left as told',
  'block.size': 'length of an encoding that answers do not hold: left as told',
  'block.totalDifficulty': 'sum over all blocks before: left as told',
  'block.author': 'repeats `miner` on some clients, not on all: left as told',
  'block.l1BlockNumber': 'Nitro: in `mixHash` among others: left as told',
  'block.sendCount': 'Nitro: in `mixHash` among others: left as told',
  'block.sendRoot': 'Nitro: repeats `extraData`: left as told',
  'block.blockExtraData': 'Avalanche: left as told',
  'block.timestampMillis': 'Tempo: left as told',
  'block.auraSeal': 'AuRa: a header after the merge has none: left as told',
  'block.sealFields': 'OpenEthereum: repeats `mixHash` and `nonce`: left as told',
  'block.signature': 'AuRa: left as told where the header has none',
  'block.step': 'AuRa: left as told where the header has none',
  'transaction.creates': 'OpenEthereum: left as told',
  'transaction.condition': 'OpenEthereum: left as told',
  'transaction.publicKey': 'OpenEthereum: left as told',
  'transaction.raw': 'OpenEthereum: left as told',
  'transaction.standardV': 'OpenEthereum: left as told',
  'transaction.queueOrigin': 'OVM: left as told',
  'transaction.l1TxOrigin': 'OVM: left as told',
  'transaction.l1BlockNumber': 'OVM: left as told',
  'transaction.l1Timestamp': 'OVM: left as told',
  'transaction.index': 'OVM: left as told',
  'transaction.queueIndex': 'OVM: left as told',
  'transaction.rawTransaction': 'OVM: left as told',
  'transaction.depositReceiptVersion': 'OP Stack: is of the receipt: left as told',
  'transaction.nonce of a deposit': 'OP Stack: is of the receipt: left as told',
  'transaction.authority': 'left as told',
  'transaction.chainId of no replay protection':
    'some nodes give that of the network beside a signature without EIP-155: left as told',
  'transaction.from of no one': 'Tempo: transactions of the system, not signed: left as told',
  'receipt.from of no one': 'Tempo: transactions of the system, not signed: left as told',
  'receipt.l1Fee': 'OP Stack: needs state of layer 1: left as told',
  'receipt.l1FeeScalar': 'OP Stack: left as told',
  'receipt.l1GasPrice': 'OP Stack: left as told',
  'receipt.l1GasUsed': 'OP Stack: left as told',
  'receipt.gasUsedForL1': 'Nitro: not hashed: left as told',
  'receipt.feeToken': 'Tempo: left as told',
  'receipt.feePayer': 'Tempo: left as told',
  'receipt.blobGasPrice':
    'follows from `excessBlobGas` by the schedule of the chain, which is not known: left as told',
  'log.transactionLogIndex': 'OpenEthereum: left as told',
  'log.type': 'OpenEthereum: left as told',
};

/** Members that an answer may lack or have as null: it then has less information, but no wrong one. */
export const MAY_BE_ABSENT: Readonly<Record<string, string>> = {
  'block.mixHash': 'OpenEthereum: is in `sealFields`: left as told where it is absent',
  'block.nonce': 'AuRa: a header has none: left as told where it is absent',
  'transaction.to': 'null where a contract is created: left as told where it is absent',
  'transaction.blockTimestamp': 'newer than most clients: left as told where it is absent',
  'transaction.chainId': 'legacy transactions without EIP-155 have none: left as told where it is absent',
  'transaction.gasPrice': 'some clients give the caps of the fees only: left as told where it is absent',
  'transaction.type': 'legacy transactions of old clients have none: left as told where it is absent',
  'block.withdrawals of none': 'hashed as an empty list: left as told where it is null',
  'transaction.accessList of none': 'hashed as an empty list: left as told where it is null',
  'transaction.mint of zero': 'OP Stack: hashed as if it were absent: left as told where it is absent',
  'transaction.r of no signature': 'zero: left as told where it is absent',
  'transaction.s of no signature': 'zero: left as told where it is absent',
  'transaction.v': 'repeats `yParity`: left as told where it is absent',
  'transaction.yParity': 'repeats `v`: left as told where it is absent',
  'receipt.blobGasUsed': 'follows from the number of blobs: left as told where it is absent',
  'receipt.blockTimestamp': 'newer than most clients: left as told where it is absent',
  'receipt.contractAddress': 'null where no contract was created: left as told where it is absent',
  'receipt.to': 'null where a contract is created: left as told where it is absent',
  'receipt.type': 'is that of the transaction: left as told where it is absent',
  'log.blockTimestamp': 'newer than most clients: left as told where it is absent',
  'log.removed': 'false: left as told where it is absent',
};

const WITHOUT_BASE_FEE = 'chains whose headers lack the base fee (Substrate): left as told';

/** Members that are not covered on chains without a base fee in their headers. */
export const UNCOVERED_FEES: Readonly<Record<string, string>> = {
  'block.baseFeePerGas': WITHOUT_BASE_FEE,
  'transaction.gasPrice': WITHOUT_BASE_FEE,
  'receipt.effectiveGasPrice': WITHOUT_BASE_FEE,
};

/** Members that follow from covered ones, and their derivation. */
export const DERIVED: Readonly<Record<string, string>> = {
  'transaction.from': 'recovered from the signature; of a whole block four of them, under `require` all',
  'transaction.blockHash, blockNumber, transactionIndex': 'from the block',
  'transaction.gasPrice': 'of types 2 to 4 from the fees and the base fee',
  'transaction.chainId': 'of legacy transactions from `v` (EIP-155)',
  'transaction.yParity': 'from `v`',
  'receipt.gasUsed': 'the difference of cumulative ones',
  'receipt.effectiveGasPrice': 'from the transaction and the base fee',
  'receipt.contractAddress':
    'from sender and nonce; the zero address, which some nodes give where none was created, is taken for null',
  'receipt.from, to, type, transactionHash, transactionIndex, blockHash, blockNumber': 'from the transaction',
  'receipt.blobGasUsed': 'the number of blobs',
  'log.logIndex': 'by counting over the block',
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
  return ['| members | what is done with them |', '|---|---|', ...derived, ...told].join('\n');
}
