/** Results for the documentation: right in shape, invented in content. */

const BLOCK_HASH = `0x${'b1'.repeat(32)}`;
const TRANSACTION_HASH = `0x${'7a'.repeat(32)}`;
const SENDER = '0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f';
const RECIPIENT = '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df';
const EMPTY_BLOOM = `0x${'00'.repeat(256)}`;
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

export const EXAMPLE_TRANSACTION: Readonly<Record<string, unknown>> = {
  type: '0x0',
  blockHash: BLOCK_HASH,
  blockNumber: '0x5',
  blockTimestamp: '0x32',
  transactionIndex: '0x0',
  hash: TRANSACTION_HASH,
  from: SENDER,
  to: RECIPIENT,
  nonce: '0x4',
  value: '0x1',
  gas: '0x5208',
  gasPrice: '0x3b9aca00',
  input: '0x',
  chainId: '0x539',
  v: '0xa96',
  r: `0x${'c3'.repeat(32)}`,
  s: `0x${'1d'.repeat(32)}`,
};

export const EXAMPLE_RECEIPT: Readonly<Record<string, unknown>> = {
  type: '0x0',
  status: '0x1',
  blockHash: BLOCK_HASH,
  blockNumber: '0x5',
  transactionHash: TRANSACTION_HASH,
  transactionIndex: '0x0',
  from: SENDER,
  to: RECIPIENT,
  contractAddress: null,
  cumulativeGasUsed: '0x5208',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x3b9aca00',
  logs: [],
  logsBloom: EMPTY_BLOOM,
};

export const EXAMPLE_UNCLE: Readonly<Record<string, unknown>> = {
  number: '0xb',
  hash: `0x${'0c'.repeat(32)}`,
  parentHash: `0x${'0a'.repeat(32)}`,
  nonce: '0x0000000000000000',
  mixHash: `0x${'00'.repeat(32)}`,
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  logsBloom: EMPTY_BLOOM,
  transactionsRoot: EMPTY_ROOT,
  stateRoot: `0x${'5e'.repeat(32)}`,
  receiptsRoot: EMPTY_ROOT,
  miner: SENDER,
  difficulty: '0x20000',
  totalDifficulty: null,
  extraData: '0x',
  size: '0x217',
  gasLimit: '0x1c9c380',
  gasUsed: '0x0',
  timestamp: '0x6e',
  uncles: [],
};
