/** Calls of many owners: balances are asked for again and again, quotes and multicalls are different ones. */
import { bytesToHex } from '../../../src/primitives/hex.ts';
import { encodePost } from '../../load.ts';
import { encodeRequest, type Target } from '../ask.ts';
import {
  encodeBalance,
  encodeEthCall,
  encodeMulticall,
  encodeQuote,
  MULTICALL,
  OWNERS,
  ROUTER,
  TOKEN,
} from '../call-workloads.ts';

type Kind = {
  readonly name: string;
  /** Different ones: of what is not about a single owner more than one head sees. */
  readonly count: number;
  /** Requests of it in a row of all kinds. */
  readonly share: number;
  readonly encode: (index: number, block: string) => string;
};

/** Owners of one multicall. */
const MANY = 20;
/** Amounts of quotes are multiples of it, wei. */
const STEP = 10n ** 12n;

function ownerAt(index: number): Uint8Array {
  return OWNERS[index % OWNERS.length] as Uint8Array;
}

/** Other owners for each of the first 11,500 indexes. */
function listOwners(index: number): readonly Uint8Array[] {
  return Array.from({ length: MANY }, (_, i) => ownerAt(7 * index + i * (1 + (index % 23))));
}

const ALL_KINDS: readonly Kind[] = [
  {
    name: 'account balance',
    count: OWNERS.length,
    share: 3,
    encode: (index, block) => encodeRequest('eth_getBalance', [bytesToHex(ownerAt(index)), block]),
  },
  {
    name: 'token balance',
    count: OWNERS.length,
    share: 3,
    encode: (index, block) => encodeEthCall(TOKEN, encodeBalance(ownerAt(index)), 1, block),
  },
  {
    name: 'quote',
    count: 16_384,
    share: 3,
    encode: (index, block) => encodeEthCall(ROUTER, encodeQuote(BigInt(index + 1) * STEP), 1, block),
  },
  {
    name: 'multicall',
    count: 4_096,
    share: 1,
    encode: (index, block) => encodeEthCall(MULTICALL, encodeMulticall(listOwners(index)), 1, block),
  },
];

/** What is asked in one load. Balances of accounts are not executed: they are proven, one question for each. */
export type Load = { readonly name: string; readonly kinds: readonly Kind[] };

/** Kinds with one of these texts in their names. */
const ONLY = (process.env['KINDS'] ?? '').split(';');
const KINDS = ALL_KINDS.filter(({ name }) => ONLY.some((text) => name.includes(text)));
const EXECUTED = KINDS.filter(({ name }) => name !== 'account balance');

/** Calls that are executed, then the same with balances of accounts among them. */
export const LOADS: readonly Load[] = [
  { name: 'calls', kinds: EXECUTED },
  { name: 'calls and balances', kinds: KINDS },
].filter(({ kinds }, index) => kinds.length > (index === 0 ? 0 : EXECUTED.length));

/** Of the requests of a kind, so many are compared. */
const COMPARED = 16;

/** Requests of each kind at a block, to be compared. */
export function listCompared(block: string): readonly string[] {
  return KINDS.flatMap(({ count, encode }) =>
    Array.from({ length: COMPARED }, (_, part) => encode(Math.floor((part * count) / COMPARED), block)),
  );
}

/** Requests of a load at the latest block in turn, of all kinds by their shares. */
export function createRequests({ path }: Target, { kinds }: Load): () => Uint8Array {
  const sequences = kinds.map(({ count, share, encode }) => ({
    share,
    posts: Array.from({ length: count }, (_, index) =>
      encodePost(path, '127.0.0.1', encode(index, 'latest')),
    ),
    next: 0,
  }));
  const slots = sequences.flatMap((sequence) => Array.from({ length: sequence.share }, () => sequence));
  let turn = 0;
  return () => {
    const sequence = slots[turn++ % slots.length] as (typeof slots)[number];
    return sequence.posts[sequence.next++ % sequence.posts.length] as Uint8Array;
  };
}
