import type { JsonObject } from '../../rpc/codec/codec.ts';
import { objectOf, optional, required } from '../../rpc/codec/object-codec.ts';
import { hash32 } from '../../rpc/schemas.ts';
import type { RawLog } from '../abi/decode-log.ts';
import { type AbiEntry, parseEvent, parseFunction } from '../abi/signatures.ts';
import { decodeNamed } from '../abi/values.ts';
import { shortText, signatures } from '../arguments.ts';
import { describeLog } from '../describe-log.ts';
import { describeWei, toDecimal, toGwei, toNumber } from '../format-values.ts';
import { defineTool, type Tool } from '../tool.ts';
import { ToolError } from '../tool-error.ts';

export const transactionTool: Tool = defineTool({
  name: 'transaction',
  title: 'Read a transaction',
  description:
    'Returns a transaction, its outcome, what it paid, and its logs. Events of ERC-20, ERC-721, ERC-1155 and other standards are decoded.',
  methods: ['eth_getTransactionByHash', 'eth_getTransactionReceipt', 'eth_getBlockByHash'],
  args: objectOf('transaction', {
    hash: required(hash32),
    signature: optional(shortText, 'function that the transaction calls, to decode its input'),
    events: optional(signatures, 'further events, such as Filled(bytes32 indexed id, uint256 amount)'),
  }),
  async handle({ hash, signature, events = [] }, run) {
    const further = events.map(parseEvent);
    const [transaction, receipt] = (await Promise.all([
      run.request('eth_getTransactionByHash', [hash]),
      run.request('eth_getTransactionReceipt', [hash]),
    ])) as [JsonObject | null, JsonObject | null];
    if (transaction === null) throw new ToolError(`network ${run.network} knows no transaction ${hash}`);
    if (typeof transaction['blockHash'] === 'string')
      await run.stamp({ kind: 'hash', text: transaction['blockHash'] });
    return {
      ...describeTransaction(transaction, signature),
      ...(receipt === null ? { status: 'pending' } : describeReceipt(receipt, further)),
    };
  },
});

function describeTransaction(transaction: JsonObject, signature: string | undefined): JsonObject {
  const input = String(transaction['input']);
  const called = signature === undefined ? undefined : parseFunction(signature);
  if (called !== undefined && !input.startsWith(called.selector))
    throw new ToolError(
      `the transaction does not call ${called.signature}: its selector is ${input.slice(0, 10)}`,
    );
  return {
    hash: transaction['hash'],
    index: toNumber(transaction['transactionIndex']),
    type: toNumber(transaction['type']),
    from: transaction['from'],
    to: transaction['to'],
    value: describeWei(BigInt(transaction['value'] as string)),
    nonce: toNumber(transaction['nonce']),
    gasLimit: toDecimal(transaction['gas']),
    maxFeeGwei: toGwei(transaction['maxFeePerGas'] ?? transaction['gasPrice']),
    ...(called === undefined
      ? { input }
      : { signature: called.signature, args: decodeNamed(called.inputs, `0x${input.slice(10)}`) ?? input }),
  };
}

function describeReceipt(receipt: JsonObject, events: readonly AbiEntry[]): JsonObject {
  const { status, gasUsed, effectiveGasPrice, contractAddress, logs } = receipt;
  const price = BigInt((effectiveGasPrice as string | undefined) ?? 0);
  return {
    // Receipts before Byzantium have a state root in place of a status.
    status: status === undefined ? 'included' : status === '0x1' ? 'success' : 'reverted',
    gasUsed: toDecimal(gasUsed),
    gasPriceGwei: toGwei(effectiveGasPrice),
    fee: describeWei(BigInt(gasUsed as string) * price),
    ...(typeof contractAddress === 'string' && { createdContract: contractAddress }),
    logs: (logs as readonly RawLog[]).map((log) => describeLog(log, events)),
  };
}
