/** Every fault of the matrix, one row each. */
import {
  answerFrom,
  claimHead,
  sayError,
  sayNoReceipts,
  sayNull,
  sayNullForBlocks,
} from '../support/faults/answers.ts';
import type { CutPosition, Fault } from '../support/faults/fault.ts';
import { lagBehind } from '../support/faults/lagging.ts';

/** Nodes from which a fault may answer. */
export type OtherNodes = {
  /** A node with another chain id. */
  readonly otherChain: string;
  /** A node with the same chain id and genesis, and other blocks from the middle on. */
  readonly fork: string;
};

export type FaultRow = {
  readonly name: string;
  create(nodes: OtherNodes): Fault;
  /** No answer reveals the fault, only the node's heads do: requests before the next look at the heads may get a wrong answer. */
  readonly isSilent?: true;
  /** The fault affects connections, so it cannot be limited to single calls. */
  readonly isWhole?: true;
  /** Without other nodes the fault is a reorg: answers of the fork are correct too. */
  readonly isReorg?: true;
  /** Without other nodes an unknown hash may belong to no block. */
  readonly deniesBlocks?: true;
  /** Without other nodes the fault cannot be distinguished from the truth. */
  readonly needsOthers?: true;
};

/** Multiples of the golden ratio modulo 1 cover the interval quickly. */
const GOLDEN_RATIO = 0.618_033_988_75;
/** Calls between two jumps of a head. */
const JUMP_CALLS = 5;
const BIG_LAG = 3n;

function everywhere(): CutPosition {
  let count = 0;
  return () => {
    count++;
    return (count * GOLDEN_RATIO) % 1;
  };
}

function jump(): () => bigint {
  let count = 0;
  return () => {
    count++;
    return Math.floor(count / JUMP_CALLS) % 2 === 0 ? BIG_LAG : 0n;
  };
}

const HTML = '<!DOCTYPE html><html><head><title>Welcome</title></head><body>It works!</body></html>';
const delivered = (delivery: NonNullable<Fault['delivery']>): (() => Fault) => {
  return () => ({ delivery });
};

export const FAULTS: readonly FaultRow[] = [
  { name: 'connections refused', create: delivered({ kind: 'refuse' }), isWhole: true },
  { name: 'hangs', create: delivered({ kind: 'hang' }) },
  { name: 'a byte every 50 ms', create: delivered({ kind: 'trickle' }) },
  {
    name: 'cut before the first byte',
    create: delivered({ kind: 'cut', at: () => 0, framing: 'length' }),
  },
  {
    name: 'cut anywhere, length given',
    create: () => ({ delivery: { kind: 'cut', at: everywhere(), framing: 'length' } }),
  },
  {
    name: 'cut anywhere, in pieces',
    create: () => ({ delivery: { kind: 'cut', at: everywhere(), framing: 'pieces' } }),
  },
  {
    name: 'cut anywhere, no length',
    create: () => ({ delivery: { kind: 'cut', at: everywhere(), framing: 'none' } }),
  },
  {
    name: 'cut before the last byte, no length',
    create: () => ({ text: (text) => text.slice(0, -1) }),
  },
  { name: 'connections reset', create: delivered({ kind: 'reset' }) },
  { name: 'invalid JSON', create: () => ({ text: (text) => text.replaceAll('":', '"=') }) },
  { name: 'HTML with 200', create: () => ({ text: () => HTML }) },
  { name: 'wrong id', create: () => ({ response: (response) => ({ ...response, id: 987_654_321 }) }) },
  { name: 'no id', create: () => ({ response: (response) => ({ ...response, id: null }) }) },
  { name: 'compression bomb', create: delivered({ kind: 'bomb' }) },
  { name: 'status 500', create: delivered({ kind: 'status', status: 500, body: 'Internal Server Error' }) },
  { name: 'status 502', create: delivered({ kind: 'status', status: 502, body: HTML }) },
  { name: 'status 503', create: delivered({ kind: 'status', status: 503 }) },
  { name: 'status 429', create: delivered({ kind: 'status', status: 429 }) },
  {
    name: 'status 429 with Retry-After',
    create: delivered({ kind: 'status', status: 429, headers: { 'retry-after': '1' } }),
  },
  {
    name: 'rate limit as an error with 200',
    create: () => ({ answer: sayError(-32005, 'project ID request rate exceeded') }),
  },
  { name: 'an unknown error', create: () => ({ answer: sayError(-32099, 'weird') }) },
  { name: 'stale heads', create: () => ({ answer: lagBehind(() => BIG_LAG) }), isWhole: true },
  {
    name: 'a head that jumps back and forth',
    create: () => ({ answer: lagBehind(jump()) }),
    isWhole: true,
  },
  {
    name: 'a head that no node has',
    create: () => ({ answer: claimHead(5n) }),
    isWhole: true,
    needsOthers: true,
  },
  {
    name: "another chain's answers",
    create: ({ otherChain }) => ({ answer: answerFrom(otherChain) }),
    isSilent: true,
    isWhole: true,
  },
  {
    name: 'other blocks of the same chain',
    create: ({ fork }) => ({ answer: answerFrom(fork) }),
    isSilent: true,
    isWhole: true,
    isReorg: true,
  },
  { name: 'null for existing blocks', create: () => ({ answer: sayNullForBlocks }), deniesBlocks: true },
  { name: 'null for everything', create: () => ({ answer: sayNull }), deniesBlocks: true },
  { name: 'no receipts for a full block', create: () => ({ answer: sayNoReceipts }) },
];
