/**
 * Row in the table of all errors that clients can see. Details replace `{}` in the message. If a bound causes the error, the details are the bound's words and
 * name.
 */

import type { HexData } from '../../packages/ethereum/primitives/hex-data.ts';
import { UntracedError } from '../../packages/ethereum/primitives/untraced-error.ts';
import {
  BOUND_NAMES,
  type BoundError,
  type BoundName,
  type BoundsOf,
  describeBoundRefusal,
  listErrors,
} from '../util/bounds.ts';

export type ErrorRow = {
  readonly code: number;
  /** Retry delay in seconds, where the delay is constant. */
  readonly retryAfter?: number;
  /** HTTP status when the error is the whole response. An error of a dispatched call always has status 200. */
  readonly status: number;
  readonly message: string;
  /** Cause and remedy, for the documentation. */
  readonly meaning: string;
  /** Whether operators must see the error. Such an error is caused by a fault of the service or of a node, or by a lack of capacity. */
  readonly isFault?: boolean;
};

const ROWS = {
  parseError: {
    code: -32700,
    status: 400,
    message: 'parse error: {}',
    meaning:
      'The body is not one JSON text in UTF-8, or nests deeper than 64 levels. Or a large body has a number of more than 1,000 characters, or 65,536 blanks in a row.',
  },
  invalidRequest: {
    code: -32600,
    status: 200,
    message: 'invalid request: {}',
    meaning:
      'The JSON is not a JSON-RPC 2.0 request object, or has more elements and members than any valid one.',
  },
  emptyBatch: {
    code: -32600,
    status: 200,
    message: 'empty batch',
    meaning: 'The batch is an empty array; the answer is this single object.',
  },
  batchTooLarge: {
    code: -32600,
    status: 200,
    message: 'batch too large: {}',
    meaning:
      'The batch has too many items. None of them was run. The answer is this single object with the id `null`.',
  },
  methodNotFound: {
    code: -32601,
    status: 200,
    message: 'the method {} does not exist/is not available',
    meaning:
      'The method does not exist, or this network does not offer it (rollup methods on a network that is not a rollup).',
  },
  notificationsUnsupported: {
    code: -32601,
    status: 200,
    message: 'notifications not supported',
    meaning: 'The client called `eth_subscribe` over HTTP. Subscriptions need a WebSocket.',
  },
  unknownSubscription: {
    code: -32601,
    status: 200,
    message: 'no {} subscription in eth namespace',
    meaning:
      'The client called `eth_subscribe` with an unknown kind. The kinds are `newHeads`, `logs`, `transactionReceipts`, `newPendingTransactions` and `syncing`.',
  },
  tooManySubscriptions: {
    code: -32005,
    status: 200,
    message: 'limit exceeded: {}',
    meaning:
      'The connection has its maximum of subscriptions (`limits.webSocketSubscriptions`). Or the key has its share of the subscriptions of all WebSockets (`limits.subscriptions`).',
  },
  unknownStart: {
    code: -32001,
    status: 200,
    message: 'cannot go on where it stopped: {}',
    meaning:
      'The block after which `eth_subscribe` continues is not known. Either the block was never a block of this network. Or the block left the chain, and no node and no process that followed the chain still has the block or the logs that the reorg removed. The text then names the block to continue after. While a node that may have the block is not available, the error is -32603 instead: subscribe again later. Read the missing events with `eth_getLogs` or `eth_getBlockByNumber`, then subscribe without a start.',
  },
  startTooFar: {
    code: -32001,
    status: 200,
    message: 'cannot go on where it stopped: {}',
    meaning:
      'The start that `eth_subscribe` names is more blocks behind the head than a subscription sends again. Read these blocks with `eth_getLogs` or `eth_getBlockByNumber`, then subscribe after the last of them.',
  },
  invalidParams: {
    code: -32602,
    status: 200,
    message: '{}',
    meaning:
      'A parameter is missing, malformed or invalid. The message names the position and the field of the parameter.',
  },
  executionReverted: {
    code: 3,
    status: 200,
    message: 'execution reverted{}',
    meaning:
      'The EVM executed REVERT. `data` is the raw revert data. The message contains a reason that is encoded as Error(string) or Panic(uint256). Only the first 4 KiB of the reason are appended; a shortened reason ends with `…`.',
  },
  serverError: {
    code: -32000,
    status: 200,
    message: '{}',
    meaning:
      'The call failed for another reason than a revert, such as `out of gas`. A repeated call fails in the same way.',
  },
  notIncluded: {
    code: 4,
    status: 200,
    message: "The transaction was added to the transaction pool but wasn't processed in {}",
    meaning:
      '`eth_sendRawTransactionSync` sent the transaction, but no block up to the served head has it yet. `data` is the hash of the transaction. Request the receipt later, and do not send another transaction in its place.',
  },
  nodeRefusal: {
    code: -32000,
    status: 200,
    message: '{}',
    meaning:
      "A method that is passed on to the network's nodes (docs/upstreams.md, Methods) failed there. Code, message and data are those of the node. The message leaves out addresses and keys of the node's configuration. -32000 is the most frequent code; any other code is possible.",
  },
  developmentRefused: {
    code: -32601,
    status: 200,
    message: '{}',
    meaning:
      'The network serves this method of a development node (`anvil_*`, `evm_*`, `hardhat_*`, `eth_sendTransaction`, `eth_sign*`), but not to this client. The message says which condition is not met, and what to do (docs/upstreams.md, Development nodes). The code is the code of an unknown method, because programs call these methods to look for a development node.',
  },
  nonceTooLow: {
    code: -38010,
    status: 200,
    message: '{}',
    meaning: '`eth_simulateV1` with `validation`: the nonce of a call is below the nonce of its sender.',
  },
  nonceTooHigh: {
    code: -38011,
    status: 200,
    message: '{}',
    meaning: '`eth_simulateV1` with `validation`: the nonce of a call is above the nonce of its sender.',
  },
  feeCapTooLow: {
    code: -38012,
    status: 200,
    message: '{}',
    meaning: "`eth_simulateV1`: a call offers less for its gas than the block's base fee.",
  },
  intrinsicGas: {
    code: -38013,
    status: 200,
    message: '{}',
    meaning:
      '`eth_simulateV1`: a call has less gas than its intrinsic gas, the cost before its first instruction.',
  },
  insufficientFunds: {
    code: -38014,
    status: 200,
    message: '{}',
    meaning: '`eth_simulateV1`: a sender cannot pay for value and gas.',
  },
  blockGasLimit: {
    code: -38015,
    status: 200,
    message: '{}',
    meaning: '`eth_simulateV1`: a call requests more gas than its block has left.',
  },
  blockNumberOrder: {
    code: -38020,
    status: 200,
    message: '{}',
    meaning: '`eth_simulateV1`: block numbers do not ascend.',
  },
  blockTimestampOrder: {
    code: -38021,
    status: 200,
    message: '{}',
    meaning: '`eth_simulateV1`: timestamps do not ascend.',
  },
  initCodeSize: {
    code: -38025,
    status: 200,
    message: '{}',
    meaning: '`eth_simulateV1`: init code is longer than the protocol allows.',
  },
  simulationLimit: {
    code: -38026,
    status: 200,
    message: '{}',
    meaning: '`eth_simulateV1`: more than 256 blocks, 5,000 calls in a block, or 10,000 calls.',
  },
  invalidSimulation: {
    code: -32603,
    status: 200,
    message: '{}',
    meaning:
      '`eth_simulateV1`: a call cannot be a transaction of its block for a reason without a code of its own, such as a type before its fork. The code is that of other clients.',
  },
  executionTimedOut: {
    code: -32000,
    status: 200,
    message: '{}',
    meaning:
      'The time limit of one call passed: `execution aborted (timeout = 5s)`. The progress of a call within this time depends on the load. Retrying may help.',
    isFault: true,
  },
  timedOut: {
    code: -32002,
    status: 200,
    message: '{}',
    meaning:
      'The time limit for a whole request passed. A call that exceeds its own time limit gets -32000 `execution aborted (timeout = 5s)`.',
    isFault: true,
  },
  responseTooLarge: {
    code: -32003,
    status: 200,
    message: '{}',
    meaning:
      'The answers of this batch exceed the size limit from this item on. Send this item and the items after it in another batch. Or the result of one call alone exceeds the size limit.',
  },
  tooManyLogs: {
    code: -32005,
    status: 200,
    message: '{}',
    meaning:
      'The answer would have more logs, or more bytes of logs, than the network returns in one answer: `query returned more than 10000 results. Try with this block range [0x1, 0x5f].` Request fewer blocks, such as the range that the message names.',
  },
  tooManyFilters: {
    code: -32005,
    status: 200,
    message: 'limit exceeded: {}',
    meaning:
      'The key has its maximum of filters. Uninstall some, or let them expire: a filter ends when it has not been polled for 5 minutes.',
  },
  filterTooLarge: {
    code: -32000,
    status: 200,
    message: '{}',
    meaning: 'A filter has too many addresses and topics to be stored.',
  },
  recordsUnavailable: {
    code: -32603,
    status: 200,
    message: 'internal error: filters cannot be read or written now',
    meaning:
      'The store of filters is not available, or is full. A poll with this error takes no events from its filter. Events can be lost only if the reply to a write was lost and another worker gets the next poll. The error has been logged. Retrying may help.',
    isFault: true,
  },
  busy: {
    code: -32005,
    status: 429,
    retryAfter: 1,
    message: 'limit exceeded: {}',
    meaning:
      'A call reached a bound while it was executed: too much execution is queued, too many large answers are being built, or every node limits its rate. The message names the bound. Retrying later helps.',
    isFault: true,
  },
  unavailable: {
    code: -32603,
    status: 200,
    message: 'no node could answer: {}',
    meaning:
      'No node of this network returned an acceptable answer, or too few nodes have reported their chain yet. The message names the reason. Retrying later may help.',
    isFault: true,
  },
  readOnlyNetwork: {
    code: -32004,
    status: 200,
    message: '{}',
    meaning:
      'A transaction was sent to a network that has no nodes. Such a network serves imported blocks, and creates no new blocks.',
  },
  prunedHistory: {
    code: 4444,
    status: 200,
    message: 'pruned history unavailable',
    meaning: 'The block exists, but no node of this network keeps history that old.',
  },
  resourceNotFound: {
    code: -32001,
    status: 200,
    message: 'Resource not found',
    meaning:
      'The block has no block access list, because it is from before Amsterdam. `debug_getRawBlockAccessList` returns the same error for a block that does not exist.',
  },
  limitExceeded: {
    code: -38026,
    status: 200,
    message: '{}',
    meaning: 'The call requests more than one call may request. The message names the bound.',
  },
  callTooLarge: {
    code: -38026,
    status: 200,
    message: '{}',
    meaning:
      'The lists and overrides of a call have too many entries. Nothing was executed. The message names the bound.',
  },
  cancelled: {
    code: -32000,
    status: 200,
    message: 'request cancelled',
    meaning: 'The client disconnected, or the server stopped, before the call was finished.',
  },
  internal: {
    code: -32603,
    status: 200,
    message: 'internal error',
    meaning: 'The service has a fault that may be temporary. The fault has been logged. Retrying may help.',
    isFault: true,
  },
  misconfigured: {
    code: -32603,
    status: 200,
    message: 'internal error: {}',
    meaning:
      'The network could not be opened, or its configuration does not fit its chain, such as a rollup family without its contracts. The error lasts until the operator corrects the configuration.',
    isFault: true,
  },
  overloaded: {
    code: -32005,
    status: 429,
    retryAfter: 1,
    message: 'limit exceeded: {}',
    meaning:
      'There is no room for the request, and nothing of it was executed. The message names the bound. Retrying later helps.',
    isFault: true,
  },
  stopping: {
    code: -32005,
    status: 429,
    retryAfter: 1,
    message: 'limit exceeded: the service is stopping',
    meaning:
      'A WebSocket was requested while the service is stopping. Connect again, here or at another replica.',
  },
  missingKey: {
    code: -32600,
    status: 401,
    message: 'project id required in the url',
    meaning:
      'The path ends before the key. The path of a request is `/v3/<API_KEY>`, and `/ws/v3/<API_KEY>` for WebSocket. The name of a network may stand before either path.',
  },
  unknownKey: {
    code: -32600,
    status: 401,
    message: 'invalid project id',
    meaning: 'The key does not exist, has expired, or was revoked.',
  },
  wrongSecret: {
    code: -32600,
    status: 401,
    message: 'invalid project id or project secret',
    meaning: 'The key requires its secret as the password of HTTP Basic, and the request did not send it.',
  },
  invalidToken: {
    code: -32600,
    status: 401,
    message: 'invalid JWT',
    meaning:
      'The key requires a token (`Authorization: Bearer`). The request sent no token, an expired token, or a token that the issuer did not sign.',
  },
  rejected: {
    code: -32002,
    status: 403,
    message: 'rejected due to project ID settings',
    meaning:
      'The key is bound to lists of networks, methods, contracts, origins or user agents. This request does not match one of these lists.',
  },
  intercepted: {
    code: -32000,
    status: 200,
    message: '{}',
    meaning:
      'An interceptor of a program that embeds the service refused the call. Code and message are those of the interceptor; the call costs nothing.',
  },
  rateLimited: {
    code: -32005,
    status: 429,
    message: '{}',
    meaning:
      'The key exceeds its rate. `data` has the allowed calls per second and the time to wait, in both forms that hosted services use. `Retry-After` has the time to wait in seconds.',
  },
  creditsSpent: {
    code: -32005,
    status: 429,
    message: '{}',
    meaning:
      "The key's credits of this day (UTC) do not suffice for this call. `data` and `Retry-After` are the same as in `rateLimited`.",
  },
  networkLimited: {
    code: -32005,
    status: 429,
    message: 'limit exceeded: {}',
    meaning:
      'All keys together exceed the rate of this network. `data` and `Retry-After` are the same as in `rateLimited`.',
  },
  tooManyFailures: {
    code: -32005,
    status: 429,
    message: 'limit exceeded: {}',
    meaning:
      'Too many requests with wrong keys or secrets have come from this address. A key that is in use stays valid, with the secret or token of its earlier requests.',
  },
  keysUnavailable: {
    code: -32603,
    status: 503,
    message: 'internal error: the api key cannot be checked now',
    meaning: 'The store of keys cannot be read at the moment. The error has been logged. Retrying may help.',
    isFault: true,
  },
  unknownHost: {
    code: -32600,
    status: 404,
    message: 'no network is served under this host name',
    meaning:
      'The host name of the address, or the name of the network before `/v3`, selects the network. This host name is not configured.',
  },
  unknownNetwork: {
    code: -32600,
    status: 404,
    message: 'no network of this name is served here',
    meaning:
      'The path begins with the name of a network (`/<network>/v3/<API_KEY>`), but no network of this name is configured.',
  },
  unknownPath: {
    code: -32600,
    status: 404,
    message: 'not found',
    meaning:
      'Requests go to `/v3/<API_KEY>` or `/<network>/v3/<API_KEY>`, WebSocket connections to `/ws/v3/<API_KEY>` or `/<network>/ws/v3/<API_KEY>`.',
  },
  forbiddenOrigin: {
    code: -32600,
    status: 403,
    message: 'this origin is not allowed',
    meaning: 'A page requested a WebSocket, and `cors.origins` does not list the origin of the page.',
  },
  methodNotAllowed: {
    code: -32600,
    status: 405,
    message: 'method not allowed: requests are sent with POST',
    meaning: 'Another HTTP method than POST was used on the address of a network.',
  },
  malformedHead: {
    code: -32600,
    status: 400,
    message: 'malformed http request',
    meaning:
      'The request line or the headers are malformed, there are two Host headers, or a WebSocket upgrade is incomplete.',
  },
  upgradeRequired: {
    code: -32600,
    status: 426,
    message: 'this address is for websockets',
    meaning:
      'A request without a WebSocket upgrade came to `/ws/v3/<API_KEY>`. Requests over HTTP go to `/v3/<API_KEY>`.',
  },
  headTooLarge: {
    code: -32600,
    status: 431,
    message: '{}',
    meaning: 'The request line and the headers exceed 16 KiB.',
  },
  slowBody: {
    code: -32002,
    status: 408,
    message: '{}',
    meaning: 'The body did not arrive within the time limit.',
  },
  bodyTooLarge: {
    code: -32600,
    status: 413,
    message: '{}',
    meaning: 'The body exceeds the size limit, before or after decompression.',
  },
  unsupportedMediaType: {
    code: -32600,
    status: 415,
    message: 'unsupported media type: content-type must be application/json, content-encoding gzip or none',
    meaning: 'The `Content-Type` or `Content-Encoding` of the request is not supported.',
  },
} as const;

