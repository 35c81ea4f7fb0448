import type { JsonObject } from '../../rpc/codec/codec.ts';
import { listOf } from '../../rpc/codec/list-codec.ts';
import { objectOf, optional, required } from '../../rpc/codec/object-codec.ts';
import { boolean } from '../../rpc/schemas.ts';
import type { RawLog } from '../abi/decode-log.ts';
import { decodeRevertData } from '../abi/decode-revert.ts';
import { type AbiEntry, type AbiFunctionEntry, parseErrorSignature, parseEvent } from '../abi/signatures.ts';
import { decodeResult } from '../abi/values.ts';
import { anyObject, blockArgument, signatures } from '../arguments.ts';
import { buildCall, CALL_FIELDS } from '../call-arguments.ts';
import { describeLog } from '../describe-log.ts';
import { toDecimal } from '../format-values.ts';
import { defineTool, type Tool } from '../tool.ts';
import { ToolError } from '../tool-error.ts';

/** Maximum number of calls: more would not fit into an answer. */
const MAX_CALLS = 50;

type SimulatedCall = {
  readonly status: string;
  readonly gasUsed: string;
  readonly returnData: string;
  readonly logs?: readonly RawLog[];
  readonly error?: { readonly message: string; readonly data?: string };
};

export const simulateTool: Tool = defineTool({
  name: 'simulate',
  title: 'Simulate calls',
  description:
    'Runs calls one after the other in one simulated block: each sees the changes of those before it. Returns the result, gas and logs of each; transfers of ether are logs too. Nothing is sent.',
  methods: ['eth_getBlockByNumber', 'eth_getBlockByHash', 'eth_simulateV1'],
  args: objectOf('simulate', {
    calls: required(listOf(objectOf('call', CALL_FIELDS)), `at most ${MAX_CALLS} calls`),
    block: optional(blockArgument, 'block whose state the calls start from'),
    overrides: optional(
      anyObject,
      'changes of accounts before the calls, by address: balance, nonce, code, state, stateDiff (hex), as in eth_simulateV1',
    ),
    blockOverrides: optional(anyObject, 'fields of the simulated block, such as time or baseFeePerGas (hex)'),
    validation: optional(boolean, 'whether nonces, balances and fees are checked as for transactions'),
    events: optional(signatures, 'further events of the contracts'),
    errors: optional(signatures, 'custom errors of the contracts'),
  }),
  async handle({ calls, block, overrides, blockOverrides, validation = false, events, errors }, run) {
    if (calls.length === 0 || calls.length > MAX_CALLS)
      throw new ToolError(`calls has ${calls.length} calls: pass 1 to ${MAX_CALLS}`);
    const built = calls.map(buildCall);
    const further = {
      events: (events ?? []).map(parseEvent),
      errors: (errors ?? []).map(parseErrorSignature),
    };
    const { param } = await run.stamp(block);
    const simulation = {
      blockStateCalls: [
        {
          calls: built.map(({ call }) => call),
          ...(overrides !== undefined && { stateOverrides: overrides }),
          ...(blockOverrides !== undefined && { blockOverrides }),
        },
      ],
      traceTransfers: true,
      validation,
    };
    const blocks = (await run.request('eth_simulateV1', [simulation, param])) as readonly JsonObject[];
    const results = (blocks.at(-1)?.['calls'] ?? []) as readonly SimulatedCall[];
    return { calls: results.map((result, i) => describeCall(result, built[i]?.called, further)) };
  },
});

function describeCall(
  { status, gasUsed, returnData, logs = [], error }: SimulatedCall,
  called: AbiFunctionEntry | undefined,
  { events, errors }: { readonly events: readonly AbiEntry[]; readonly errors: readonly AbiEntry[] },
): JsonObject {
  const isSuccess = status === '0x1';
  const decoded =
    isSuccess && called !== undefined && called.outputs.length > 0
      ? decodeResult(called.outputs, returnData)
      : undefined;
  return {
    status: isSuccess ? 'success' : 'failed',
    gasUsed: toDecimal(gasUsed),
    ...(called !== undefined && { signature: called.signature }),
    ...(decoded === undefined ? returnData !== '0x' && { data: returnData } : { result: decoded }),
    ...(error !== undefined && { error: error.message }),
    ...(error?.data !== undefined && { revert: decodeRevertData(error.data, errors) }),
    ...(logs.length > 0 && { logs: logs.map((log) => describeLog(log, events)) }),
  };
}
