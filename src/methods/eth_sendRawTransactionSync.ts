import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../chain/errors.ts';
import type { Codec } from '../rpc/codec/codec.ts';
import { mapped } from '../rpc/codec/derived-codecs.ts';
import { byKind } from '../rpc/codec/kind-codec.ts';
import { RpcError } from '../rpc/errors.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { ParamProblem } from '../rpc/param-problem.ts';
import { integer64, number } from '../rpc/schemas.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { SCHEDULER } from '../util/slot-scheduler.ts';
import { scopeOfRecipient } from './contract-scope.ts';
import { ethSendRawTransaction, SENT_TRANSACTION_PARAM } from './eth_sendRawTransaction.ts';
import { type Inclusion, InclusionWatch } from './inclusion-watch.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_RAW_TRANSACTION, EXAMPLE_RECEIPTS } from './result-examples.ts';
import { receipt } from './result-schemas.ts';

/** Default wait if the client sets no timeout, and maximum wait, ms. geth uses the same default and the same maximum. */
const DEFAULT_WAIT_MS = 20_000;
const MAX_WAIT_MS = 60_000;
/** Time between the end of a wait and the deadline of the request, ms. The last receipt look-up, and further calls of a batch, need this time. */
const RESERVE_MS = 1_000;

/** Timeout in milliseconds. geth accepts a JSON number; EIP-7966 and clients use a quantity. */
const milliseconds: Codec<number> = byKind({
  number: mapped(number, (value) => {
    if (!Number.isInteger(value) || value < 0)
      throw new ParamProblem('expected a whole number of milliseconds');
    return value;
  }),
  string: mapped(integer64, Number),
});

export const ethSendRawTransactionSync: Method<MethodContext> = defineMethod({
  name: 'eth_sendRawTransactionSync',
  summary: 'Sends a signed transaction, and waits for its receipt (EIP-7966).',
  description:
    'The transaction is sent as by `eth_sendRawTransaction`, with the same errors. After that, the method waits until a block up to the served head has the transaction. Nodes need not support `eth_sendRawTransactionSync`. After the time limit, the method returns an error with code 4 and the hash of the transaction as `data`. The error with code 4 means that the transaction has been sent, and that a later block may include it. If the client disconnects, the wait ends, but the transaction stays sent. A network without nodes refuses this method.',
  params: [
    SENT_TRANSACTION_PARAM,
    {
      name: 'timeout',
      description:
        'Time to wait in milliseconds, as a number or a quantity: at most 60,000, and 20,000 if the parameter is absent or 0. In any case the wait ends a second before `limits.requestTimeout`, counted from the last byte of the request.',
      required: false,
      codec: milliseconds,
    },
  ],
  result: { name: 'receipt', schema: receipt },
  contractScope: scopeOfRecipient,
  cost: 160,
  sends: true,
  waits: true,
  base: ethSendRawTransaction.name,
  errors: ['notIncluded', 'serverError', 'readOnlyNetwork', 'unavailable', 'busy'],
  example: { params: [EXAMPLE_RAW_TRANSACTION, '0x1388'], result: EXAMPLE_RECEIPTS[0] },
  async handle([bytes, timeout = 0], context) {
    const { network, scope } = context;
    const watch = InclusionWatch.of(network);
    const owner = scope.owner ?? '';
    if (!watch.places.tryTake(owner, 1)) throw new RpcError('busy', 'sends.waiting');
    try {
      const sent = await network.chain.transactions.send(hexToBytes(bytes), scope);
      const inclusion = await watch.begin(sent.slice(1, -1));
      try {
        return await waitForReceipt(inclusion, timeout > 0 ? timeout : DEFAULT_WAIT_MS, context);
      } finally {
        inclusion.end();
      }
    } finally {
      watch.places.giveBack(owner, 1);
    }
  },
});

async function waitForReceipt(
  inclusion: Inclusion,
  timeoutMs: number,
  { network, scope }: MethodContext,
): Promise<JsonResult> {
  const owner = scope.owner ?? '';
  const now = performance.now();
  const waitMs = Math.max(0, Math.min(timeoutMs, MAX_WAIT_MS, scope.deadline - RESERVE_MS - now));
  const end = now + waitMs;
  const rest = (): Promise<boolean> => inclusion.wait(end - performance.now(), scope);
  do {
    // A new block, or joining the feed, wakes many calls at once. Each call therefore queues for a scheduler slot.
    await SCHEDULER.rejoin(owner);
    const found = await findReceipt(inclusion.hash, network, scope);
    if (found !== null) return found;
    // A waiting call does no work, so it lends its slot in the network's queue to other calls.
  } while (await (network.slots === undefined ? rest() : network.slots.lend(owner, rest)));
  if (scope.aborted) throw new ChainError('aborted', 'the client has cancelled the request');
  throw new RpcError('notIncluded', formatDuration(waitMs), inclusion.hash);
}

/**
 * Returns the receipt, or null where the receipt is unavailable or cannot be read now. A failed look-up is not an error, because the transaction is already
 * sent and the look-up is repeated.
 */
async function findReceipt(
  hash: string,
  { chain }: MethodContext['network'],
  scope: RequestScope,
): Promise<JsonResult | null> {
  try {
    return await chain.transactions.getReceipt(hash, scope);
  } catch (error) {
    if (error instanceof ChainError && error.kind !== 'aborted') return null;
    throw error;
  }
}

/** Formats a duration of up to a minute as Go does. From 1 s on, the duration is rounded to a tenth of a second. */
function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  const seconds = Math.round(ms / 100) / 10;
  return seconds === 60 ? '1m0s' : `${seconds}s`;
}