export type ErrorName = keyof typeof ROWS;

export const ERRORS: Readonly<Record<ErrorName, ErrorRow>> = ROWS satisfies Record<BoundError, ErrorRow>;

/** Returns the names of the rows with `isFault`. */
export function listFaults(): ReadonlySet<ErrorName> {
  return new Set((Object.keys(ERRORS) as ErrorName[]).filter((name) => ERRORS[name].isFault === true));
}

/** Returns the row's message for the documentation, with `…` in place of the details. */
export function describeMessage(name: ErrorName): string {
  const bounds = isRefusal(name) ? BOUND_NAMES.filter((bound) => listErrors(bound).includes(name)) : [];
  const [only] = bounds;
  const detail = only !== undefined && bounds.length === 1 ? describeBoundRefusal(only, '…') : '…';
  return ERRORS[name].message.replace('{}', detail);
}

/** Backoff advice with the field names of hosted services. */
export type BackOff = {
  readonly allowed_rps: number;
  readonly backoff_seconds: number;
  readonly current_rps: number;
};

/**
 * `data` member of an error: raw revert data, or backoff advice. Backoff advice is repeated in `rate`, because newer hosted services nest it there.
 */
export type ErrorData =
  | HexData
  | (BackOff & { readonly rate: BackOff; readonly see: string; readonly bound: BoundName });

