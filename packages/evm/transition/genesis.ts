import {
  activeForks,
  type ChainConfig,
  GenesisObject,
  parseChainConfig,
} from '../../ethereum/codecs/chain-config.ts';
import { BLANK_HEADER, type Header } from '../../ethereum/codecs/header.ts';
import { padLeft } from '../../ethereum/primitives/bytes.ts';
import { hexToBytes } from '../../ethereum/primitives/hex.ts';
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../ethereum/primitives/keccak.ts';
import { encodeQuantity } from '../../ethereum/primitives/quantity.ts';
import { sha256 } from '../../ethereum/primitives/sha256.ts';
import { INITIAL_BASE_FEE } from '../interpreter/fee-market.ts';
import { latestRules } from '../interpreter/revisions/revisions.ts';

export type GenesisAccount = {
  readonly address: Uint8Array;
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Uint8Array;
  readonly storage: readonly { readonly slot: Uint8Array; readonly value: Uint8Array }[];
};

export type Genesis = {
  readonly config: ChainConfig;
  readonly accounts: readonly GenesisAccount[];
  /** Header of block 0 without its state root, which is computed from the accounts. */
  readonly header: Header;
};

/** Gas limit of a genesis block if the genesis file contains no gas limit, or zero. */
const DEFAULT_GAS_LIMIT = 4_712_388n;

function readBytes(value: unknown, length: number | undefined, what: string): Uint8Array {
  const text = String(value);
  const hex = text.startsWith('0x') ? text : `0x${text}`;
  try {
    const bytes = hexToBytes(hex.length % 2 === 0 ? hex : `0x0${hex.slice(2)}`);
    return length === undefined ? bytes : padLeft(bytes, length);
  } catch (cause) {
    throw new RangeError(`genesis: ${what}: ${(cause as Error).message}`);
  }
}

/** @param bits size of the field in its header or account */
function readInteger(value: unknown, what: string, bits: 64 | 256): bigint {
  if (value === undefined || value === null) return 0n;
  const isText = typeof value === 'string' && /^(0x[0-9a-fA-F]+|[0-9]+)$/.test(value);
  if (!isText && !(typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)) {
    throw new RangeError(`genesis: ${what} is not an unsigned integer`);
  }
  const integer = BigInt(value as string | number);
  if (integer >> BigInt(bits) > 0n) throw new RangeError(`genesis: ${what} has more than ${bits} bits`);
  return integer;
}

function readObject(value: unknown, what: string): object {
  if (typeof value !== 'object' || value === null) throw new RangeError(`genesis: ${what} is not an object`);
  return value;
}

function readAccount(key: string, value: unknown): GenesisAccount {
  const entry = new GenesisObject(readObject(value, `account ${key}`));
  const storage = Object.entries(readObject(entry.get('storage') ?? {}, `storage of ${key}`)).map(
    ([slot, value]) => ({
      slot: readBytes(slot, 32, `storage slot of ${key}`),
      value: readBytes(value, 32, `storage of ${key}`),
    }),
  );
  return {
    address: readBytes(key, 20, 'account address'),
    balance: readInteger(entry.get('balance'), `balance of ${key}`, 256),
    nonce: readInteger(entry.get('nonce'), `nonce of ${key}`, 64),
    code: readBytes(entry.get('code') ?? '0x', undefined, `code of ${key}`),
    storage,
  };
}

function buildHeader(json: GenesisObject, config: ChainConfig): Header {
  const integer = (key: string, bits: 64 | 256 = 64): bigint => readInteger(json.get(key), key, bits);
  const timestamp = integer('timestamp');
  // The timestamp alone determines the optional header fields of block 0, regardless of the terminal total difficulty.
  const rules = latestRules(activeForks(config, { number: 0n, timestamp, isMerged: true }));
  const orZero = (key: string, length: number): Uint8Array =>
    json.get(key) === undefined ? new Uint8Array(length) : readBytes(json.get(key), length, key);
  return {
    ...BLANK_HEADER,
    parentHash: orZero('parentHash', 32),
    ommersHash: EMPTY_LIST_HASH,
    beneficiary: orZero('coinbase', 20),
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    difficulty: integer('difficulty', 256),
    gasLimit: integer('gasLimit') || DEFAULT_GAS_LIMIT,
    gasUsed: integer('gasUsed'),
    timestamp,
    extraData: readBytes(json.get('extraData') ?? '0x', undefined, 'extraData'),
    mixHash: orZero('mixHash', 32),
    nonce: readBytes(encodeQuantity(integer('nonce')), 8, 'nonce'),
    ...(rules.hasBaseFee && {
      baseFeePerGas:
        json.get('baseFeePerGas') === undefined ? INITIAL_BASE_FEE : integer('baseFeePerGas', 256),
    }),
    ...(rules.hasWithdrawals && { withdrawalsRoot: EMPTY_TRIE_ROOT }),
    ...(rules.hasBlobs && {
      blobGasUsed: integer('blobGasUsed'),
      excessBlobGas: integer('excessBlobGas'),
      parentBeaconBlockRoot: new Uint8Array(32),
    }),
    ...(rules.hasRequests && { requestsHash: sha256(new Uint8Array(0)) }),
    ...(rules.hasBlockAccessList && {
      blockAccessListHash: EMPTY_LIST_HASH,
      slotNumber: integer('slotNumber'),
    }),
  };
}

/**
 * Parses a geth genesis file.
 * @throws RangeError that names the malformed part
 * @throws SyntaxError if the text is not JSON
 */
export function parseGenesis(text: string): Genesis {
  const parsed: unknown = JSON.parse(text);
  const json = new GenesisObject(typeof parsed === 'object' && parsed !== null ? parsed : {});
  const provided = json.get('config');
  if (typeof provided !== 'object' || provided === null) throw new RangeError('genesis: config is missing');
  // JSON.parse loses digits of a terminal total difficulty as large as mainnet's.
  const exactTotalDifficulty = /"terminalTotalDifficulty"\s*:\s*(\d+)\s*[,}]/i.exec(text)?.[1];
  const config = parseChainConfig(provided, exactTotalDifficulty);
  const alloc = readObject(json.get('alloc') ?? {}, 'alloc');
  const accounts = Object.entries(alloc).map(([key, entry]) => readAccount(key, entry));
  return { config, accounts, header: buildHeader(json, config) };
}
