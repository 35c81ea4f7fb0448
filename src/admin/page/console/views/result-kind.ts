import { type AnswerObject, isObject } from './context.ts';

/** Kinds of results with a view of their own. All others are plain values. */
export type ResultKind =
  | 'receipts'
  | 'logs'
  | 'block'
  | 'transactions'
  | 'simulation'
  | 'proof'
  | 'feeHistory'
  | 'trace'
  | 'plain';

const FRAME_TYPE = /^(CALL|CALLCODE|DELEGATECALL|STATICCALL|CREATE|CREATE2|SELFDESTRUCT)$/;

/** Tests whether an object has the shape of a kind. No object has the shape of two kinds. */
const SHAPES: Readonly<Record<Exclude<ResultKind, 'plain'>, (one: AnswerObject) => boolean>> = {
  receipts: (one) => 'transactionHash' in one && 'cumulativeGasUsed' in one,
  logs: (one) => Array.isArray(one['topics']) && 'data' in one && 'address' in one,
  simulation: (one) => Array.isArray(one['calls']) && 'number' in one,
  block: (one) => 'parentHash' in one && 'stateRoot' in one && !Array.isArray(one['calls']),
  transactions: (one) => 'hash' in one && 'from' in one && 'nonce' in one && 'input' in one,
  proof: (one) => Array.isArray(one['accountProof']) && Array.isArray(one['storageProof']),
  feeHistory: (one) => 'oldestBlock' in one && Array.isArray(one['gasUsedRatio']),
  trace: (one) => isFrame(one) || isFrame(one['result']),
};

/** Kinds whose results are lists. */
const LISTS: ReadonlySet<ResultKind> = new Set(['receipts', 'logs', 'simulation', 'transactions', 'trace']);

/** Methods whose result may be an empty list, which has no shape. */
const METHODS_WITH_LISTS: ReadonlyMap<string, ResultKind> = new Map([
  ['eth_getBlockReceipts', 'receipts'],
  ['eth_getLogs', 'logs'],
  ['eth_getFilterLogs', 'logs'],
  ['eth_simulateV1', 'simulation'],
]);

/** Chooses the view of a result by the method and by the shape of the result. */
export function chooseKind(method: string, result: unknown): ResultKind {
  if (Array.isArray(result)) {
    if (result.length === 0) return METHODS_WITH_LISTS.get(method) ?? 'plain';
    return findKind((kind) => LISTS.has(kind) && result.every((one) => isObject(one) && SHAPES[kind](one)));
  }
  // A single log or simulated block is no result of any method.
  return isObject(result)
    ? findKind((kind) => kind !== 'logs' && kind !== 'simulation' && SHAPES[kind](result))
    : 'plain';
}

function findKind(fits: (kind: keyof typeof SHAPES) => boolean): ResultKind {
  return (Object.keys(SHAPES) as (keyof typeof SHAPES)[]).find(fits) ?? 'plain';
}

/** Whether a value is a frame of geth's `callTracer`. */
export function isFrame(value: unknown): value is AnswerObject {
  return isObject(value) && FRAME_TYPE.test(String(value['type'])) && 'gasUsed' in value && 'from' in value;
}
