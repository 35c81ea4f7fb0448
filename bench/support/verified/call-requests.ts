/** A kind of call: balances repeat over the owners, quotes and multicalls are distinct. */
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
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
  /** Number of distinct requests; for kinds that are not about a single owner, more than are sent between two heads. */
  readonly count: number;
  /** Requests of this kind in one rotation through all kinds. */
  readonly share: number;
  readonly encode: (index: number, block: string) => string;
};

/** Owners of one multicall. */
const MANY = 20;
/** Unit of the quotes' amounts, wei. */
const STEP = 10n ** 12n;

function ownerAt(index: number): Uint8Array {
  return OWNERS[index % OWNERS.length] as Uint8Array;
}

/** Lists owners, a different list for each of the first 11,500 indexes. */
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

/** Kinds of requests in one load. Balances of accounts are not executed: they are read from Merkle proofs, one request each. */
export type Load = { readonly name: string; readonly kinds: readonly Kind[] };

/** Selects the kinds whose names contain one of these texts. */
const ONLY = (process.env['KINDS'] ?? '').split(';');
const KINDS = ALL_KINDS.filter(({ name }) => ONLY.some((text) => name.includes(text)));
const EXECUTED = KINDS.filter(({ name }) => name !== 'account balance');

/** Executed calls alone, then mixed with balances of accounts. */
export const LOADS: readonly Load[] = [
  { name: 'calls', kinds: EXECUTED },
  { name: 'calls and balances', kinds: KINDS },
].filter(({ kinds }, index) => kinds.length > (index === 0 ? 0 : EXECUTED.length));

/** Compared requests of each kind. */
const COMPARED = 16;

/** Lists the requests of each kind at `block` whose answers are compared. */
export function listCompared(block: string): readonly string[] {
  return KINDS.flatMap(({ count, encode }) =>
    Array.from({ length: COMPARED }, (_, part) => encode(Math.floor((part * count) / COMPARED), block)),
  );
}

/** Returns a generator of a load's requests at the latest block, all kinds in rotation by their shares. */
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