/** Names of the rows that errors without a bound may use. */
export type OtherError = Exclude<ErrorName, BoundError>;

/**
 * Constructor arguments of errors that a bound causes.
 * @see BoundsOf
 */
type RefusalArguments = {
  [E in BoundError]: [name: E, bound: BoundsOf<E>, detail?: number | string, data?: ErrorData];
}[BoundError];

type RpcErrorArguments = [name: OtherError, detail?: string, data?: ErrorData] | RefusalArguments;

const REFUSALS: ReadonlySet<ErrorName> = new Set(BOUND_NAMES.flatMap(listErrors));

/** Whether the row is reserved for errors that bounds cause. */
export function isRefusal(name: ErrorName): name is BoundError {
  return REFUSALS.has(name);
}

/** Error with a row in the table of errors. */
export class RpcError extends UntracedError {
  /** Name of the error's row. */
  readonly rowName: ErrorName;
  readonly row: ErrorRow;
  readonly data: ErrorData | undefined;
  /** Code of the row, or of a node's error that is passed through. */
  code: number;
  /** `data` member of a node's error, as a JSON value. The JSON-RPC response contains `nodeData` instead of `data` of the `RpcError`. */
  nodeData: unknown;
  /** Retry delay in seconds. The delay comes from `data` where present, otherwise from the error's row in the table of errors. */
  readonly retryAfter: number | undefined;
  /** Whether the error is the outcome of an executed call. The outcome of an executed call has already been recorded. */
  isOutcome = false;
  /** Bound that caused the error, if any. */
  bound: BoundName | undefined;

