/** Blocks and uncles as the JSON text that clients see (spec 2.1; execution-apis). */
import { bytesToHex } from '../primitives/hex.ts';
import type { JsonText } from '../primitives/json-result.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { type Block, encodeBlock, type Withdrawal } from './block.ts';
import { encodeHeader, type Header, headerOnlyBlockSize } from './header.ts';
import { data, quantity } from './json-values.ts';
import type { StoredReceipt } from './receipt.ts';
import { encodeTransactionJson } from './wire-json.ts';

/** An uncle (or any header) as a block object without transactions: spec 2.1 with `uncles: []`. */
export function encodeUncleJson(header: Header): JsonText {
  const fields = [
    ...listHeaderFields(header, bytesToHex(keccak256(encodeHeader(header)))),
    '"totalDifficulty":null',
    `"size":${quantity(headerOnlyBlockSize(header))}`,
    '"uncles":[]',
  ];
  return `{${fields.join(',')}}`;
}

/** A block with its transactions: their hashes, or the whole of them. `receipts` are those of the block. */
export function encodeBlockJson(
  block: Block,
  hash: string,
  receipts: readonly StoredReceipt[],
  isFull: boolean,
): JsonText {
  const { header, transactions, uncles, withdrawals } = block;
  const place = { header, hash };
  const items = receipts.map((receipt, index) => {
    const tx = transactions[index];
    return isFull && tx !== undefined
      ? encodeTransactionJson(tx, receipt, index, place)
      : data(receipt.transactionHash);
  });
  const fields = [
    ...listHeaderFields(header, hash),
    `"size":${quantity(encodeBlock(block).length)}`,
    `"transactions":[${items.join(',')}]`,
    `"uncles":[${uncles.map((uncle) => data(keccak256(encodeHeader(uncle)))).join(',')}]`,
  ];
  if (withdrawals !== undefined)
    fields.push(`"withdrawals":[${withdrawals.map(encodeWithdrawal).join(',')}]`);
  return `{${fields.join(',')}}`;
}

function listHeaderFields(header: Header, hash: string): string[] {
  const fields = [
    `"number":${quantity(header.number)}`,
    `"hash":"${hash}"`,
    `"parentHash":${data(header.parentHash)}`,
    `"nonce":${data(header.nonce)}`,
    `"mixHash":${data(header.mixHash)}`,
    `"sha3Uncles":${data(header.ommersHash)}`,
    `"logsBloom":${data(header.logsBloom)}`,
    `"stateRoot":${data(header.stateRoot)}`,
    `"miner":${data(header.beneficiary)}`,
    `"difficulty":${quantity(header.difficulty)}`,
    `"extraData":${data(header.extraData)}`,
    `"gasLimit":${quantity(header.gasLimit)}`,
    `"gasUsed":${quantity(header.gasUsed)}`,
    `"timestamp":${quantity(header.timestamp)}`,
    `"transactionsRoot":${data(header.transactionsRoot)}`,
    `"receiptsRoot":${data(header.receiptsRoot)}`,
  ];
  const { baseFeePerGas, blobGasUsed, excessBlobGas } = header;
  const { withdrawalsRoot, parentBeaconBlockRoot, requestsHash } = header;
  for (const [name, value] of Object.entries({ baseFeePerGas, blobGasUsed, excessBlobGas })) {
    if (value !== undefined) fields.push(`"${name}":${quantity(value)}`);
  }
  for (const [name, value] of Object.entries({ withdrawalsRoot, parentBeaconBlockRoot, requestsHash })) {
    if (value !== undefined) fields.push(`"${name}":${data(value)}`);
  }
  return fields;
}

function encodeWithdrawal({ index, validatorIndex, address, amount }: Withdrawal): JsonText {
  return (
    `{"index":${quantity(index)},"validatorIndex":${quantity(validatorIndex)},` +
    `"address":${data(address)},"amount":${quantity(amount)}}`
  );
}
