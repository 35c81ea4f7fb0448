/** Cases as JSON text: numbers as 0x quantities, bytes as 0x hex, default fields omitted. */
import type { TransactionBody } from '../../packages/ethereum/codecs/transaction.ts';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import type { FuzzAccount, FuzzCase } from './fuzz-case.ts';

export type Json = string | number | boolean | { readonly [key: string]: Json | undefined } | readonly Json[];

const BIGINT_TAG = 'n';

/** Converts a value to JSON. Bigints have a tag in front so that they can be restored; bytes are plain hex. */
export function toJson(value: unknown): Json | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'bigint')
    return `${BIGINT_TAG}${value < 2n ** 53n ? value : `0x${value.toString(16)}`}`;
  if (value instanceof Uint8Array) return bytesToHex(value);
  if (value instanceof Map) return [...value].map(([key, item]) => [toJson(key), toJson(item)]) as Json;
  if (Array.isArray(value)) return value.map(toJson) as Json;
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
  }
  return value as Json;
}

/** Restores values from `toJson`, except maps. */
export function fromJson(value: unknown): unknown {
  if (typeof value === 'string') {
    if (value.startsWith(BIGINT_TAG)) return BigInt(value.slice(BIGINT_TAG.length));
    return value.startsWith('0x') ? hexToBytes(value) : value;
  }
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromJson(item)]));
  }
  return value;
}

/** A saved failing case. */
export type SavedCase = {
  /** The difference that was found, or the subject of the case. */
  readonly note: string;
  readonly fuzzCase: FuzzCase;
};

export function encodeCase({ note, fuzzCase }: SavedCase): string {
  const { revision, level, accounts, block, sender, transaction } = fuzzCase;
  const content = {
    note,
    revision,
    level,
    accounts: Object.fromEntries([...accounts].map(([address, account]) => [address, toJson(account)])),
    block: toJson(block),
    sender,
    transaction: toJson(transaction),
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

type EncodedCase = Pick<FuzzCase, 'revision' | 'level' | 'sender'> & {
  readonly note: string;
  readonly accounts: Readonly<Record<string, unknown>>;
  readonly block: FuzzCase['block'];
  readonly transaction: unknown;
};

/** Restores an account from `toJson`. */
export function accountFromJson(encoded: unknown): FuzzAccount {
  const { storage, ...rest } = fromJson(encoded) as Omit<FuzzAccount, 'storage'> & {
    readonly storage: [bigint, bigint][];
  };
  return { ...rest, storage: new Map(storage) };
}

/** Parses the output of `encodeCase`. */
export function decodeCase(text: string): SavedCase {
  const { note, revision, level, accounts, block, sender, transaction } = JSON.parse(text) as EncodedCase;
  const { beneficiary, ...fields } = block;
  const decodedBlock = fromJson(fields) as Omit<FuzzCase['block'], 'beneficiary'>;
  const body = fromJson(transaction) as TransactionBody;
  return {
    note,
    fuzzCase: {
      revision,
      level,
      sender,
      accounts: new Map(
        Object.entries(accounts).map(([address, account]) => [address, accountFromJson(account)]),
      ),
      block: { ...decodedBlock, beneficiary, baseFeePerGas: decodedBlock.baseFeePerGas },
      transaction: { ...body, chainId: body.chainId, to: body.to },
    },
  };
}