  /**
   * `detail` replaces `{}` in the row's message. If a bound causes the error, the bound's words replace `{}` in the message, and `detail` replaces `{}` in
   * these words.
   */
  constructor(...args: RpcErrorArguments) {
    const row = ERRORS[args[0]];
    const refusal = isRefusalOf(args) ? args : undefined;
    const text = refusal === undefined ? (args[1] ?? '') : describeBoundRefusal(refusal[1], refusal[2]);
    super(row.message.replace('{}', () => String(text)));
    const data = refusal === undefined ? (args[2] as ErrorData | undefined) : refusal[3];
    this.name = 'RpcError';
    this.rowName = args[0];
    this.row = row;
    this.code = row.code;
    this.data = data;
    this.bound = refusal?.[1];
    this.retryAfter =
      typeof data === 'object' && 'backoff_seconds' in data ? data.backoff_seconds : row.retryAfter;
  }
}

/** Creates an error that passes a node's error through unchanged. */
export function createNodeError({ code, message, nodeData }: NodeErrorParts): RpcError {
  const error = new RpcError('nodeRefusal', message);
  error.code = code;
  error.nodeData = nodeData;
  return error;
}

type NodeErrorParts = { readonly code: number; readonly message: string; readonly nodeData: unknown };

function isRefusalOf(args: RpcErrorArguments): args is RefusalArguments {
  return isRefusal(args[0]);
}

/**
 * Creates an error that a bound causes, in a row that also has other causes. The message contains the bound's words, followed by its name.
 * @param detail replaces `{}` in the words
 */
export function createBoundError(row: OtherError, bound: BoundName, detail?: number | string): RpcError {
  const error = new RpcError(row, describeBoundRefusal(bound, detail));
  error.bound = bound;
  return error;
}
