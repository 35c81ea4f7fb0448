/**
 * An independent verifier of bundles, written from docs/bundles.md with ethers and @ethereumjs/evm alone, without any code of this program.
 * It checks receipts, transactions, uncles, and calls without price and overrides.
 */
import { createCustomCommon, type Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM } from '@ethereumjs/evm';
import { Account, Address } from '@ethereumjs/util';
import {
  decodeRlp,
  encodeRlp,
  getBytes,
  getCreateAddress,
  hexlify,
  keccak256,
  type RlpStructuredDataish,
  Transaction,
  toBeArray,
  toUtf8Bytes,
} from 'ethers';

type Item = string | readonly Item[];
type Members = Readonly<Record<string, unknown>>;
type Bundle = {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly block: { readonly number: string; readonly hash: string };
  readonly answer: { readonly result: unknown };
  readonly evidence: Readonly<
    Record<'ancestors' | 'transactions' | 'uncles' | 'nodes' | 'codes', readonly string[]>
  > & { readonly header: string };
  readonly told: { readonly rules: { readonly chainId: string; readonly fork: string } | null };
  readonly digest: string;
};

const EMPTY_TRIE = keccak256('0x80');
const EMPTY_CODE = keccak256('0x');
/** Positions in a header. */
const [UNCLES, COINBASE, STATE, TRANSACTIONS, RECEIPTS] = [1, 2, 3, 4, 5] as const;
const [DIFFICULTY, NUMBER, GAS_LIMIT, TIMESTAMP, MIX_HASH] = [7, 8, 9, 11, 13] as const;

function demand(isCorrect: boolean, what: string): void {
  if (!isCorrect) throw new Error(`refused: ${what}`);
}

const integer = (hex: unknown): bigint => (hex === '0x' ? 0n : BigInt(String(hex)));
const encode = (item: Item): string => encodeRlp(item as RlpStructuredDataish);
const key = (index: number): string => encode(index === 0 ? '0x' : hexlify(toBeArray(index)));
const nibbles = (hex: string): string => hex.slice(2);

/** @throws Error with the reason where the bundle does not prove its answer */
export async function verifyAgain(text: string, hash: string): Promise<void> {
  const bundle = JSON.parse(text) as Bundle;
  demand(`${JSON.stringify(bundle)}\n` === text, 'the form of the text');
  const { digest, ...content } = bundle;
  demand(keccak256(toUtf8Bytes(JSON.stringify(content))) === digest, 'the digest');
  const { method, params, block, answer, evidence } = bundle;
  demand(block.hash === hash && keccak256(evidence.header) === hash, 'the hash of the header');
  const header = decodeRlp(evidence.header) as string[];
  demand(integer(header[NUMBER]) === BigInt(block.number), 'the number of the block');
  const position = method.startsWith('eth_get') ? 0 : 1;
  demand(params[position] === block.number, 'the block in the parameters');
  const nodes = new Nodes(evidence.nodes);
  const { result } = answer;
  switch (method) {
    case 'eth_getTransactionByBlockNumberAndIndex': {
      const found = nodes.read(String(header[TRANSACTIONS]), key(Number(params[1])));
      demand(
        found === null ? result === null : isTransaction(result as Members, found, header),
        'the transaction',
      );
      break;
    }
    case 'eth_getUncleByBlockNumberAndIndex': {
      demand(
        keccak256(encode(evidence.uncles.map((uncle) => decodeRlp(uncle) as Item))) === header[UNCLES],
        'uncles',
      );
      const own = evidence.uncles[Number(params[1])];
      demand(
        own === undefined ? result === null : (result as Members)['hash'] === keccak256(own),
        'the uncle',
      );
      break;
    }
    case 'eth_getBlockReceipts':
      demand(orderedRoot(evidence.transactions) === header[TRANSACTIONS], 'the transactions');
      checkReceipts(result as Members[], evidence.transactions, header);
      break;
    case 'eth_call':
      demand((await call(bundle, header, nodes)) === result, 'the result of the call');
      break;
    default:
      throw new Error(`refused: ${method} is not known here`);
  }
  nodes.requireAllUsed();
}

