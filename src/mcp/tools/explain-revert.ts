import type { JsonObject } from '../../rpc/codec/codec.ts';
import { objectOf, optional } from '../../rpc/codec/object-codec.ts';
import { hash32 } from '../../rpc/schemas.ts';
import { decodeRevertData } from '../abi/decode-revert.ts';
import { type AbiEntry, parseErrorSignature } from '../abi/signatures.ts';
import { blockArgument, signatures } from '../arguments.ts';
import { buildCall, CALL_FIELDS } from '../call-arguments.ts';
import { toDecimal } from '../format-values.ts';
import { defineTool, type Tool } from '../tool.ts';
import { GatewayRefusal, ToolError } from '../tool-error.ts';
import type { ToolRun } from '../tool-run.ts';

/** Code of geth for a call that fails without a revert. */
const FAILED = -32000;
/** Messages of geth for calls that the EVM stops, or that are refused before execution (`err: `). Other errors concern the request. */
const HALT =
  /^(?:err: |out of gas|invalid opcode|stack |invalid jump|write protection|return data|gas uint64|max |nonce |contract |invalid code)/;

export const explainRevertTool: Tool = defineTool({
  name: 'explain_revert',
  title: 'Explain a revert',
  description:
    'Says why a transaction (by hash) or a call fails: the reason string, the meaning of a panic code, a custom error with its values, or a failure of the EVM.',
  methods: [
    'eth_getBlockByNumber',
    'eth_getBlockByHash',
    'eth_call',
    'eth_getTransactionByHash',
    'eth_getTransactionReceipt',
  ],
  args: objectOf('explain_revert', {
    transaction: optional(hash32, 'hash of a mined transaction; the other arguments describe a call instead'),
    ...CALL_FIELDS,
    block: optional(blockArgument),
    errors: optional(
      signatures,
      'custom errors of the contract, such as Refused(address caller, uint256 code)',
    ),
  }),
  async handle({ transaction, block, errors: texts = [], ...target }, run) {
    const errors = texts.map(parseErrorSignature);
    if (transaction === undefined) {
      const { call } = buildCall(target);
      const { param } = await run.stamp(block);
      return explainCall(run, call, param, errors);
    }
    if (block !== undefined || Object.keys(target).length > 0)
      throw new ToolError('pass either transaction, or the arguments of a call');
    return explainTransaction(run, transaction, errors);
  },
});

async function explainCall(
  run: ToolRun,
  call: JsonObject,
  block: string,
  errors: readonly AbiEntry[],
): Promise<JsonObject> {
  try {
    const data = await run.request('eth_call', [call, block]);
    return { isReverted: false, data };
  } catch (error) {
    if (!(error instanceof GatewayRefusal)) throw error;
    if (error.data !== undefined) return { isReverted: true, revert: decodeRevertData(error.data, errors) };
    if (error.code !== FAILED || !HALT.test(error.reason)) throw error;
    return { isReverted: true, revert: { kind: 'halt', reason: error.reason } };
  }
}

/** Runs a failed transaction again on the state before its block. Nodes do not store why a transaction failed. */
async function explainTransaction(
  run: ToolRun,
  hash: string,
  errors: readonly AbiEntry[],
): Promise<JsonObject> {
  const [transaction, receipt] = (await Promise.all([
    run.request('eth_getTransactionByHash', [hash]),
    run.request('eth_getTransactionReceipt', [hash]),
  ])) as [JsonObject | null, JsonObject | null];
  if (transaction === null) throw new ToolError(`network ${run.network} knows no transaction ${hash}`);
  if (receipt === null)
    throw new ToolError('the transaction is not in a block yet: describe its call instead');
  const included = await run.stamp({ kind: 'hash', text: String(receipt['blockHash']) });
  const gas = { gasUsed: toDecimal(receipt['gasUsed']), gasLimit: toDecimal(transaction['gas']) };
  if (receipt['status'] === '0x1') return { isReverted: false, ...gas };
  const { from, to, input, value, gas: limit, accessList } = transaction;
  const call = {
    from,
    ...(to != null && { to }),
    data: input,
    value,
    gas: limit,
    ...(accessList != null && { accessList }),
  };
  const explained = await explainCall(run, call, String(included.header['parentHash']), errors);
  if (explained['isReverted'] === true)
    return {
      ...explained,
      ...gas,
      note: 'the transaction was run again on the state before its block, without the earlier transactions of the block',
    };
  const isOutOfGas = gas.gasUsed === gas.gasLimit;
  return {
    isReverted: true,
    ...gas,
    revert: {
      kind: 'unknown',
      reason: isOutOfGas
        ? 'the transaction used all of its gas: it ran out of gas, or hit an invalid instruction'
        : 'the call succeeds on the state before the block: an earlier transaction of the same block changed state that it depends on',
    },
  };
}