/** Trie nodes by hash. */
class Nodes {
  readonly #byHash: Map<string, string>;
  readonly #used = new Set<string>();

  constructor(nodes: readonly string[]) {
    this.#byHash = new Map(nodes.map((node) => [keccak256(node), node]));
  }

  /** Reads the value under a key; null where there is none. */
  read(root: string, path: string): string | null {
    if (root === EMPTY_TRIE) return null;
    let node = this.#open(root);
    for (let rest = nibbles(path); ; ) {
      if (node.length === 17) {
        if (rest === '') return node[16] === '0x' ? null : String(node[16]);
        const child = node[Number.parseInt(rest[0] as string, 16)] as Item;
        rest = rest.slice(1);
        if (child === '0x') return null;
        node = this.#open(child);
        continue;
      }
      const flags = nibbles(String(node[0]));
      const own = flags.slice('13'.includes(flags[0] as string) ? 1 : 2);
      if (flags >= '2') return own === rest ? String(node[1]) : null;
      if (!rest.startsWith(own)) return null;
      rest = rest.slice(own.length);
      node = this.#open(node[1] as Item);
    }
  }

  #open(reference: Item): readonly Item[] {
    if (typeof reference !== 'string') return reference;
    const node = this.#byHash.get(reference);
    if (node === undefined) throw new Error(`refused: the node ${reference} is missing`);
    this.#used.add(reference);
    return decodeRlp(node) as Item[];
  }

  requireAllUsed(): void {
    demand(this.#used.size === this.#byHash.size, 'nodes that are not needed');
  }
}

/** Computes the root of the trie of values under the RLP of their index. */
function orderedRoot(values: readonly string[]): string {
  const entries = values.map((value, index) => [nibbles(key(index)), value] as const);
  return values.length === 0 ? EMPTY_TRIE : keccak256(encode(nodeOf([...entries].sort(), 0)));
}

function nodeOf(entries: readonly (readonly [string, string])[], depth: number): Item {
  const [first, last] = [entries[0], entries.at(-1)] as [
    readonly [string, string],
    readonly [string, string],
  ];
  if (entries.length === 1) return [pathOf(first[0].slice(depth), '2'), first[1]];
  let end = depth;
  while (first[0][end] === last[0][end]) end++;
  if (end > depth) return [pathOf(first[0].slice(depth, end), '0'), referTo(nodeOf(entries, end))];
  const children = [...'0123456789abcdef'].map((digit) => {
    const below = entries.filter(([path]) => path[depth] === digit);
    return below.length === 0 ? '0x' : referTo(nodeOf(below, depth + 1));
  });
  return [...children, '0x'];
}

function pathOf(path: string, kind: '0' | '2'): string {
  return path.length % 2 === 0 ? `0x${kind}0${path}` : `0x${Number(kind) + 1}${path}`;
}

function referTo(node: Item): Item {
  const encoded = encode(node);
  return getBytes(encoded).length < 32 ? node : keccak256(encoded);
}

function isTransaction(result: Members, encoded: string, header: readonly string[]): boolean {
  const tx = Transaction.from(encoded);
  const pairs: [unknown, unknown][] = [
    [result['hash'], keccak256(encoded)],
    [result['from'], tx.from?.toLowerCase()],
    [result['to'], tx.to?.toLowerCase() ?? null],
    [result['input'], tx.data],
    [integer(result['value']), tx.value],
    [integer(result['nonce']), BigInt(tx.nonce)],
    [integer(result['gas']), tx.gasLimit],
    [integer(result['blockNumber']), integer(header[NUMBER])],
    [integer(result['blockTimestamp']), integer(header[TIMESTAMP])],
  ];
  return pairs.every(([have, want]) => have === want);
}

function checkReceipts(
  receipts: readonly Members[],
  transactions: readonly string[],
  header: readonly string[],
): void {
  let [gas, logs] = [0n, 0n];
  const encoded = receipts.map((receipt, index) => {
    const raw = transactions[index] as string;
    const tx = Transaction.from(raw);
    const created =
      tx.to === null ? getCreateAddress({ from: String(tx.from), nonce: tx.nonce }).toLowerCase() : null;
    demand(
      receipt['transactionHash'] === keccak256(raw) && receipt['from'] === tx.from?.toLowerCase(),
      'a sender',
    );
    demand(receipt['contractAddress'] === created, 'a contract');
    const cumulative = integer(receipt['cumulativeGasUsed']);
    demand(integer(receipt['gasUsed']) === cumulative - gas, 'the gas of a receipt');
    gas = cumulative;
    const own = receipt['logs'] as readonly Members[];
    for (const log of own) demand(integer(log['logIndex']) === logs++, 'the index of a log');
    const shortest = (value: bigint): string => (value === 0n ? '0x' : hexlify(toBeArray(value)));
    const outcome = receipt['root'] ?? shortest(integer(receipt['status']));
    const items = own.map(({ address, topics, data }) => [address, topics, data]) as Item[];
    const list = encode([String(outcome), shortest(cumulative), String(receipt['logsBloom']), items]);
    return tx.type === 0 ? list : `0x0${tx.type}${list.slice(2)}`;
  });
  demand(receipts.length === transactions.length, 'as many receipts as transactions');
  demand(orderedRoot(encoded) === header[RECEIPTS], 'the receipts');
}

async function call(
  { params, evidence, told }: Bundle,
  header: readonly string[],
  nodes: Nodes,
): Promise<string> {
  const [request] = params as [{ from?: string; to: string; data: string }];
  const { chainId = '0x1', fork = '' } = told.rules ?? {};
  const common = createCustomCommon({ chainId: Number(chainId) }, Mainnet, { hardfork: fork as Hardfork });
  const evm = await createEVM({ common });
  const state = evm.stateManager;
  const codes = new Map(evidence.codes.map((code) => [keccak256(code), code]));
  const readLeaf = (address: string): readonly string[] | null => {
    const leaf = nodes.read(String(header[STATE]), keccak256(address));
    return leaf === null ? null : (decodeRlp(leaf) as string[]);
  };
  // A call without transfers reads the state of the block unchanged.
  state.getAccount = async (address) => {
    const leaf = readLeaf(address.toString());
    if (leaf === null) return undefined;
    const [nonce, balance, root, codeHash] = leaf as [string, string, string, string];
    return new Account(integer(nonce), integer(balance), getBytes(root), getBytes(codeHash));
  };
  state.getStorage = async (address, slot) => {
    const value = nodes.read(String(readLeaf(address.toString())?.[2]), keccak256(slot));
    return value === null ? new Uint8Array() : getBytes(decodeRlp(value) as string);
  };
  state.getCode = async (address) => {
    const hash = readLeaf(address.toString())?.[3] ?? EMPTY_CODE;
    if (hash === EMPTY_CODE) return new Uint8Array();
    const code = codes.get(hash);
    if (code === undefined) throw new Error(`refused: the code ${hash} is missing`);
    return getBytes(code);
  };
  const addressOf = (text: string): Address => new Address(getBytes(text));
  const block = {
    header: {
      number: integer(header[NUMBER]),
      coinbase: addressOf(String(header[COINBASE])),
      timestamp: integer(header[TIMESTAMP]),
      difficulty: integer(header[DIFFICULTY]),
      prevRandao: getBytes(String(header[MIX_HASH])),
      gasLimit: integer(header[GAS_LIMIT]),
      baseFeePerGas: 0n,
      slotNumber: 0n,
      getBlobGasPrice: () => 1n,
    },
  };
  const caller = addressOf(request.from ?? `0x${'0'.repeat(40)}`);
  const { execResult } = await evm.runCall({
    block,
    caller,
    origin: caller,
    to: addressOf(request.to),
    data: getBytes(request.data),
    gasLimit: integer(header[GAS_LIMIT]) * 10n,
    skipBalance: true,
  });
  demand(execResult.exceptionError === undefined, 'a call that fails');
  return hexlify(execResult.returnValue);
}
